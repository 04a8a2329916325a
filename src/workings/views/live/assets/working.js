// Where a number comes from: its line, each number of which opens its own; and what has moved furthest.

class WorkingPanel {
  constructor(state, place) {
    this.state = state;
    this.place = place;
    this.notation = new Notation(state.program.decimals);
    this.looked = null;
    this.open = new Set();
  }

  look(node, place) {
    this.looked = [node, place];
    this.open = new Set();
    this.refresh();
  }

  refresh() {
    this.notation.decimals = this.state.program.decimals;
    this.place.classList.toggle("idle", !this.looked);
    if (!this.looked || !this.state.program.nodes[this.looked[0]]) {
      this.place.replaceChildren(make("h2", {}, "Where a number comes from"), make("p", { class: "note" }, "Choose any number: its working appears here. Type another to change it. Choose a symbol of a formula: it says what it means."));
      return;
    }
    const [node, place] = this.looked;
    const list = make("ul", { class: "lines" }, this.line(node, place, "", new Set()));
    this.place.replaceChildren(make("h2", {}, "Where a number comes from"), list, ...this.about(node));
  }

  // A number with its line and, below it, those of its numbers that were opened.
  line(node, place, path, above) {
    const { state } = this, found = state.reader.line(node, place);
    const item = make("li", {}), name = make("span", { class: "address" }, ...breakable(addressOf(state, node, place)));
    const type = state.program.nodes[found.node].t, result = numberText(found.value, state.program.decimals, type);
    item.append(name);
    const opened = [];
    if (found.tree && !(found.tree.leaf)) {
      item.append(" = ");
      let number = 0;
      for (const piece of this.notation.apart(found.tree)) {
        if (typeof piece === "string") item.append(piece);
        else if (piece.node === undefined) item.append(piece.text);
        else {
          number += 1;
          const own = `${path}/${number}:${piece.node},${piece.place}`, key = `${piece.node},${piece.place}`;
          item.append(this.button(piece, own));
          if (this.open.has(own) && !above.has(key)) opened.push(this.line(piece.node, piece.place, own, new Set([...above, key])));
        }
      }
      item.append(` ${this.notation.sign(found.tree, found.value, type)} `, make("b", {}, result));
    } else if (found.tree?.leaf && found.tree.node !== undefined) {
      item.append(" = ", this.button({ ...found.tree, text: result }, `${path}/1`));
      if (this.open.has(`${path}/1`)) opened.push(this.line(found.tree.node, found.tree.place, `${path}/1`, above));
    } else item.append(" = ", make("b", {}, result), make("span", { class: "note" }, ` ${this.source(found)}`));
    if (opened.length) item.append(make("ul", { class: "lines" }, ...opened));
    return item;
  }

  button(piece, path) {
    const open = this.open.has(path);
    return make("button", {
      type: "button", class: "number", "aria-expanded": String(open),
      title: addressOf(this.state, piece.node, piece.place),
      "aria-label": `${piece.text}, ${addressOf(this.state, piece.node, piece.place)}`,
      onclick: () => {
        if (open) this.open.delete(path); else this.open.add(path);
        const place = this.focused();
        this.refresh();
        all("button.number", this.place)[place]?.focus();
      },
    }, piece.text);
  }

  focused() { return all("button.number", this.place).indexOf(document.activeElement); }

  source({ node, place, wrong }) {
    if (wrong) return "recorded: what it was made from does not give it";
    const about = this.state.program.nodes[node], machine = this.state.machine;
    if (machine.held.get(node)?.has(place)) return "changed by you";
    if (machine.stale[node]) return `as it was recorded: ${machine.stale[node]}`;
    if (about.k === "frozen") return about.why ? `recorded: ${about.why}` : "recorded";
    return "given";
  }

  about(node) {
    const about = this.state.program.nodes[node], lines = this.state.program.lines, out = [];
    const shape = about.s.length ? about.s.join(" × ") : "one number";
    out.push(make("p", { class: "note" }, `${about.n}: ${shape}${{ s: ", float32", h: ", half precision" }[about.t] ?? ""}`));
    if (about.at && lines[about.at - 1]) out.push(make("p", { class: "source" }, make("span", { class: "note" }, `line ${about.at} `), make("code", {}, lines[about.at - 1].trim())));
    return out;
  }
}

// What moved, the furthest first.
class Moved {
  constructor(state, place, look) {
    this.state = state;
    this.place = place;
    this.look = look;
  }

  // Every value that has a name, once.
  values() {
    const found = new Map();
    for (const { at: [node, start, shape] } of this.state.program.named) found.set(`${node},${start}`, { node, start, shape });
    return found.values();
  }

  refresh() {
    const { state } = this, machine = state.machine, found = [];
    for (const { node, start, shape } of this.values()) {
      let gap = 0, place = start;
      for (let each = start; each < start + size(shape); each += 1) {
        const before = machine.recorded[node][each], after = machine.values[node][each];
        const own = Object.is(before, after) ? 0 : Math.abs(after - before);
        if (own > gap || (Number.isNaN(own) && !gap)) { gap = Number.isNaN(own) ? Infinity : own; place = each; }
      }
      if (gap > 0) found.push({ node, place, gap });
    }
    found.sort((a, b) => b.gap - a.gap);
    const children = [];
    if (machine.stopped) {
      const line = machine.stopped.line ? ` (line ${machine.stopped.line})` : "";
      children.push(make("p", { class: "error" }, `With these numbers the program would go another way${line}: ${machine.stopped.why}. What comes after is shown as it was.`));
    }
    const stale = machine.stale.findIndex((why) => why);
    if (stale >= 0 && !machine.stopped) children.push(make("p", { class: "error" }, `${state.program.nodes[stale].n} stays as it was recorded: ${machine.stale[stale]}.`));
    if (found.length) {
      const rows = found.slice(0, 8).map(({ node, place }) => make("tr", {},
        make("th", { scope: "row" }, make("button", { type: "button", class: "address", onclick: () => this.look(node, place) }, ...breakable(addressOf(state, node, place)))),
        make("td", {}, numberText(machine.recorded[node][place], state.program.decimals, state.program.nodes[node].t)),
        make("td", {}, shownNumber(state, node, place))));
      children.push(make("h2", {}, "What moved"), make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "furthest first"), make("th", { scope: "col" }, "before"), make("th", { scope: "col" }, "after"))), make("tbody", {}, ...rows)));
      if (found.length > 8) children.push(make("p", { class: "note" }, `… and ${found.length - 8} more`));
    }
    this.place.replaceChildren(...children);
  }
}
