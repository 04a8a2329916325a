// Tokens as arrows in the plane of two named axes: what is given is dragged, what was made of it follows.

const SIZE = 320, EDGE = 38;

// Of the names of a value, the one that a reader would use: the shortest, and of those the last.
function shortest(state, node) {
  const names = state.program.named.filter(({ at }) => at[0] === node && !at[1]).map(({ n }) => n);
  const depth = (name) => name.split(".").length;
  return names.reduce((best, name) => (depth(name) <= depth(best) ? name : best), names[0]);
}

class Plane {
  // Which values share the plane of the first one: the same labels along both axes, two columns.
  static of(state) {
    const seen = new Set(), values = [];
    for (const { n, at } of state.program.named) {
      const [node, start, shape] = at, about = state.program.nodes[node];
      if (about.t === "i" || about.t === "b" || shape.length !== 2 || shape[1] !== 2 || start || !about.l || about.l[1] === null) continue;
      const rows = about.l[0];
      if (rows === null || seen.has(node) || !state.machine.recorded[node].every(Number.isFinite)) continue;
      seen.add(node);
      values.push({ name: n, node, rows, columns: about.l[1] });
    }
    const sentence = values.find((value) => state.program.words.some((each) => each.node === value.node));
    const base = sentence ?? values.find((value) => state.program.nodes[value.node].k === "given");
    if (!base) return null;
    base.name = shortest(state, base.node);
    const made = (value) => !["given", "take", "gather", "same"].includes(state.program.nodes[value.node].k);
    const others = values.filter((value) => value !== base && value.rows === base.rows && value.columns === base.columns && made(value));
    for (const other of others) other.name = shortest(state, other.node);
    return { base, others };
  }

  constructor(state, place, look) {
    this.state = state;
    this.look = look;
    this.chosen = "";
    this.figure = make("figure", { class: "plane" });
    place.append(this.figure);
    this.dragged = null;
  }

