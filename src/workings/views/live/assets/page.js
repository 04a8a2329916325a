// The page: its tools, and who is told when something changes.

const PREVIEW = 4000, PAUSE = 60; // milliseconds: how long a message stays; how long a hand must rest

class Page {
  constructor(data) {
    this.state = new State(data);
    this.depth = data.depth;
    this.side = one("#side");
    this.side.hidden = false;
    this.panel = new WorkingPanel(this.state, one("#worked"));
    const look = (node, place) => { this.panel.look(node, place); };
    this.tables = new Tables(this.state, one("main"), (node, place) => {
      look(node, place);
      scrollInto(this.panel.place, this.side);
    });
    this.beside = new Beside(this.state, one("#beside"), look);
    this.symbols = new Symbols(this.state, data.glossary, one("#symbol"), look, this.beside);
    this.moved = new Moved(this.state, one("#moved"), look);
    const inputs = one("#inputs");
    inputs.hidden = false;
    this.sentence = new Sentence(this.state, inputs);
    this.plane = new Plane(this.state, inputs, look);
    this.dials = new Dials(this.state, inputs, this.tables);
    this.maps = new Maps(this.state, inputs, look);
    this.circle = new Circle(this.state, inputs, look);
    this.waves = new Waves(this.state, inputs);
    this.diagram = new Diagram(this.state, inputs);
    this.turns = new Turns(this.state, look);
    this.views = [this.sentence, this.plane, this.dials, this.maps, this.circle, this.waves, this.diagram, this.turns];
    this.predict = new Predict(this.state, this.tables);
    this.tools(one("#tools"));
    this.first = {};
    this.state.onChange((reason) => this.refresh(reason));
    this.refresh("program");
    if (data.changes.length) this.state.set(data.changes);
    this.fromLink();
    if (data.ask) this.setPredict(true);
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.fromLink());
  }

  tools(bar) {
    const button = (name, title, act) => make("button", { type: "button", title, onclick: act }, name);
    const depths = make("fieldset", { class: "depths" }, make("legend", {}, "How much is shown"), ...["sentences", "steps", "numbers"].map((depth) =>
      make("label", {}, make("input", { type: "radio", name: "depth", value: depth, checked: depth === this.depth, onchange: () => this.setDepth(depth) }), depth)));
    this.guess = make("button", { type: "button", "aria-pressed": "false", title: "Guess each value before it is shown", onclick: () => this.setPredict(!this.predict.on) }, "Predict");
    this.undo = button("Undo", "Take the last change back (Ctrl+Z)", () => this.state.undo());
    this.redo = button("Redo", "Make it again (Ctrl+Y)", () => this.state.redo());
    this.reset = button("Reset", "All numbers as they were", () => this.state.reset());
    const link = button("Link", "Copy a link to this state", () => this.copyLink());
    const save = button("Save", "Keep this state in a file", () => this.save());
    const file = make("input", { type: "file", accept: ".json", hidden: true, onchange: () => this.load(file) });
    const open = button("Open", "Take up a state from a file", () => file.click());
    this.said = make("p", { class: "message", role: "status" });
    bar.append(depths, this.guess, ...this.variants(), this.undo, this.redo, this.reset, link, save, open, file);
    bar.after(this.said);
    bar.hidden = false;
  }

  // Conventions: each is a recording of its own.
  variants() {
    if (this.state.programs.length < 2) return [];
    this.choice = make("select", { onchange: () => this.state.run(Number(this.choice.value)) },
      ...this.state.programs.map((program, n) => make("option", { value: n }, program.name)));
    return [make("label", { class: "variant" }, "Conventions ", this.choice)];
  }

  // The text of the program that runs: blocks of the first one with other places, or its own.
  tell() {
    for (const article of all("article")) {
      const depth = article.dataset.depth;
      if (!this.first[depth]) {
        this.first[depth] = [...article.children].map((child) => child.cloneNode(true));
        if (!this.state.current) continue; // it stands there already
      }
      const story = this.state.program.stories?.[depth] ?? this.first[depth].map((_, n) => [n]);
      article.replaceChildren(...story.map((entry) => (Array.isArray(entry) ? this.again(depth, ...entry) : this.own(entry))));
    }
  }

  again(depth, n, ...places) {
    const block = this.first[depth][n].cloneNode(true);
    const marked = [block, ...all("[data-at]", block)].filter((each) => each.dataset.at !== undefined);
    places.forEach((at, place) => { marked[place].dataset.at = at; });
    return block;
  }

  own(html) {
    const made = document.createElement("template");
    made.innerHTML = html; // written by us with every text of the Working escaped
    return made.content.firstElementChild;
  }

  // The arithmetic in the text belongs to the numbers as they are now.
  lines() {
    this.worked = all(".worked li[data-at]").map((item) => {
      const [node, place] = item.dataset.at.split(",").map(Number);
      return { item, node, place, told: item.textContent.split(/ = |\[/)[0], recorded: item.textContent };
    });
    this.everything = this.tables.figures.filter(({ figure }) => figure.closest("article").dataset.depth === "steps").map((table) => {
      const list = make("ul", { class: "worked every", hidden: true });
      table.figure.after(list);
      return { table, list };
    });
  }

  refresh(reason) {
    if (reason === "program") {
      this.tell();
      this.tables.build();
      this.lines();
      this.show();
      this.beside.build();
      this.symbols.build();
      for (const view of this.views) view.build?.();
    }
    const dragging = reason === "drag";
    clearTimeout(this.rest);
    if (dragging) this.rest = setTimeout(() => this.refresh("rest"), PAUSE); // what is not seen follows when the hand rests
    this.tables.refresh(dragging);
    for (const view of this.views) view.refresh();
    this.panel.refresh();
    this.symbols.refresh();
    this.beside.refresh();
    if (!dragging) {
      this.say("");
      this.moved.refresh();
      this.arithmetic();
    }
    this.undo.disabled = !this.state.past.length;
    this.redo.disabled = !this.state.future.length;
    this.reset.disabled = !this.state.changes.length && !this.state.current;
    if (this.choice) this.choice.value = this.state.current;
    document.body.classList.toggle("changed", this.state.changes.length > 0);
  }

  text(node, place) {
    const notation = new Notation(this.state.program.decimals), found = this.state.reader.line(node, place);
    if (!found.tree || found.tree.leaf) return "";
    const type = this.state.program.nodes[found.node].t, pieces = notation.apart(found.tree).map((piece) => piece.text ?? piece);
    const sign = notation.sign(found.tree, found.value, type);
    return `${pieces.join("")} ${sign} ${numberText(found.value, this.state.program.decimals, type)}`;
  }

  arithmetic() {
    for (const { item, node, place, told, recorded } of this.worked) {
      if (item.closest("article").hidden) continue;
      const text = this.text(node, place), { machine } = this.state, [from, at] = this.state.reader.origin(node, place);
      const bracket = addressOf(this.state, node, place).slice(this.state.program.nodes[node].n.length);
      if (text) item.textContent = `${told}${bracket} = ${text}`;
      else if (machine.held.get(from)?.has(at) || machine.stale[from] || !Object.is(machine.values[from][at], machine.recorded[from][at])) {
        item.textContent = `${told}${bracket} = ${shownNumber(this.state, node, place)}`; // the arithmetic that was told is not that of this number
      } else item.textContent = recorded;
    }
    for (const { table, list } of this.everything) {
      const wanted = this.depth === "numbers" && !["given", "frozen"].includes(this.predict.kind(table.node));
      list.hidden = !wanted;
      if (!wanted) { list.replaceChildren(); continue; }
      list.replaceChildren(...table.cells.slice(0, 256).map(({ place }) => [place, this.text(table.node, place)]).filter(([, text]) => text)
        .map(([place, text]) => make("li", {}, `${addressOf(this.state, table.node, place)} = ${text}`)));
    }
  }

  setDepth(depth) {
    this.depth = depth;
    this.setPredict(false);
    this.show();
    this.refresh("depth");
  }

  show() {
    const wanted = this.depth === "sentences" ? "sentences" : "steps";
    for (const article of all("article")) article.hidden = article.dataset.depth !== wanted;
    document.body.dataset.depth = this.depth;
  }

  setPredict(on) {
    if (on === this.predict.on) return;
    this.symbols.close();
    document.body.classList.toggle("guessing", on);
    if (on) this.predict.start(); else this.predict.stop();
    this.guess.setAttribute("aria-pressed", String(on));
  }

  key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.target.tagName === "INPUT") return;
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) { event.preventDefault(); this.state.undo(); }
    else if (key === "y" || (key === "z" && event.shiftKey)) { event.preventDefault(); this.state.redo(); }
  }

  // What went wrong stays until something else happens.
  say(text, wrong = false) {
    this.said.textContent = text;
    this.said.classList.toggle("error", wrong);
    clearTimeout(this.timer);
    if (!wrong) this.timer = setTimeout(() => { this.said.textContent = ""; }, PREVIEW);
  }

  link() { return `${location.href.split("#")[0]}#state=${encodeURIComponent(this.state.written())}`; }

  async copyLink() {
    const link = this.link();
    history.replaceState(null, "", link);
    try { await navigator.clipboard.writeText(link); this.say("The link is copied."); }
    catch { this.say("The link stands in the address bar."); }
  }

  // A fragment is a state, or a place in the text. What is neither changes nothing, and is said.
  fromLink() {
    const fragment = location.hash.slice(1);
    if (!fragment || document.getElementById(fragment)) return;
    let wrong = "it leads to no place on this page";
    if (fragment.startsWith("state=")) {
      try { wrong = this.state.read(decodeURIComponent(fragment.slice(6))); } catch { wrong = "it is not whole"; }
    }
    if (wrong) this.say(`The link was not taken up: ${wrong}. The numbers are as they were.`, true);
  }

  save() {
    const url = URL.createObjectURL(new Blob([this.state.written()], { type: "application/json" }));
    make("a", { href: url, download: "workings-state.json" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  async load(file) {
    if (!file.files.length) return;
    const wrong = file.files[0].size > 1e6 ? "it is too large" : this.state.read(await file.files[0].text());
    this.say(wrong ? `The file was not taken up: ${wrong}.` : "The state is taken up.", Boolean(wrong));
    file.value = "";
  }
}

unpacked(one("#data").textContent).then((data) => {
  const page = new Page(data);
  // For tests, and for teachers at the console: the numbers as they are, and changes.
  window.workings = {
    value: (name) => {
      const { at: [node, start, shape] } = page.state.program.named.find(({ n }) => n === name);
      return Array.from(page.state.machine.values[node].slice(start, start + size(shape)));
    },
    node: (n) => Array.from(page.state.machine.values[n]),
    set: (n, values) => page.state.set(values.map((value, place) => [n, place, value])),
    state: page.state,
    page,
  };
  document.body.dataset.ready = "";
});
