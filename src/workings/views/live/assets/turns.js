// Loops turn by turn: one turn is shown at a time, with a bar to go from one to the next; all of them are in the text.

const PER_TURN = 2000; // milliseconds that a turn stays while they are played

class Turns {
  constructor(state, look) {
    this.state = state;
    this.look = look;
    this.loops = [];
    const header = one("header"); // the bar of a loop stays below it
    new ResizeObserver(() => document.documentElement.style.setProperty("--head", `${header.offsetHeight}px`)).observe(header);
    window.addEventListener("hashchange", () => {
      const target = document.getElementById(location.hash.slice(1));
      if (target?.closest(".turn")) { reveal(target); target.scrollIntoView(); }
    });
  }

  build() {
    const before = this.loops.map((loop) => loop.at);
    for (const loop of this.loops) loop.pause();
    this.loops = [];
    for (const article of all("article")) this.fold(article);
    this.loops.forEach((loop, n) => loop.go(before[n] ?? 0));
    this.boards = all(".board").map((board) => new Board(this.state, board, this.look));
  }

  // Blocks from one head of a turn to the next, or to where the loop is over, go into that turn.
  fold(article) {
    const open = [];
    for (const block of [...article.children]) {
      const level = Number(block.dataset.level);
      if (block.matches(".turn-head")) {
        while (open.length && open[open.length - 1].level > level) open.pop();
        if (open[open.length - 1]?.level !== level) {
          const loop = new Loop(level, block.dataset.loop);
          if (open.length) open[open.length - 1].last.append(loop.box); else block.before(loop.box);
          this.loops.push(loop);
          open.push(loop);
        }
        open[open.length - 1].begin();
      } else if (block.matches(".over")) {
        while (open.length && open[open.length - 1].level >= level) open.pop();
        continue;
      }
      if (open.length) open[open.length - 1].last.append(block);
    }
  }

  refresh() { for (const board of this.boards) board.refresh(); }
}

// One loop: its bar and its turns.
class Loop {
  constructor(level, name) {
    this.level = level;
    this.turns = [];
    this.at = 0;
    this.timer = 0;
    const button = (text, act) => make("button", { type: "button", onclick: () => { this.pause(); act(); } }, text);
    this.back = [button("First", () => this.go(0)), button("Back", () => this.go(this.at - 1))];
    this.on = [button("Next", () => this.go(this.at + 1)), button("Last", () => this.go(this.turns.length - 1))];
    this.player = make("button", { type: "button", onclick: () => (this.timer ? this.pause() : this.play()) }, "Play");
    this.said = make("span", { role: "status" });
    this.bar = make("div", { class: "bar-of-turns", role: "group", "aria-label": `Turns of ${name}`, onkeydown: (event) => this.key(event) },
      ...this.back, this.said, ...this.on, this.player);
    this.box = make("div", { class: "turns" }, this.bar);
  }

  get last() { return this.turns[this.turns.length - 1]; }

  begin() {
    const at = this.turns.length, turn = make("section", { class: "turn", "aria-label": `Turn ${at + 1}` });
    turn.addEventListener("reveal", () => { this.pause(); this.go(at); });
    this.turns.push(turn);
    this.box.append(turn);
  }

  go(to) {
    this.at = Math.max(0, Math.min(to, this.turns.length - 1));
    this.turns.forEach((turn, n) => { turn.hidden = n !== this.at; });
    for (const button of this.back) button.setAttribute("aria-disabled", String(this.at === 0));
    for (const button of this.on) button.setAttribute("aria-disabled", String(this.at === this.turns.length - 1));
    this.said.textContent = `Turn ${this.at + 1} of ${this.turns.length}`;
  }

  // Nothing moves by itself unless somebody asks for it; it stops at the last turn and at any other step.
  play() {
    if (this.at === this.turns.length - 1) this.go(0);
    this.player.textContent = "Pause";
    this.timer = setInterval(() => {
      this.go(this.at + 1);
      if (this.at === this.turns.length - 1) this.pause();
    }, PER_TURN);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.player.textContent = "Play";
  }

  key(event) {
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.turns.length - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.pause();
    this.go(to);
  }
}

// What a turn of a generation loop did: the text before it, the candidates, the word chosen, the text after it.
class Board {
  constructor(state, box, look) {
    this.state = state;
    this.look = look;
    this.box = box;
    this.body = one("tbody", box);
    [this.before, this.chosen, this.after] = all("b[data-at]", box);
    this.title = one("h2, h3, h4, h5, h6", box.parentElement);
    this.told = [this.title.textContent, this.before.textContent];
    this.note = make("p", { class: "note", hidden: true });
    this.missing = make("p", { class: "undrawn error" });
    box.append(this.missing, this.note);
    const candidates = this.node(this.body), { l, s } = state.program.nodes[candidates];
    this.vocabulary = state.program.labels[l[s.length - 1]];
    this.rows = [...this.body.rows].map((row) => this.row(row, candidates));
  }

  node(element) { return Number(element.dataset.at.split(",")[0]); }

  row(row, candidates) {
    const number = make("button", { type: "button", class: "number", onclick: () => this.look(candidates, this.rows.find((each) => each.row === row).word) });
    row.cells[1].replaceChildren(number);
    return { row, number, bar: one("rect", row), word: 0 };
  }

  text(element) { return Array.from(this.state.machine.values[this.node(element)], (word) => this.vocabulary[word] ?? "?").join(" "); }

  refresh() {
    const { machine } = this.state, node = this.node(this.body), values = machine.values[node];
    const [from, start] = this.chosen.dataset.at.split(",").map(Number), choice = machine.values[from][start];
    const order = [...values.keys()].sort((a, b) => values[b] - values[a] || a - b);
    this.rows.forEach((each, n) => {
      each.word = order[n];
      each.row.cells[0].textContent = this.vocabulary[each.word];
      each.number.textContent = shownNumber(this.state, node, each.word);
      each.number.setAttribute("aria-label", `${each.number.textContent}, ${addressOf(this.state, node, each.word)}`);
      each.bar.setAttribute("width", drawable(values[each.word]) ? 100 * values[each.word] : 0);
      each.row.classList.toggle("chosen", each.word === choice);
    });
    this.missing.textContent = undrawn(this.rows.filter(({ word }) => !drawable(values[word])).map(({ word }) => this.vocabulary[word]));
    this.before.textContent = this.text(this.before);
    this.chosen.textContent = this.vocabulary[choice];
    this.after.textContent = this.text(this.after);
    this.title.textContent = this.told[0].replace(this.told[1], this.before.textContent);
    this.outdated(node);
  }

  // Where the loop would have gone another way, the turn is as it was recorded, or as far as it can still be told.
  outdated(node) {
    const { machine } = this.state, gone = machine.stale[node] !== "", open = !gone && machine.stale[this.node(this.after)] !== "";
    this.box.classList.toggle("stale", gone);
    this.note.hidden = !gone && !open;
    if (gone) this.note.textContent = "This turn is as it was recorded: with these numbers the loop goes another way before it.";
    if (open) {
      this.after.textContent = `${this.before.textContent} ${this.chosen.textContent}`;
      this.note.textContent = "With this word the loop goes another way than it was recorded: the turns after this one are as they were.";
    }
  }
}
