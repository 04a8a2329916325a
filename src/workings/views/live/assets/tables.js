// The size of the largest number, of those that are finite.
const largest = (values) => values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);

// The numbers in the text: filled from the machine, moved through with the arrow keys, changed by typing.

class Tables {
  constructor(state, place, look) {
    this.state = state;
    this.place = place;
    this.look = look; // called with node and place when a number is looked at
  }

  // Take up the numbers of the text as it stands now.
  build() {
    this.figures = all("figure.value[data-at]", this.place).map((figure) => this.read(figure));
    this.scalars = [];
    for (const output of all("output[data-at]", this.place)) this.scalar(output, ...output.dataset.at.split(",").map(Number));
    this.observer?.disconnect();
    this.seen = new Set(); // what is on the screen, or nearly
    this.observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) this.seen.add(target); else this.seen.delete(target);
    }, { rootMargin: "200px" });
    for (const figure of this.figures) { this.wire(figure); this.observer.observe(figure.figure); }
  }

  read(figure) {
    const [node, start] = figure.dataset.at.split(",").map(Number);
    const cells = all("td[data-p]", figure).map((cell) => ({ cell, place: start + Number(cell.dataset.p) }));
    const weights = figure.classList.contains("weights");
    return { figure, node, start, cells, weights, shaded: weights || figure.classList.contains("heat") };
  }

  wire(table) {
    table.cells.forEach(({ cell, place }, number) => {
      cell.tabIndex = number ? -1 : 0;
      cell.addEventListener("focus", () => this.focus(table, cell, place));
      cell.addEventListener("click", () => cell.focus());
      cell.addEventListener("dblclick", () => this.edit(table.node, place, cell));
      cell.addEventListener("keydown", (event) => this.key(event, table, cell, place));
    });
    this.orient(table);
  }

  scalar(output, node, start) {
    this.scalars.push({ output, node, start });
    output.tabIndex = 0;
    output.setAttribute("role", "button");
    output.addEventListener("focus", () => this.look(node, start));
    output.addEventListener("click", () => output.focus());
    output.addEventListener("dblclick", () => this.edit(node, start, output));
    output.addEventListener("keydown", (event) => this.changeByKey(event, node, start, output));
  }

  // Every map says which way it is read.
  orient(table) {
    if (!table.weights || one("tr:nth-child(2)", one("tbody", table.figure)) === null) return;
    for (const grid of all("table", table.figure)) grid.setAttribute("aria-description", "A row asks, a column answers.");
  }

  focus(table, cell, place) {
    for (const each of table.cells) each.cell.tabIndex = each.cell === cell ? 0 : -1;
    for (const each of all("td.looked, th.looked")) each.classList.remove("looked");
    cell.classList.add("looked");
    const row = cell.parentElement, column = [...row.children].indexOf(cell);
    row.querySelector("th")?.classList.add("looked");
    const heads = cell.closest("table").tHead?.rows[0]?.cells;
    heads?.[column]?.classList.add("looked");
    this.look(table.node, place);
  }

  key(event, table, cell, place) {
    const row = [...cell.parentElement.querySelectorAll("td[data-p]")], column = row.indexOf(cell);
    const next = (line) => line && [...line.querySelectorAll("td[data-p]")][column];
    const to = {
      ArrowLeft: row[column - 1], ArrowRight: row[column + 1], Home: row[0], End: row[row.length - 1],
      ArrowUp: next(cell.parentElement.previousElementSibling), ArrowDown: next(cell.parentElement.nextElementSibling),
    };
    if (event.key in to && event.target === cell && !event.altKey) {
      event.preventDefault();
      to[event.key]?.focus();
    } else this.changeByKey(event, table.node, place, cell);
  }

  changeByKey(event, node, place, cell) {
    if (event.target !== cell || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === "F2" || /^[\d.,−-]$/.test(event.key)) {
      event.preventDefault();
      this.edit(node, place, cell, /^[\d.,]$/.test(event.key) ? event.key : event.key === "-" || event.key === "−" ? "-" : null);
    } else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      this.nudge(node, place, (event.key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? 0.01 : 0.1));
    } else if (event.key === "Delete" || event.key === "Backspace") this.letGo(node, place);
  }

  // What a change of a shown number changes: the number that it came from.
  target(node, place) { return this.state.reader.origin(node, place); }

  nudge(node, place, by) {
    const [from, at] = this.target(node, place), about = this.state.program.nodes[from];
    if (about.t === "b") return;
    const value = Number((this.state.machine.values[from][at] + (about.t === "i" ? Math.sign(by) : by)).toFixed(12));
    if (takes(value, about)) this.state.set([[from, at, value]]);
  }

  letGo(node, place) {
    const [from, at] = this.target(node, place), name = this.state.program.nodes[from].n;
    if (!this.state.changes.some((each) => each.n === name && each.p === at)) return;
    this.state.begin();
    this.state.changes = this.state.changes.filter((each) => !(each.n === name && each.p === at));
    this.state.tell("set");
  }

  edit(node, place, cell, begin = null) {
    const [from, at] = this.target(node, place), about = this.state.program.nodes[from], type = about.t;
    if (cell.querySelector("input")) return;
    const before = this.state.machine.values[from][at];
    const input = make("input", {
      type: "text", inputmode: "decimal", "aria-label": `A number for ${addressOf(this.state, from, at)}`,
      autocomplete: "off", spellcheck: "false",
    });
    const written = String(asWritten(before, type));
    input.value = begin ?? written;
    const taken = () => (type === "i" ? Math.round(typed(input.value)) : typed(input.value));
    let over = false;
    const end = (asked) => {
      if (over) return;
      const value = taken(), keep = asked && input.value !== written;
      if (keep && !allowed(value, about)) { refuse(input, "A finite number, as 0.25, −1 or 1/3"); return; }
      if (keep && !takes(value, about)) { refuse(input, `A number ${about.r.said}`); return; }
      over = true;
      cell.replaceChildren();
      cell.classList.remove("editing");
      this.refresh();
      if (keep && !Object.is(value, before)) this.state.set([[from, at, value]]);
      cell.focus();
    };
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") end(true);
      else if (event.key === "Escape") end(false);
      else if (event.key === "Tab") end(true);
    });
    input.addEventListener("blur", () => { if (!over) end(allowed(taken(), about) && takes(taken(), about)); });
    cell.classList.add("editing");
    cell.replaceChildren(input);
    input.focus();
    if (begin === null) input.select();
  }

  // All of them, or those on the screen alone, while something is dragged.
  refresh(seen = false) {
    const { state } = this, machine = state.machine;
    for (const table of this.figures) if (!seen || this.seen.has(table.figure)) this.fill(table, machine);
    for (const { output, node, start } of this.scalars) {
      if (output.querySelector("input")) continue;
      const text = shownNumber(state, node, start);
      if (output.textContent !== text) output.textContent = text;
      this.mark(output, machine.recorded[node][start], machine.values[node][start], state.program.nodes[node].t);
    }
  }

  fill(table, machine) {
    const { node, cells } = table, values = machine.values[node], recorded = machine.recorded[node];
    const { decimals } = this.state.program, type = this.state.program.nodes[node].t;
    const own = cells.map(({ place }) => values[place]), texts = column(own, decimals, type);
    const most = table.shaded ? table.most ?? largest(own) : 0;
    let furthest = null, gap = 0;
    cells.forEach(({ cell, place }, n) => {
      if (cell.classList.contains("editing")) return;
      if (cell.firstChild?.nodeValue !== texts[n] || cell.childNodes.length !== 1) cell.textContent = texts[n];
      if (table.shaded) {
        cell.style.setProperty("--weight", most > 0 && Number.isFinite(own[n]) ? Math.abs(own[n]) / most : 0);
        cell.classList.toggle("negative", own[n] < 0);
      }
      const moved = this.mark(cell, recorded[place], own[n], type);
      if (moved > gap) { gap = moved; furthest = cell; }
    });
    for (const { cell } of cells) cell.classList.toggle("furthest", cell === furthest && cells.length > 1);
    if (table.weights) this.heaviest(table, own);
    table.figure.classList.toggle("stale", this.state.machine.stale[node] !== "");
    this.names(table);
  }

  // Before and after: what a number was stands under it. Gives how far it moved.
  mark(cell, before, after, type) {
    const moved = !Object.is(before, after) && before !== after;
    cell.classList.toggle("changed", moved);
    if (moved) cell.dataset.was = numberText(before, this.state.program.decimals, type);
    else delete cell.dataset.was;
    return moved ? Math.abs(after - before) || 0 : 0;
  }

  // The heaviest weight of each row is bold.
  heaviest(table, own) {
    const lines = new Map();
    table.cells.forEach(({ cell }, n) => {
      const line = lines.get(cell.parentElement) ?? [];
      line.push([cell, own[n]]);
      lines.set(cell.parentElement, line);
    });
    for (const line of lines.values()) {
      const top = Math.max(...line.map(([, value]) => value)), level = line.every(([, value]) => value === top);
      for (const [cell, value] of line) cell.classList.toggle("largest", value === top && !level);
    }
  }

  // Rows and columns are called by the words of the sentence, whichever they are now.
  names(table) {
    if (!this.state.program.words.length) return;
    const labels = labelsOf(this.state, table.node), shape = this.state.program.nodes[table.node].s;
    if (shape.length > 2) return;
    const [rowNames, columnNames] = shape.length === 1 ? [null, labels[0]] : labels;
    const heads = all("thead th", table.figure), sides = all("tbody th", table.figure);
    if (columnNames && heads.length === columnNames.length) heads.forEach((head, n) => { if (head.textContent !== columnNames[n]) head.textContent = columnNames[n]; });
    if (rowNames && sides.length === rowNames.length) sides.forEach((side, n) => { if (side.textContent !== rowNames[n]) side.textContent = rowNames[n]; });
  }
}
