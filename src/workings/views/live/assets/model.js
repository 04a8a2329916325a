// Maps of attention: small ones for all heads, one of them large, and the row of one token.

const SMALL = 72, SHOWN = 12, LABELLED = 48;

class Model {
  constructor(data) {
    this.data = data;
    this.maps = data.maps.map((map) => ({ ...map, bytes: Uint8Array.from(atob(map.weights), (sign) => sign.charCodeAt(0)) }));
    this.large = one("#large");
    for (const row of all("[data-map]")) this.thumbnails(row, Number(row.dataset.map));
    this.choose(0, 0);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
  }

  thumbnails(place, number) {
    const map = this.maps[number];
    for (let head = 0; head < map.heads; head += 1) {
      const canvas = make("canvas", { width: map.columns.length, height: map.rows.length });
      canvas.style.width = canvas.style.height = `${SMALL}px`;
      place.append(make("button", {
        type: "button", "aria-pressed": "false", "aria-label": `${map.name}, head ${head}`, title: `head ${head}`,
        "data-head": head, onclick: () => this.choose(number, head),
      }, canvas));
      this.paint(canvas, map, head);
    }
  }

  // The colour of a weight: the page's, laid over its background.
  paint(canvas, map, head) {
    const style = getComputedStyle(document.documentElement), ink = style.getPropertyValue("--weight-colour").split(",").map(Number);
    const context = canvas.getContext("2d"), [rows, columns] = [map.rows.length, map.columns.length];
    const image = context.createImageData(columns, rows);
    let most = 1;
    for (let at = head * rows * columns; at < (head + 1) * rows * columns; at += 1) most = Math.max(most, map.bytes[at]);
    for (let at = 0; at < rows * columns; at += 1) {
      image.data.set(ink, 4 * at);
      image.data[4 * at + 3] = (255 * map.bytes[head * rows * columns + at]) / most;
    }
    context.putImageData(image, 0, 0);
  }

  recolour() {
    for (const row of all("[data-map]")) all("button", row).forEach((button, head) => this.paint(one("canvas", button), this.maps[Number(row.dataset.map)], head));
    this.paint(this.canvas, this.map, this.head);
  }

  choose(number, head) {
    this.map = this.maps[number];
    this.head = head;
    for (const row of all("[data-map]")) for (const button of all("button", row)) {
      button.setAttribute("aria-pressed", String(Number(row.dataset.map) === number && Number(button.dataset.head) === head));
    }
    this.row = Math.min(this.row ?? Infinity, this.map.rows.length - 1);
    this.canvas = make("canvas", { width: this.map.columns.length, height: this.map.rows.length, role: "img", "aria-label": `${this.map.name}, head ${head}` });
    this.canvas.style.aspectRatio = `${this.map.columns.length} / ${this.map.rows.length}`;
    this.canvas.addEventListener("click", (event) => {
      const box = this.canvas.getBoundingClientRect();
      this.look(Math.min(this.map.rows.length - 1, Math.floor(((event.clientY - box.top) / box.height) * this.map.rows.length)));
    });
    this.select = make("select", { onchange: () => this.look(Number(this.select.value)) }, ...this.map.rows.map((name, n) => make("option", { value: n }, `${n}: ${name}`)));
    this.list = make("div");
    this.large.hidden = false;
    this.large.replaceChildren(
      make("div", {}, make("h2", {}, `${this.map.name}, head ${head}`), this.framed()),
      make("div", {}, make("label", {}, "The token that asks ", this.select), this.list));
    this.paint(this.canvas, this.map, head);
    this.look(this.row);
  }

  // The large map, with its tokens along both sides where there is room for them.
  framed() {
    const { rows, columns } = this.map;
    if (Math.max(rows.length, columns.length) > LABELLED) return this.canvas;
    const side = (names, name) => make("div", { class: name, "aria-hidden": "true" }, ...names.map((each) => make("span", {}, each)));
    return make("div", { class: "framed" }, make("span"), side(columns, "above"), side(rows, "beside"), this.canvas);
  }

  weight(row, column) {
    const [rows, columns] = [this.map.rows.length, this.map.columns.length];
    return this.map.bytes[(this.head * rows + row) * columns + column] / this.data.steps;
  }

  look(row) {
    this.row = row;
    this.select.value = row;
    const exact = row === this.map.rows.length - 1, { decimals } = this.data, { type } = this.map;
    const own = this.map.columns.map((name, column) => ({ name, column, value: exact ? Number(this.map.last[this.head][column]) : this.weight(row, column) }));
    own.sort((a, b) => b.value - a.value || a.column - b.column);
    const error = numberText(0.5 / this.data.steps, 4);
    const rows = own.slice(0, SHOWN).map(({ name, column, value }) => make("tr", {},
      make("th", { scope: "row" }, `${column}: ${name}`),
      make("td", {}, exact ? numberText(value, decimals, type) : `≈ ${numberText(value, 3)}`),
      exact ? make("td", {}, this.arithmetic(column)) : ""));
    const head = make("tr", {}, make("th", { scope: "col" }, "answers"), make("th", { scope: "col" }, "weight"), exact ? make("th", { scope: "col" }, "worked out") : "");
    this.list.replaceChildren(
      make("p", { class: "note" }, exact
        ? "The last token: these weights are exact, as the model computed them."
        : `Kept in ${this.data.steps} steps: each weight is off by ${error} at most. Those of the last token are exact.`),
      make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "What answers" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))),
      own.length > SHOWN ? make("p", { class: "note" }, `… and ${own.length - SHOWN} more, together ${numberText(own.slice(SHOWN).reduce((sum, { value }) => sum + value, 0), 3)}`) : "");
  }

  // A weight of the last row from its score, as the recorded equation made it.
  arithmetic(column) {
    const show = (value) => numberText(Number(value), this.data.decimals, "f"), { scores, largest, totals } = this.map;
    const score = show(scores[this.head][column]), most = show(largest[this.head]), total = totals[this.head];
    return `exp(${score} − ${most.startsWith(MINUS) ? `(${most})` : most}) / ${show(total)}`;
  }
}

unpacked(one("#data").textContent).then((data) => {
  window.workings = { model: new Model(data) };
  document.body.dataset.ready = "";
});
