// Values apart from the text: as tables with their own labels, every number shaded by its size; two beside one another.

const MOST_CELLS = 4096, MOST_LINES = 64;

const several = (count, each) => Array.from({ length: Math.min(count, MOST_LINES) }, (_, n) => each(n));

function valueFigure(state, name, ...tools) {
  const { at: [node, start, shape] } = state.program.values[name], at = `${node},${start}`;
  const head = make("figcaption", {}, make("span", { class: "name" }, name), " ", make("span", { class: "shape" }, shape.join(" × ")), " ", ...tools);
  if (!shape.length) return make("figure", { class: "value" }, head, make("output", { "data-at": at }));
  const weights = one(`figure.weights[data-at="${at}"]`, one("main")) ? " weights" : "";
  return make("figure", { class: `value heat${weights}`, "data-at": at, "data-name": name }, head, ...valueGrids(name, shape, axesOf(state, name)));
}

// The labels of a value's axes; null for an axis without.
function axesOf(state, name) {
  const [node, , shape] = state.program.values[name].at, labels = labelsOf(state, node);
  return labels.slice(labels.length - shape.length);
}

// A vector is one row; of more than two axes, each matrix is a table of its own.
function valueGrids(name, shape, labels) {
  const flat = shape.length < 2, rows = flat ? 1 : shape[shape.length - 2], columns = shape[shape.length - 1];
  const side = (row) => (flat ? null : make("th", { scope: "row" }, labels[labels.length - 2]?.[row] ?? row));
  const head = (column) => make("th", { scope: "col" }, labels[labels.length - 1]?.[column] ?? column);
  const grids = [];
  for (let first = 0; first < size(shape) && first < MOST_CELLS; first += rows * columns) {
    const caption = unravel(first, shape).slice(0, -2).map((at, axis) => labels[axis]?.[at] ?? at).join(", ");
    const line = (row) => make("tr", {}, side(row), ...several(columns, (column) => make("td", { "data-p": first + row * columns + column })));
    grids.push(make("div", { class: "scroll", tabindex: -1 }, make("table", { role: "grid", "aria-label": `${name} ${caption}`.trim() },
      caption ? make("caption", {}, caption) : null,
      make("thead", {}, make("tr", {}, flat ? null : make("td", {}), ...several(columns, head))), make("tbody", {}, ...several(rows, line)))));
  }
  return grids;
}

class Beside {
  constructor(state, place, look) {
    this.state = state;
    this.place = place;
    this.tables = new Tables(state, place, look);
  }

  // A button at every value of the text.
  build() {
    for (const figure of all("figure.value[data-at]", one("main"))) {
      if (this.state.program.values[figure.dataset.name]) one("figcaption", figure).append(" ", this.button(figure.dataset.name));
    }
    this.drawn = null;
  }

  button(name) {
    return make("button", {
      type: "button", class: "beside", "data-beside": name, "aria-label": `Beside: ${name}`, title: "See it beside another value",
      "aria-pressed": String(this.state.beside.includes(name)), onclick: () => this.toggle(name),
    }, "Beside");
  }

  // The last two that were chosen stay.
  toggle(name) {
    const { beside } = this.state, taken = beside.includes(name), inside = this.place.contains(document.activeElement);
    this.state.beside = taken ? beside.filter((each) => each !== name) : [...beside, name].slice(-2);
    this.refresh();
    if (!taken) scrollInto(this.place, this.place.parentElement);
    else if (inside) (one("button", this.place) ?? this.buttons().find((each) => each.dataset.beside === name && each.offsetParent))?.focus();
  }

  buttons() { return all("[data-beside]"); }

  refresh() {
    const shown = this.state.beside.filter((name) => this.state.program.values[name]);
    if (shown.join() !== this.drawn) this.draw(shown);
    const { figures } = this.tables, alike = figures.length === 2 && figures.every((table) => table.weights);
    const most = alike ? largest(figures.flatMap(({ node, cells }) => cells.map(({ place }) => this.state.machine.values[node][place]))) : undefined;
    for (const table of figures) table.most = most;
    this.tables.refresh();
    if (!shown.length) return;
    const scales = alike ? `One scale for both: the darkest is ${numberText(most, this.state.program.decimals)}.` : "Each is shaded by its own largest number; numbers below 0 have the other colour.";
    const said = shown.length < 2 ? "Choose “Beside” at another value to see the two together." : scales;
    if (this.note.textContent !== said) this.note.textContent = said;
  }

  draw(shown) {
    this.drawn = shown.join();
    this.note = make("p", { class: "note", role: "status" });
    const away = (name) => make("button", { type: "button", class: "beside", "aria-label": `Take away: ${name}`, title: "Take it away", onclick: () => this.toggle(name) }, "×");
    const figures = shown.map((name) => valueFigure(this.state, name, away(name)));
    this.place.replaceChildren(...(shown.length ? [make("h2", {}, "Side by side"), make("div", { class: "pair" }, ...figures), this.note] : []));
    this.tables.build();
    for (const button of this.buttons()) button.setAttribute("aria-pressed", String(shown.includes(button.dataset.beside)));
  }
}
