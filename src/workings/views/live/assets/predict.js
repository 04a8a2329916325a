// Asks before it shows: the next value is hidden until somebody has guessed.

class Predict {
  constructor(state, tables) {
    this.state = state;
    this.tables = tables;
    this.on = false;
    this.bar = make("form", { class: "predict", hidden: true });
  }

  // The values to guess in the article that is shown: what was made, in order.
  figures() {
    const article = one("article:not([hidden])");
    return this.tables.figures.filter(({ figure, node }) => figure.closest("article") === article && !["given", "frozen"].includes(this.kind(node)));
  }

  kind(node) {
    const about = this.state.program.nodes[node];
    return about.k === "same" || about.k === "take" ? (about.i[0] ? this.kind(about.i[0][0]) : about.k) : about.k;
  }

  start() {
    this.on = true;
    this.at = 0;
    this.right = 0;
    this.asked = 0;
    this.list = [...this.state.program.questions.map((question) => ({ question })), ...this.figures()];
    this.ask();
  }

  // A question of the example's own: what a number becomes after a change, which is made when somebody has guessed.
  change({ question }) {
    const [node, place] = question.at, now = shownNumber(this.state, node, place), name = addressOf(this.state, node, place);
    return { text: `${question.ask} ${name} is ${now} now.`, choices: null, answer: null, place };
  }

  stop() {
    this.on = false;
    this.bar.hidden = true;
    this.bar.remove();
    this.uncover();
  }

  uncover() {
    document.body.classList.remove("guessing");
    for (const hidden of all(".unseen")) hidden.classList.remove("unseen");
  }

  // Everything from the value on is hidden, and what says in brief how a turn of a loop came out.
  hide(table) {
    const article = table.figure.closest("article");
    let behind = false;
    document.body.classList.add("guessing");
    for (const block of all(":scope > *, .turn > *", article).filter((each) => !each.matches(".turns"))) {
      if (block === table.figure) behind = true;
      block.classList.toggle("unseen", behind && block !== this.bar);
    }
  }

  question(table) {
    const { node, cells, weights } = table, values = this.state.machine.values[node];
    const labels = labelsOf(this.state, node), shape = this.state.program.nodes[node].s;
    const own = cells.map(({ place }) => place);
    if (weights && shape.length <= 2) {
      const columns = labels[labels.length - 1] ?? Array.from({ length: shape[shape.length - 1] }, (_, n) => String(n));
      const row = 0, width = columns.length, start = own[0] + row * width, part = Array.from(values.slice(start, start + width));
      const top = Math.max(...part);
      if (part.filter((value) => value === top).length === 1) {
        const who = shape.length === 2 ? `${table.figure.dataset.name}, row ${labels[0]?.[row] ?? row}` : table.figure.dataset.name;
        return { text: `Which gets the most of ${who}?`, choices: columns, answer: part.indexOf(top), place: start + part.indexOf(top) };
      }
    }
    const place = own[0];
    return { text: `What will ${addressOf(this.state, node, place)} be?`, choices: null, answer: values[place], place };
  }

  ask() {
    const table = this.list[this.at];
    if (!table) { this.finish(); return; }
    const asked = table.question ? this.change(table) : this.question(table);
    const field = asked.choices
      ? make("select", { "aria-label": "Your guess" }, ...asked.choices.map((choice, n) => make("option", { value: n }, choice)))
      : make("input", { type: "text", inputmode: "decimal", "aria-label": "Your guess, a number", autocomplete: "off" });
    const form = make("form", { class: "predict" }, make("p", { class: "question" }, asked.text), field,
      make("button", { type: "submit" }, "Guess"), make("button", { type: "button", onclick: () => this.show(table, asked, null) }, "Show it"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const guess = asked.choices ? Number(field.value) : typed(field.value);
      if (Number.isNaN(guess)) { refuse(field); return; }
      this.show(table, asked, guess);
    });
    this.bar.remove();
    this.bar = form;
    if (table.question) one("article:not([hidden])").before(form);
    else { reveal(table.figure); table.figure.before(form); this.hide(table); }
    field.focus({ preventScroll: true });
    form.scrollIntoView({ block: "center" });
  }

  show(table, asked, guess) {
    const { decimals, nodes } = this.state.program, node = table.question ? table.question.at[0] : table.node, type = nodes[node].t;
    if (table.question) {
      this.state.set(table.question.changes);
      asked.answer = this.state.machine.values[node][asked.place];
    }
    const truth = asked.choices ? asked.choices[asked.answer] : numberText(asked.answer, decimals, type);
    let said = `It is ${truth}.`;
    if (guess !== null) {
      const right = asked.choices ? guess === asked.answer : fixed(guess, decimals) === fixed(asked.answer, decimals);
      this.asked += 1;
      this.right += +right;
      const mine = asked.choices ? asked.choices[guess] : numberText(guess, decimals);
      const off = asked.choices || right ? "" : ` You are ${numberText(Math.abs(guess - asked.answer), decimals)} off.`;
      said = right ? `Right: it is ${truth}.` : `You said ${mine}; it is ${truth}.${off}`;
    }
    this.uncover();
    const next = make("button", { type: "button", onclick: () => { this.at += 1; this.ask(); } }, "Next");
    this.bar.replaceChildren(make("p", { class: "question", role: "status" }, said), next);
    const following = this.list[this.at + 1];
    if (following && !following.question) { this.hide(following); following.figure.classList.add("unseen"); }
    this.tables.look(node, asked.place);
    next.focus({ preventScroll: true });
  }

  finish() {
    this.uncover();
    const score = this.asked ? `${this.right} of ${this.asked} guesses were right.` : "Nothing is left to guess.";
    const again = make("button", { type: "button", onclick: () => this.start() }, "Once more");
    this.bar.replaceChildren(make("p", { class: "question", role: "status" }, score), again);
  }
}
