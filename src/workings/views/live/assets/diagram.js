// The parts of a computation in their order, with what each reads from earlier ones; a click leads to it.

const BOX = { width: 190, height: 26, gap: 16, left: 8 }, FEWEST = 3, MOST_BOXES = 24, BEAT = 700;

class Diagram {
  constructor(state, place) {
    this.state = state;
    this.figure = make("figure", { class: "diagram" });
    place.append(this.figure);
    this.timer = 0;
  }

  // The part that a node belongs to: the first names of its address. As few names as tell enough parts apart.
  build() {
    clearTimeout(this.timer);
    const parts = [1, 2, 3].map((depth) => this.parts(depth)).find((found) => found.length >= FEWEST && found.length <= MOST_BOXES);
    this.figure.hidden = !parts;
    if (!parts) return;
    this.boxes = parts;
    const height = parts.length * (BOX.height + BOX.gap), arcs = this.arcs(parts);
    const svg = draw("svg", { viewBox: `0 0 330 ${height}`, role: "group", "aria-label": "The parts in their order" });
    for (const [from, to, lane] of arcs) svg.append(this.arc(from, to, lane));
    this.drawn = parts.map((part, n) => {
      const box = draw("g", { class: "part", tabindex: 0, role: "link", "aria-label": part.name, onclick: () => this.open(part), onkeydown: (event) => { if (event.key === "Enter") this.open(part); } },
        draw("rect", { x: BOX.left, y: this.top(n), width: BOX.width, height: BOX.height, rx: 5 }),
        draw("text", { x: BOX.left + BOX.width / 2, y: this.top(n) + 17, "text-anchor": "middle" }, part.label));
      svg.append(box);
      return box;
    });
    const play = make("button", { type: "button", onclick: () => this.play(0) }, "Run it");
    this.figure.replaceChildren(make("figcaption", {}, make("span", { class: "name" }, "The parts"), " ", play), svg);
  }

  parts(depth) {
    const found = new Map();
    this.state.program.nodes.forEach((node, n) => {
      const names = node.n.split(" › ")[0].split(".");
      if (names.length <= depth || (node.k === "given" && names.length <= depth + 1 && !found.has(names.slice(0, depth).join(".")))) return;
      const name = names.slice(0, depth).join(".");
      if (/^line\d+$/.test(names[depth - 1])) return; // a line of code is no part
      if (!found.has(name)) found.set(name, { name, label: names.slice(Math.max(0, depth - 2), depth).join(" ").replaceAll("_", " "), nodes: new Set() });
      found.get(name).nodes.add(n);
    });
    return [...found.values()];
  }

  top(n) { return n * (BOX.height + BOX.gap) + BOX.gap / 2; }

  // Which part reads which: a straight arrow to the next, an arc past others, as residual connections go.
  arcs(parts) {
    const owner = new Map(), out = new Map(), lanes = [];
    parts.forEach((part, n) => { for (const node of part.nodes) owner.set(node, n); });
    parts.forEach((part, to) => {
      for (const node of part.nodes) for (const [source] of this.state.program.nodes[node].i ?? []) {
        for (const from of this.sources(source, owner)) if (from < to) out.set(`${from},${to}`, [from, to]);
      }
    });
    return [...out.values()].sort((a, b) => a[1] - a[0] - (b[1] - b[0])).map(([from, to]) => {
      if (to === from + 1) return [from, to, 0];
      let lane = 1;
      while (lanes.some(([start, end, taken]) => taken === lane && start < to && end > from)) lane += 1;
      lanes.push([from, to, lane]);
      return [from, to, lane];
    });
  }

  // The parts behind a node; one that belongs to none, such as a residual sum, leads on to those behind its inputs.
  sources(node, owner) {
    const found = new Set(), seen = new Set(), open = [node];
    while (open.length) {
      const at = open.pop();
      if (seen.has(at)) continue;
      seen.add(at);
      if (owner.has(at)) found.add(owner.get(at));
      else for (const [next] of this.state.program.nodes[at].i ?? []) open.push(next);
    }
    return found;
  }

  arc(from, to, lane) {
    const x = BOX.left + BOX.width, start = this.top(from) + BOX.height, end = this.top(to);
    if (!lane) return draw("path", { class: "flow", d: `M${BOX.left + BOX.width / 2} ${start}V${end - 4}`, "marker-end": "none" });
    const out = x + 10 + 13 * Math.min(lane, 8), y1 = start - BOX.height / 2, y2 = end + BOX.height / 2;
    return draw("path", { class: "flow past", d: `M${x} ${y1}C${out} ${y1} ${out} ${y1} ${out} ${(y1 + y2) / 2}S${out} ${y2} ${x + 3} ${y2}` });
  }

  open(part) {
    const figures = all("article:not([hidden]) [data-name], article:not([hidden]) [data-path]");
    lead(figures.find((each) => (each.dataset.name ?? each.dataset.path ?? "").startsWith(part.name)));
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
    this.boxes.forEach((part, n) => this.drawn[n].classList.toggle("moved", [...part.nodes].some((node) => !machine.same(node))));
  }
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
    this.svg = draw("svg", { viewBox: "-1.45 -1.45 2.9 2.9", role: "img", "aria-label": `${shortest(this.state, this.node)} on the unit circle` });
    this.figure.replaceChildren(make("figcaption", {}, make("span", { class: "name" }, shortest(this.state, this.node)), " on the unit circle: each step turns by the same angle"), this.svg);
  }

  refresh() {
    if (this.figure.hidden) return;
    const values = this.state.machine.values[this.node], rows = this.state.program.nodes[this.node].s[0], parts = [draw("circle", { class: "rim", cx: 0, cy: 0, r: 1 })];
    for (let row = 0; row < rows; row += 1) {
      const [sine, cosine] = [values[2 * row], values[2 * row + 1]];
      parts.push(draw("line", { class: `given c${row % 8}`, x1: 0, y1: 0, x2: cosine, y2: -sine }));
      parts.push(draw("circle", { class: `handle c${row % 8}`, cx: cosine, cy: -sine, r: 0.06, onclick: () => this.look(this.node, 2 * row) }));
      parts.push(draw("text", { x: 1.22 * cosine, y: -1.22 * sine + 0.05, "text-anchor": "middle" }, String(row)));
    }
    this.svg.replaceChildren(...parts);
  }
}
