// The parts of a computation in their order, joined to the parts whose results they take; a click leads to one.

const BOX = { width: 190, height: 26, gap: 18, left: 8, lane: 13, narrowest: 330 }, BEAT = 700, ROUND_SIZE = 240;

class Diagram {
  constructor(state, place) {
    this.state = state;
    this.figure = make("figure", { class: "diagram" });
    place.append(this.figure);
    this.timer = 0;
  }

  build() {
    clearTimeout(this.timer);
    this.parts = this.state.program.parts.map((part) => ({ ...part, nodes: ranges(part.at) }));
    this.figure.hidden = !this.parts.length;
    if (!this.parts.length) return;
    const trunks = this.trunks(), width = Math.max(BOX.narrowest, this.lane(Math.max(0, ...trunks.map(({ lane }) => lane)) + 1));
    const svg = draw("svg", { viewBox: `0 0 ${width} ${this.top(this.parts.length)}`, role: "group", "aria-label": "The parts in their order" }, ...this.flows(trunks));
    this.drawn = this.parts.map((part, n) => {
      const from = part.i.map((at) => this.parts[at].l).join(", ");
      const box = draw("g", { class: "part", tabindex: 0, role: "link", "aria-label": from ? `${part.l}: takes ${from}` : part.l, onclick: () => this.open(part), onkeydown: (event) => { if (event.key === "Enter") this.open(part); } },
        draw("rect", { x: BOX.left, y: this.top(n), width: BOX.width, height: BOX.height, rx: 5 }),
        draw("text", { x: BOX.left + BOX.width / 2, y: this.top(n) + 17, "text-anchor": "middle" }, part.l));
      svg.append(box);
      return box;
    });
    const play = make("button", { type: "button", onclick: () => this.play(0) }, "Run it");
    this.figure.replaceChildren(make("figcaption", {}, make("span", { class: "name" }, "The parts"), " ", play), svg);
  }

  top(n) { return n * (BOX.height + BOX.gap) + BOX.gap / 2; }

  lane(n) { return BOX.left + BOX.width + 8 + BOX.lane * n; }

  // What a part hands to others than the next goes down beside them, in a lane of its own; the shortest ways are nearest.
  trunks() {
    const found = this.parts.map((_, from) => ({ from, to: this.parts.flatMap(({ i }, to) => (i.includes(from) && to !== from + 1 ? [to] : [])) }))
      .filter(({ to }) => to.length).map((trunk) => ({ ...trunk, start: Math.min(trunk.from, ...trunk.to), end: Math.max(trunk.from, ...trunk.to) }));
    found.sort((a, b) => a.end - a.start - (b.end - b.start));
    found.forEach((trunk, n) => {
      const taken = found.slice(0, n).filter(({ start, end }) => start < trunk.end && end > trunk.start).map(({ lane }) => lane);
      trunk.lane = 1;
      while (taken.includes(trunk.lane)) trunk.lane += 1;
    });
    return found;
  }

  // An arrow to the next part; those past others leave a box low on its right side and come in above that.
  flows(trunks) {
    const out = [], middle = BOX.left + BOX.width / 2, edge = BOX.left + BOX.width;
    this.parts.forEach(({ i }, n) => { if (i.includes(n - 1)) out.push(draw("path", { class: "flow", d: `M${middle} ${this.top(n) - BOX.gap}V${this.top(n) - 2}m-4-5l4 5 4-5` })); });
    for (const { from, to, lane } of trunks) {
      const x = this.lane(lane), leaves = this.top(from) + BOX.height - 5;
      const comes = to.map((at) => {
        const others = trunks.filter((each) => each.to.includes(at)), place = others.findIndex((each) => each.from === from);
        return this.top(at) + 5 + (12 * place) / others.length;
      });
      out.push(draw("path", { class: "flow", d: `M${edge} ${leaves}H${x}${comes.map((y) => `M${x} ${leaves}V${y}H${edge + 2}m5-4l-5 4 5 4`).join("")}` }));
    }
    return out;
  }

  // To its heading; where it has none, to the first of its numbers.
  open(part) {
    const here = all("article:not([hidden]) :is([data-path], [data-at])");
    lead(here.find(({ dataset }) => dataset.path === part.n) ?? here.find(({ dataset }) => part.nodes.includes(parseInt(dataset.at, 10))));
  }

