// What a symbol of a formula means: a sentence, its shape, where it is made, and its numbers as they are now.

const MOST_NAMES = 12;

class Symbols {
  constructor(state, glossary, place, look, beside) {
    this.state = state;
    this.glossary = glossary;
    this.place = place;
    this.beside = beside;
    this.tables = new Tables(state, one(".numbers", place), look);
    this.text = one("main");
    this.text.addEventListener("click", (event) => this.click(event));
    this.text.addEventListener("keydown", (event) => this.key(event));
    place.addEventListener("keydown", (event) => { if (event.key === "Escape" && event.target.tagName !== "INPUT") this.close(); });
  }

  // Formulas say that they can be asked.
  build() {
    this.close();
    for (const formula of all(".math, .equation", this.text)) {
      if (!this.within(formula).length) continue;
      formula.setAttribute("role", "group");
      formula.setAttribute("aria-description", "The arrow keys go through its symbols.");
    }
  }

  within(formula) { return all("[data-value], [data-word]", formula); }

  // The symbol nearest to the place that was touched: letters are small.
  click(event) {
    const formula = event.target.closest(".math, .equation"), symbols = formula ? this.within(formula) : [];
    if (!symbols.length) return;
    const gap = (symbol) => {
      const box = symbol.getBoundingClientRect();
      return Math.hypot(event.clientX - (box.left + box.right) / 2, event.clientY - (box.top + box.bottom) / 2);
    };
    const inside = symbols.indexOf(event.target.closest("[data-value], [data-word]"));
    this.choose(formula, symbols, inside >= 0 ? inside : symbols.reduce((best, symbol, n) => (gap(symbol) < gap(symbols[best]) ? n : best), 0));
  }

  key(event) {
    const formula = event.target;
    if (!formula.matches(".math, .equation") || event.altKey || event.ctrlKey || event.metaKey) return;
    const symbols = this.within(formula), last = symbols.length - 1, now = this.formula === formula ? this.at : -1;
    const to = { ArrowRight: Math.min(now + 1, last), ArrowLeft: Math.max(now - 1, 0), Home: 0, End: last, Enter: Math.max(now, 0), " ": Math.max(now, 0) };
    if (event.key === "Escape") this.close();
    if (!(event.key in to) || last < 0) return;
    event.preventDefault();
    this.choose(formula, symbols, to[event.key]);
  }

  choose(formula, symbols, at) {
    this.close();
    [this.formula, this.symbols, this.at] = [formula, symbols, at];
    symbols[at].classList.add("chosen");
    symbols[at].scrollIntoView({ block: "nearest", inline: "nearest" });
    this.draw(symbols[at]);
  }

  close() {
    this.symbols?.[this.at].classList.remove("chosen");
    [this.formula, this.symbols] = [null, null];
    this.place.hidden = true;
    for (const part of this.place.children) part.replaceChildren();
    this.tables.build();
  }

  draw(symbol) {
    const { value, word } = symbol.dataset, [meaning, numbers] = this.place.children;
    const close = make("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => { const { formula } = this; this.close(); formula.focus({ preventScroll: true }); } }, "×");
    const known = value ? this.about(symbol) : [];
    const name = this.name(symbol), head = make("h2", {}, this.math(symbol), ...(name === symbol.textContent ? [] : [" ", name]));
    meaning.append(close, head, word ? make("p", {}, this.glossary[word]) : "", ...known);
    if (value) numbers.append(this.hidden(value) ? make("p", { class: "note" }, "Its numbers are still to be guessed.") : valueFigure(this.state, value, this.beside.button(value)));
    numbers.append(this.others());
    this.place.hidden = false;
    this.tables.build();
    this.tables.refresh();
    scrollInto(this.place, this.place.parentElement);
  }

  math(symbol) {
    const copy = symbol.cloneNode(true), math = document.createElementNS("http://www.w3.org/1998/Math/MathML", "math");
    copy.removeAttribute("class");
    math.append(copy);
    return math;
  }

  // What the formula calls it: a name of the program, or a word.
  name({ dataset: { symbol, value, word } }) { return symbol ?? (value ? value.split("[")[0].split(".").pop().split("#")[0] : word); }

  about({ dataset: { symbol, value } }) {
    const { at: [node, , shape], said, code, place } = this.state.program.values[value];
    const to = make("button", { type: "button", class: "address", onclick: () => lead(this.step(value)) }, value), section = this.section(value);
    const made = code || this.state.program.nodes[node].k !== "given" ? "Made in the step " : "Given as ";
    return [
      symbol ? make("p", {}, `Here ${symbol} stands for ${value}.`) : "",
      said ? make("p", {}, said) : "",
      make("p", {}, "Shape: ", this.shape(shape, axesOf(this.state, value))),
      make("p", {}, made, to, ...(section ? [", under ", make("a", { href: `#${section.id}` }, section.textContent)] : []), "."),
      code ? make("p", { class: "source" }, make("span", { class: "note" }, `${place} `), make("code", {}, code)) : "",
    ];
  }

  // 4 × 2, rows Apple, shares, fell, sharply; columns food, finance
  shape(shape, labels) {
    if (!shape.length) return "one number.";
    const kinds = { 1: ["entries"], 2: ["rows", "columns"] }[shape.length] ?? shape.map((_, axis) => `axis ${axis}`);
    const axes = shape.map((length, axis) => {
      const names = labels[axis];
      if (!names) return `${kinds[axis]} without names`;
      return `${kinds[axis]} ${names.slice(0, MOST_NAMES).join(", ")}${length > MOST_NAMES ? ", …" : ""}`;
    });
    return `${shape.join(" × ")}; ${axes.join("; ")}.`;
  }

  step(value) { return all("article:not([hidden]) .step").find((step) => step.dataset.name === value); }

  section(value) {
    let at = this.step(value);
    while (at && !/^H[2-6]$/.test(at.tagName)) at = at.previousElementSibling;
    return at;
  }

  // Whether a value is still to be guessed.
  hidden(value) {
    const [node, start] = this.state.program.values[value].at, at = `[data-at="${node},${start}"]`;
    return Boolean(one(`article:not([hidden]) .unseen${at}, article:not([hidden]) .unseen ${at}`));
  }

  // The other symbols of the formula, each once.
  others() {
    const { formula, symbols, at } = this, key = ({ dataset: { symbol, value, word } }) => [symbol, value, value ? "" : word].join();
    const first = new Map(symbols.map((symbol, n) => [key(symbol), n]).reverse());
    const buttons = [...first.values()].sort((a, b) => a - b).map((n) => make("button", {
      type: "button", "aria-label": this.name(symbols[n]), "aria-pressed": String(key(symbols[n]) === key(symbols[at])),
      onclick: () => {
        this.choose(formula, symbols, n);
        one('.symbols [aria-pressed="true"]', this.place)?.focus({ preventScroll: true });
      },
    }, this.math(symbols[n])));
    return make("p", { class: "symbols" }, "In this formula: ", ...buttons);
  }

  refresh() { this.tables.refresh(); }
}