  build() {
    this.found = Plane.of(this.state);
    this.figure.hidden = !this.found;
    if (!this.found) return;
    const { base, others } = this.found;
    if (!others.some((other) => other.name === this.chosen)) this.chosen = (others.find(({ name }) => name.endsWith("output")) ?? others[0])?.name ?? "";
    const options = others.map((other) => make("option", { value: other.name, selected: other.name === this.chosen }, other.name));
    const select = make("select", { "aria-label": "What it is compared with", onchange: () => { this.chosen = select.value; this.refresh(); } }, ...options);
    this.svg = draw("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "group", "aria-label": `${base.name} in the plane` });
    this.missing = make("p", { class: "undrawn error" });
    this.pen = penOf(this.figure);
    this.figure.replaceChildren(
      make("figcaption", {}, make("span", { class: "name" }, base.name), options.length ? " and, broken, " : "", options.length ? select : ""),
      this.svg, this.missing, make("p", { class: "note" }, "Drag the end of an arrow, or choose it and press the arrow keys."));
    this.arrows = [];
    this.refresh();
  }

  // The corner of the plane and how many units it shows: wide enough for every arrow, kept while one is dragged.
  frame() {
    if (this.dragged !== null && this.scale) return;
    const numbers = [this.found.base, this.other()].filter(Boolean).flatMap(({ node }) => Array.from(this.state.machine.values[node])).filter(drawable);
    const least = Math.min(0, ...numbers), most = Math.max(0, ...numbers), pad = (most - least || 1) * 0.1;
    this.scale = { from: least < 0 ? least - pad : 0, to: most + pad };
  }

  other() { return this.found.others.find((other) => other.name === this.chosen); }

  x(value) { const { from, to } = this.scale; return EDGE + ((value - from) / (to - from)) * (SIZE - EDGE - 14); }
  y(value) { const { from, to } = this.scale; return SIZE - EDGE - ((value - from) / (to - from)) * (SIZE - EDGE - 14); }

  // Where the rows of a value are drawn; null for those that cannot be.
  ends(node) {
    const values = this.state.machine.values[node];
    return Array.from({ length: values.length / 2 }, (_, row) => {
      const pair = values.slice(2 * row, 2 * row + 2);
      return pair.every(drawable) ? [this.x(pair[0]), this.y(pair[1])] : null;
    });
  }

  refresh() {
    if (!this.found) return;
    this.frame();
    const focused = this.arrows.indexOf(document.activeElement), { base } = this.found, other = this.other();
    const [rows, columns] = labelsOf(this.state, base.node), values = this.state.machine.values[base.node];
    const ends = this.ends(base.node), made = other ? this.ends(other.node) : [], corner = [this.x(0), this.y(0)];
    const parts = this.axes(columns), missing = [], edges = ["from", "to"].map((end) => this.scale[end]);
    const lines = [edges.map((end) => [this.x(end), corner[1]]), edges.map((end) => [corner[0], this.y(end)])]; // the axes
    const line = (kind, row, from, to) => {
      lines.push([from, to]);
      parts.push(draw("line", { class: `${kind} c${row % 8}`, x1: from[0], y1: from[1], x2: to[0], y2: to[1] }));
    };
    made.forEach((to, row) => {
      if (!to) { missing.push(`${other.name}[${rows[row]}]`); return; }
      if (ends[row]) line("made", row, ends[row], to);
      parts.push(draw("circle", { class: `made c${row % 8}`, cx: to[0], cy: to[1], r: 4 }, draw("title", {}, `${other.name}[${rows[row]}]`)));
    });
    ends.forEach((to, row) => { if (to) line("given", row, corner, to); else missing.push(`${base.name}[${rows[row]}]`); });
    const labels = new Labels(this.pen, SIZE, [...ends, ...made].filter(Boolean), lines, parts.filter(({ tagName }) => tagName === "text"));
    this.arrows = ends.map((to, row) => {
      if (!to) return null;
      const name = rows[row], handle = draw("circle", {
        class: `handle c${row % 8}`, cx: to[0], cy: to[1], r: 8, tabindex: 0, role: "slider", "aria-label": `${name}: ${columns[0]} and ${columns[1]}`,
        "aria-valuenow": values[2 * row], "aria-valuetext": `${columns[0]} ${shownNumber(this.state, base.node, 2 * row)}, ${columns[1]} ${shownNumber(this.state, base.node, 2 * row + 1)}`,
        onpointerdown: (event) => this.grab(event, row), onkeydown: (event) => this.key(event, row),
        onfocus: () => this.look(base.node, 2 * row),
      });
      parts.push(...labels.write(to, name));
      return handle;
    });
    this.svg.replaceChildren(...parts, ...this.arrows.filter(Boolean));
    this.missing.textContent = undrawn(missing);
    if (focused >= 0) this.arrows[focused]?.focus({ preventScroll: true });
  }

  axes(columns) {
    const { from, to } = this.scale, parts = [], step = this.step(to - from);
    for (let count = Math.ceil(from / step); count * step <= to; count += 1) {
      const value = Number((count * step).toPrecision(9)), class_ = value === 0 ? "zero" : "grid", text = tick(value);
      parts.push(draw("line", { class: class_, x1: this.x(value), x2: this.x(value), y1: this.y(from), y2: this.y(to) }));
      parts.push(draw("line", { class: class_, y1: this.y(value), y2: this.y(value), x1: this.x(from), x2: this.x(to) }));
      parts.push(draw("text", { class: "tick", x: this.x(value), y: this.y(from) + 18, "text-anchor": "middle" }, text));
      if (value !== 0 || from < 0) parts.push(draw("text", { class: "tick", x: this.x(from) - 10, y: this.y(value) + 4, "text-anchor": "end" }, text));
    }
    parts.push(draw("text", { class: "axis", x: SIZE - 14, y: SIZE - 4, "text-anchor": "end" }, columns[0]));
    parts.push(draw("text", { class: "axis", x: 4, y: 11 }, columns[1]));
    return parts;
  }

  step(range) {
    const rough = range / 5, power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((n) => n * power).find((each) => each >= rough);
  }

  // Where in the plane a pointer is.
  point(event) {
    const box = this.svg.getBoundingClientRect(), { from, to } = this.scale, unit = (SIZE - EDGE - 14) / (to - from);
    const x = ((event.clientX - box.left) / box.width) * SIZE, y = ((event.clientY - box.top) / box.height) * SIZE;
    const round = (value) => Number(value.toFixed(2));
    return [round((x - EDGE) / unit + from), round((SIZE - EDGE - y) / unit + from)];
  }

  grab(event, row) {
    event.preventDefault();
    this.dragged = row;
    this.state.begin();
    this.arrows[row].focus({ preventScroll: true });
    const move = (to) => { this.wanted = this.point(to); this.later(row); };
    const end = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
      if (this.wanted) { this.put(row, ...this.wanted); this.wanted = null; }
      this.dragged = null;
      this.refresh();
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  }

  // At most one update a frame.
  later(row) {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      if (this.wanted) { const to = this.wanted; this.wanted = null; this.put(row, ...to); }
    });
  }

  put(row, x, y) {
    const { node } = this.found.base;
    [x, y].forEach((value, column) => this.state.put(...this.state.reader.origin(node, 2 * row + column), value));
    this.state.tell("drag");
  }

  key(event, row) {
    const by = event.shiftKey ? 0.01 : 0.1, steps = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, by], ArrowDown: [0, -by] };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const values = this.state.machine.values[this.found.base.node], [dx, dy] = steps[event.key];
    this.state.begin();
    this.put(row, Number((values[2 * row] + dx).toFixed(10)), Number((values[2 * row + 1] + dy).toFixed(10)));
  }
}