  // One part after the other lights up, as they run.
  play(at) {
    this.drawn.forEach((box, n) => box.classList.toggle("lit", n === at));
    clearTimeout(this.timer);
    if (at < this.drawn.length) this.timer = setTimeout(() => this.play(at + 1), BEAT);
  }

  // Parts in which something has changed are marked.
  refresh() {
    if (this.figure.hidden) return;
    const { machine } = this.state;
    this.parts.forEach(({ nodes }, n) => this.drawn[n].classList.toggle("moved", nodes.some((node) => !machine.same(node))));
  }
}

// Every number of runs that are written as their first and their last.
function ranges(ends) {
  const out = [];
  for (let at = 0; at < ends.length; at += 2) for (let n = ends[at]; n <= ends[at + 1]; n += 1) out.push(n);
  return out;
}

// Rows of two numbers that lie on the unit circle, as sine and cosine of one frequency do.
class Circle {
  constructor(state, place, look) {
    this.state = state;
    this.look = look;
    this.figure = make("figure", { class: "plane circle" });
    place.append(this.figure);
  }

  build() {
    const on = ({ at: [node, start, shape] }) => {
      if (start || shape.length !== 2 || shape[1] !== 2 || shape[0] < 2 || this.state.program.nodes[node].t === "i") return false;
      const values = this.state.machine.recorded[node];
      return Array.from({ length: shape[0] }, (_, row) => Math.abs(values[2 * row] ** 2 + values[2 * row + 1] ** 2 - 1) < 1e-9).every(Boolean)
        && new Set(values).size > 4;
    };
    this.found = this.state.program.named.find(on);
    this.figure.hidden = !this.found;
    if (!this.found) return;
    this.node = this.found.at[0];
    this.pen = penOf(this.figure);
    this.drawn = "";
    this.svg = draw("svg", { viewBox: `0 0 ${ROUND_SIZE} ${ROUND_SIZE}`, role: "img", "aria-label": `${shortest(this.state, this.node)} on the unit circle` });
    this.missing = make("p", { class: "undrawn error" });
    this.figure.replaceChildren(make("figcaption", {}, make("span", { class: "name" }, shortest(this.state, this.node)), " on the unit circle: each step turns by the same angle"), this.svg, this.missing);
  }

  refresh() {
    if (this.figure.hidden) return;
    const values = this.state.machine.values[this.node], drawn = values.join();
    if (drawn === this.drawn) return; // as it is in most steps of a drag
    this.drawn = drawn;
    const rows = this.state.program.nodes[this.node].s[0], middle = ROUND_SIZE / 2, radius = 0.36 * ROUND_SIZE;
    const at = (right, up) => [middle + radius * right, middle - radius * up], missing = [], points = [];
    for (let row = 0; row < rows; row += 1) {
      const [sine, cosine] = [values[2 * row], values[2 * row + 1]];
      if (drawable(sine) && drawable(cosine)) points.push({ row, to: at(cosine, sine), away: [cosine, -sine] });
      else missing.push(row);
    }
    const corners = Array.from({ length: 33 }, (_, n) => at(Math.cos((n * Math.PI) / 16), Math.sin((n * Math.PI) / 16)));
    const lines = [...points.map(({ to }) => [[middle, middle], to]), ...corners.slice(1).map((to, n) => [corners[n], to])];
    const labels = new Labels(this.pen, ROUND_SIZE, points.map(({ to }) => to), lines);
    this.svg.replaceChildren(draw("circle", { class: "rim", cx: middle, cy: middle, r: radius }),
      ...points.map(({ row, to: [x, y] }) => draw("line", { class: `given c${row % 8}`, x1: middle, y1: middle, x2: x, y2: y })),
      ...points.flatMap(({ row, to, away }) => labels.write(to, String(row), away)),
      ...points.map(({ row, to: [x, y] }) => draw("circle", { class: `handle c${row % 8}`, cx: x, cy: y, r: 5, onclick: () => this.look(this.node, 2 * row) })));
    this.missing.textContent = undrawn(missing);
  }
}
