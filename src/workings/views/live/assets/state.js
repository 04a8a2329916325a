// What somebody has changed: numbers held at places, which program runs, and the way back.

const PLAIN = (value) => (Number.isFinite(value) ? value : String(value));

class State {
  constructor(data) {
    this.programs = data.programs;
    this.waves = data.waves;
    this.machines = [];
    this.current = 0;
    this.changes = []; // {n: name of the node, p: place, v: number}
    this.beside = []; // the addresses of values that are seen side by side, two at most
    this.past = [];
    this.future = [];
    this.heard = [];
    this.opening = data.changes.map(([node, p, v]) => [data.programs[0].nodes[node].n, p, v]); // the page came with these
    this.readers = [];
  }

  get program() { return this.programs[this.current]; }

  get machine() {
    if (!this.machines[this.current]) {
      const machine = new Machine(this.program);
      machine.byName = new Map(this.program.nodes.map((node, n) => [node.n, n]));
      this.machines[this.current] = machine;
      this.readers[this.current] = new Reader(machine);
    }
    return this.machines[this.current];
  }

  get reader() { return this.machine && this.readers[this.current]; }

  onChange(hear) { this.heard.push(hear); }

  // Run again with the changes as they are, and tell everyone.
  tell(reason) {
    const held = new Map();
    for (const { n, p, v } of this.changes) {
      const node = this.machine.byName.get(n);
      if (node === undefined || p >= this.machine.values[node].length) continue;
      if (!held.has(node)) held.set(node, new Map());
      held.get(node).set(p, Number(v));
    }
    this.machine.change(held);
    for (const hear of this.heard) hear(reason);
  }

  snapshot() { return { current: this.current, changes: this.changes.map((each) => ({ ...each })) }; }

  // Before a change that can be undone. A drag is one change, however many moves it has.
  begin() {
    this.past.push(this.snapshot());
    this.future = [];
  }

  put(node, place, value) {
    const name = this.program.nodes[node].n, number = PLAIN(value);
    const given = this.machine.recorded[node][place], node_ = this.program.nodes[node];
    this.changes = this.changes.filter((each) => !(each.n === name && each.p === place));
    const back = node_.k === "given" && Object.is(Number(number), given);
    if (!back) this.changes.push({ n: name, p: place, v: number });
  }

  // Change numbers as one step: [[node, place, number], …].
  set(list) {
    this.begin();
    for (const [node, place, value] of list) this.put(node, place, value);
    this.tell("set");
  }

  run(index) {
    if (index === this.current) return;
    this.begin();
    this.current = index;
    this.tell("program");
  }

  restore(kept) {
    const other = kept.current !== this.current;
    this.current = kept.current;
    this.changes = kept.changes;
    this.tell(other ? "program" : "set");
  }

  undo() { if (this.past.length) { this.future.push(this.snapshot()); this.restore(this.past.pop()); } }
  redo() { if (this.future.length) { this.past.push(this.snapshot()); this.restore(this.future.pop()); } }

  reset() {
    if (!this.changes.length && !this.current) return;
    this.begin();
    this.restore({ current: 0, changes: [] });
  }

  // The state as text, for a link or a file.
  written() {
    const { program, changes, beside } = this;
    return JSON.stringify({ workings: 1, program: program.name, changes: changes.map(({ n, p, v }) => [n, p, v]), ...(beside.length ? { beside } : {}) });
  }

  // Take a state that was written. Says in words what is wrong with it; changes nothing then.
  read(text) {
    let kept;
    try { kept = JSON.parse(text); } catch { return "this is not a state of such a page"; }
    if (kept?.workings !== 1 || !Array.isArray(kept.changes)) return "this is not a state of such a page";
    const current = this.programs.findIndex((program) => program.name === kept.program);
    if (current < 0) return `this page has no “${kept.program}”`;
    const names = new Map(this.programs[current].nodes.map((node) => [node.n, node]));
    const fits = (each) => Array.isArray(each) && names.has(each[0]) && Number.isInteger(each[1]) && each[1] >= 0 && each[1] < size(names.get(each[0]).s);
    if (!kept.changes.every(fits)) return "it changes numbers that this page does not have";
    const strange = kept.changes.filter((each) => !this.opening.some((own) => own.every((part, at) => part === each[at])));
    if (!strange.every(([n, , v]) => typeof v === "number" && allowed(v, names.get(n)))) return "it changes a number to what is no finite number";
    if (!strange.every(([n, , v]) => takes(v, names.get(n)))) return "it changes a number to one that its equation does not take";
    const beside = kept.beside ?? [], known = (name) => Object.hasOwn(this.programs[current].values, name);
    if (!Array.isArray(beside) || beside.length > 2 || !beside.every(known)) return "it sets values side by side that this page does not have";
    this.begin();
    this.beside = beside;
    this.restore({ current, changes: kept.changes.map(([n, p, v]) => ({ n, p, v })) });
    return "";
  }
}