const tick = (value) => String(value).replace("-", MINUS);

// The words of a sentence: each can be replaced by another of the table, or change places with its neighbour.
class Sentence {
  constructor(state, place) {
    this.state = state;
    this.place = place;
    this.box = make("div", { class: "words" });
    place.append(this.box);
  }

  refresh() {
    const words = this.state.program.words.find(({ given }) => given), inside = this.box.contains(document.activeElement);
    this.box.hidden = !words;
    if (!words) return;
    const focused = inside ? all("select, button", this.box).indexOf(document.activeElement) : -1;
    const [node, start, shape] = words.ids, table = this.state.program.labels[words.table], ids = this.state.machine.values[node];
    const count = size(shape), chips = [];
    for (let at = 0; at < count; at += 1) {
      const select = make("select", { "aria-label": `Word ${at + 1}`, onchange: () => this.state.set([[node, start + at, Number(select.value)]]) },
        ...table.map((word, id) => make("option", { value: id, selected: id === ids[start + at] }, word)));
      chips.push(select);
      if (at + 1 < count) chips.push(make("button", {
        type: "button", class: "swap", "aria-label": `Words ${at + 1} and ${at + 2} change places`, title: "change places",
        onclick: () => this.state.set([[node, start + at, ids[start + at + 1]], [node, start + at + 1, ids[start + at]]]),
      }, "⇄"));
    }
    this.box.replaceChildren(make("span", { class: "name", id: "sentence-name" }, "The sentence"), ...chips);
    if (focused >= 0) all("select, button", this.box)[focused]?.focus();
  }
}

// Every map of weights that tokens give to tokens, small, side by side.
class Maps {
  constructor(state, place, look) {
    this.state = state;
    this.look = look;
    this.box = make("div", { class: "maps" });
    place.append(this.box);
    this.maps = [];
  }

  build() {
    const seen = new Set(), figures = all('article[data-depth="steps"] figure.weights[data-at]');
    this.maps = [];
    for (const figure of figures) {
      const [node, start] = figure.dataset.at.split(",").map(Number), about = this.state.program.nodes[node];
      if (about.s.length !== 2 || seen.has(node) || size(about.s) > 1024) continue;
      const names = (part) => all(`${part} th`, figure).map((each) => each.textContent).filter(Boolean).join("\n");
      if (!figure.dataset.name.endsWith("weights") && names("thead") !== names("tbody")) continue; // shares of something else
      seen.add(node);
      this.maps.push(this.one(node, start, figure.dataset.name, about.s));
    }
    this.box.hidden = this.maps.length < 2;
    this.box.replaceChildren(make("h2", {}, "Weights side by side"), make("p", { class: "note" }, "A row asks, a column answers."), make("div", { class: "row" }, ...this.maps.map((map) => map.figure)));
  }

  one(node, start, name, [rows, columns]) {
    const cells = [], side = 100 / Math.max(rows, columns), svg = draw("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" });
    for (let row = 0; row < rows; row += 1) for (let column = 0; column < columns; column += 1) {
      const cell = draw("rect", { x: column * side, y: row * side, width: side - 1, height: side - 1 }, draw("title", {}));
      cell.addEventListener("click", () => this.look(node, start + row * columns + column));
      cells.push(cell);
    }
    svg.append(...cells);
    const missing = make("span", { class: "error" });
    return { node, start, cells, missing, figure: make("figure", {}, svg, make("figcaption", {}, ...breakable(name), missing)) };
  }

  refresh() {
    for (const { node, start, cells, missing } of this.maps) {
      const values = this.state.machine.values[node], most = largest(values), own = values.slice(start, start + cells.length);
      missing.textContent = own.every(drawable) ? "" : " (white where it is not finite)";
      cells.forEach((cell, n) => {
        cell.style.setProperty("--weight", most > 0 && own[n] > 0 && drawable(own[n]) ? own[n] / most : 0);
        cell.firstChild.textContent = `${addressOf(this.state, node, start + n)} = ${shownNumber(this.state, node, start + n)}`;
      });
    }
  }
}

const LEAST = 1e-3; // an epsilon is no number to play with

// Given numbers that stand alone, such as a temperature: each with a slider, and to be typed as in the text.
class Dials {
  constructor(state, place, tables) {
    this.state = state;
    this.tables = tables;
    this.box = make("div", { class: "dials" });
    place.append(this.box);
  }

  build() {
    const nodes = this.state.program.nodes, fixed = new Set(nodes.flatMap((node) => [...(node.k === "map" ? [] : node.i ?? []), ...(node.w ?? [])].map((view) => view[0])));
    // A whole number is one to play with where it is computed with, and is no axis, no size and no place.
    const whole = (n) => nodes[n].t === "i" && !fixed.has(n) && nodes.some((node) => node.k === "map" && node.i.some((view) => view[0] === n));
    this.dials = nodes.flatMap((node, n) => (node.k === "given" && (node.t === "f" || whole(n)) && node.b && !node.made && size(node.s) === 1 && Math.abs(node.v[0]) >= LEAST ? [this.one(n)] : []));
    this.box.hidden = !this.dials.length;
    this.box.replaceChildren(...this.dials.map((dial) => dial.box));
  }

  one(node) {
    const about = this.state.program.nodes[node], value = this.state.machine.recorded[node][0], name = shortest(this.state, node) ?? about.n;
    const whole = about.t === "i", [least, most, step] = this.ends(value, whole, about.r);
    const output = make("output"), slider = make("input", { type: "range", min: least, max: most, step, "aria-label": name });
    slider.addEventListener("pointerdown", () => this.state.begin());
    slider.addEventListener("keydown", () => this.state.begin());
    slider.addEventListener("input", () => { this.state.put(node, 0, Number(slider.value)); this.state.tell("drag"); });
    slider.addEventListener("focus", () => this.tables.look(node, 0));
    this.tables.scalar(output, node, 0);
    return { node, slider, box: make("div", {}, make("span", { class: "name" }, ...breakable(name)), slider, output) };
  }

  // Where a slider begins and ends, and its step: all of a range that has two ends, else what lies around the number.
  ends(value, whole, range = {}) {
    const around = whole ? Math.min(1, 3 * value) : value > 0 ? value / 10 : 3 * value - 1, most = range.most ?? (value > 0 ? 4 * value : 1);
    const least = range.most === undefined ? Math.max(around, range.least ?? -Infinity) : range.least, step = whole ? 1 : (most - least) / 200;
    return [range.above && least === range.least ? least + step : least, most, step];
  }

  refresh() {
    for (const { node, slider } of this.dials) slider.value = this.state.machine.values[node][0];
  }
}
