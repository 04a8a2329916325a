// Runs a recorded program: nodes in their order, each from nodes before it. What a node does is one of a few kernels;
// which numbers it joins, and how, comes with the program. Values are flat arrays in C order; truths are 0 and 1.

const series = (x) => {
  // The error function as a sum of positive terms, which loses no digit: 2/√π e^(−x²) Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1)).
  if (Number.isNaN(x)) return x;
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n += 1) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
};

const toEven = (x) => {
  const down = Math.floor(x), gap = x - down;
  if (gap !== 0.5) return Math.round(x);
  return down % 2 === 0 ? down : down + 1;
};

const remainder = (a, b) => {
  // The sign is the divisor's, as in Python.
  if (b === 0) return NaN;
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
};

const FUNCTIONS = {
  exp: Math.exp, log: Math.log, log2: Math.log2, log10: Math.log10, sqrt: Math.sqrt, cbrt: Math.cbrt,
  sin: Math.sin, cos: Math.cos, tan: Math.tan, arcsin: Math.asin, arccos: Math.acos, arctan: Math.atan,
  arctan2: Math.atan2, sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, arcsinh: Math.asinh, arccosh: Math.acosh,
  arctanh: Math.atanh, absolute: Math.abs, sign: Math.sign, floor: Math.floor, ceil: Math.ceil, rint: toEven,
  trunc: Math.trunc, int: Math.trunc, float: (x) => x, bool: (x) => +(x !== 0), erf: series, expm1: Math.expm1,
  log1p: Math.log1p, fmod: (a, b) => a % b, pi: () => Math.PI,
  round: (x, decimals = 0) => (decimals ? toEven(x * 10 ** decimals) / 10 ** decimals : toEven(x)),
  isnan: (x) => +Number.isNaN(x), isinf: (x) => +(Math.abs(x) === Infinity), isfinite: (x) => +Number.isFinite(x),
  logical_not: (x) => +(x === 0), invert: (x, type) => (type === "b" ? +(x === 0) : ~x),
  degrees: (x) => (x * 180) / Math.PI, radians: (x) => (x * Math.PI) / 180,
  logaddexp: (a, b) => (a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)))),
  copysign: (a, b) => (b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a)),
  heaviside: (a, b) => (Number.isNaN(a) ? a : a < 0 ? 0 : a > 0 ? 1 : b),
  max: (...all) => all.reduce(larger), min: (...all) => all.reduce(smaller),
  count: (...all) => all.filter((x) => x !== 0).length, any: (...all) => +all.some((x) => x !== 0),
  all: (...all) => +all.every((x) => x !== 0),
  argmax: (...all) => first(all, larger), argmin: (...all) => first(all, smaller),
};
FUNCTIONS.bitwise_not = FUNCTIONS.invert;
FUNCTIONS.rad2deg = FUNCTIONS.degrees;
FUNCTIONS.deg2rad = FUNCTIONS.radians;

// NaN wins, as in NumPy.
function larger(a, b) { return Number.isNaN(a) || a >= b ? a : b; }
function smaller(a, b) { return Number.isNaN(a) || a <= b ? a : b; }
function first(all, better) {
  let place = 0;
  for (let i = 1; i < all.length; i += 1) {
    if (Number.isNaN(all[place])) break;
    if (better(all[place], all[i]) !== all[place]) place = i;
  }
  return place;
}

const SIGNS = {
  "<": (a, b) => +(a < b), "≤": (a, b) => +(a <= b), ">": (a, b) => +(a > b), "≥": (a, b) => +(a >= b),
  "=": (a, b) => +(a === b), "≠": (a, b) => +(a !== b), and: (a, b) => +(a !== 0 && b !== 0),
  or: (a, b) => +(a !== 0 || b !== 0), xor: (a, b) => +((a !== 0) !== (b !== 0)), "&": (a, b) => a & b,
  "|": (a, b) => a | b, "^": (a, b) => a ^ b, "//": (a, b) => Math.floor(a / b), mod: remainder,
  "<<": (a, b) => a * 2 ** b, ">>": (a, b) => Math.floor(a / 2 ** b),
};

// Which numbers a kind of value can hold.
const ROUND = { f: (x) => x, s: Math.fround, h: Math.fround, i: Math.trunc, b: (x) => +(x !== 0) };

function literal(value) {
  if (typeof value === "boolean") return +value;
  return Array.isArray(value) ? Number(value[1]) : Number(value);
}

// A tree as a function of the numbers of its leaves: `leaf` says how a leaf is looked up.
function built(tree, leaf, type) {
  if (!Array.isArray(tree)) { const value = literal(tree); return () => value; }
  const [sign, ...rest] = tree;
  if (sign === "n") { const value = literal(tree); return () => value; }
  if (sign === "$" || sign === "@") return leaf(tree);
  const keep = ROUND[type === "s" || type === "h" ? "s" : "f"];
  if (sign === "f") {
    const call = FUNCTIONS[rest[0]], parts = rest.slice(1).map((part) => built(part, leaf, type));
    const flag = rest[0] === "invert" || rest[0] === "bitwise_not";
    if (parts.length === 1 && !flag) { const one = parts[0]; return (v) => keep(call(one(v))); }
    return (v) => keep(call(...parts.map((part) => part(v)), ...(flag ? [type] : [])));
  }
  if (sign === "r") {
    const call = SIGNS[rest[0]], [a, b] = rest.slice(1).map((part) => built(part, leaf, type));
    return (v) => call(a(v), b(v));
  }
  const parts = rest.map((part) => built(part, leaf, type));
  switch (sign) {
    case "+": return (v) => { let sum = parts[0](v); for (let i = 1; i < parts.length; i += 1) sum = keep(sum + parts[i](v)); return sum; };
    case "*": return (v) => { let product = parts[0](v); for (let i = 1; i < parts.length; i += 1) product = keep(product * parts[i](v)); return product; };
    case "/": return (v) => keep(parts[0](v) / parts[1](v));
    case "^": return (v) => keep(parts[0](v) ** parts[1](v));
    case "-": return (v) => -parts[0](v);
    case "?": return (v) => (parts[0](v) !== 0 ? parts[1](v) : parts[2](v));
    default: throw new Error(`no such sign: ${sign}`);
  }
}

const size = (shape) => shape.reduce((a, b) => a * b, 1);

// For each axis of `shape`, how far apart its entries are.
function strides(shape) {
  const out = new Array(shape.length);
  let step = 1;
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) { out[axis] = step; step *= shape[axis]; }
  return out;
}

function unravel(flat, shape) {
  const place = new Array(shape.length);
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) { place[axis] = flat % shape[axis]; flat = Math.floor(flat / shape[axis]); }
  return place;
}

// Where each element of a result finds its operand, which is broadcast to the result's shape.
function spread(view, shape) {
  const [, start, own] = view, step = strides(own), gap = shape.length - own.length;
  const out = new Int32Array(size(shape));
  for (let flat = 0; flat < out.length; flat += 1) {
    const place = unravel(flat, shape);
    let at = start;
    for (let axis = 0; axis < own.length; axis += 1) if (own[axis] !== 1) at += place[axis + gap] * step[axis];
    out[flat] = at;
  }
  return out;
}

// For each element of a reduction, the places of the numbers it is made of.
function rows(view, axes, count) {
  const [, start, shape] = view, kept = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const outer = kept.map((axis) => shape[axis]), out = Array.from({ length: count }, () => []);
  const step = strides(outer);
  for (let flat = 0; flat < size(shape); flat += 1) {
    const place = unravel(flat, shape);
    let at = 0;
    kept.forEach((axis, i) => { at += place[axis] * step[i]; });
    out[at].push(start + flat);
  }
  return out;
}

// For each element of a contraction, the places of the factors of each of its products.
function products(node) {
  const sizes = {};
  node.x.forEach((letters, n) => [...letters].forEach((letter, axis) => {
    sizes[letter] = Math.max(node.i[n][2][axis], sizes[letter] ?? 1);
  }));
  const summed = [...new Set(node.x.join(""))].filter((letter) => !node.o.includes(letter));
  const inner = summed.map((letter) => sizes[letter]), count = size(inner), out = [];
  const steps = node.i.map((view) => strides(view[2]));
  for (let flat = 0; flat < size(node.s); flat += 1) {
    const place = unravel(flat, node.s), known = {};
    [...node.o].forEach((letter, axis) => { known[letter] = place[axis]; });
    const terms = [];
    for (let k = 0; k < count; k += 1) {
      unravel(k, inner).forEach((at, axis) => { known[summed[axis]] = at; });
      terms.push(node.i.map((view, n) => [...node.x[n]].reduce(
        (at, letter, axis) => at + (view[2][axis] === 1 ? 0 : known[letter] * steps[n][axis]), view[1])));
    }
    out.push(terms);
  }
  return out;
}

function combined(name, values, keep) {
  switch (name) {
    case "sum": { let sum = 0; for (const value of values) sum += value; return keep(sum); }
    case "prod": { let product = 1; for (const value of values) product *= value; return keep(product); }
    default: return FUNCTIONS[name](...values);
  }
}

// What a node does, as a function that fills its values from those of others.
const KERNELS = {
  given: (node) => { const held = Float64Array.from(node.v, Number); return (out) => out.set(held); },
  frozen: (node) => { const held = Float64Array.from(node.v, Number); return (out) => out.set(held); },
  map: (node, keep) => {
    const places = node.i.map((view) => spread(view, node.s)), sources = node.i.map((view) => view[0]);
    let at = 0, all = [];
    const run = built(node.e, ([, n]) => () => all[sources[n]][places[n][at]], node.t);
    return (out, values) => { all = values; for (at = 0; at < out.length; at += 1) out[at] = keep(run()); };
  },
  reduce: (node, keep) => {
    const source = node.i[0][0], places = rows(node.i[0], node.a, size(node.s));
    return (out, values) => places.forEach((row, at) => { out[at] = combined(node.f, row.map((p) => values[source][p]), keep); });
  },
  contract: (node, keep) => {
    const sources = node.i.map((view) => view[0]), places = products(node);
    return (out, values) => places.forEach((terms, at) => {
      let sum = 0;
      for (const factors of terms) {
        let product = 1;
        for (let n = 0; n < factors.length; n += 1) product *= values[sources[n]][factors[n]];
        sum += product;
      }
      out[at] = keep(sum);
    });
  },
  gather: (node, keep) => (out, values) => {
    for (let at = 0; at < out.length; at += 1) {
      const which = node.q ? node.q[at] : 0;
      out[at] = which < 0 ? Number(node.c[at]) : keep(values[node.i[which][0]][node.i[which][1] + node.p[at]]);
    }
  },
  take: (node) => (out, values) => {
    for (let at = 0; at < out.length; at += 1) { const [source, place] = taken(node, at, values); out[at] = values[source][place]; }
  },
  sort: (node) => (out, values) => {
    for (let at = 0; at < out.length; at += 1) { const [source, place] = sorted(node, at, values); out[at] = values[source][place]; }
  },
  each: (node, keep) => {
    let all = [];
    const runs = node.e.map((tree) => built(tree, ([, source, place]) => () => all[source][place], node.t));
    return (out, values) => { all = values; runs.forEach((run, at) => { out[at] = keep(run()); }); };
  },
  same: (node, keep) => {
    const [source, start] = node.i[0];
    return (out, values) => { for (let at = 0; at < out.length; at += 1) out[at] = keep(values[source][start + at]); };
  },
};

function taken(node, at, values) {
  const [table, ids] = node.i, width = size(table[2].slice(1));
  let row = values[ids[0]][ids[1] + Math.floor(at / width)];
  if (row < 0) row += table[2][0];
  return [table[0], table[1] + row * width + (at % width)];
}

// Whether each of the rows that are taken is there.
function inside(node, values) {
  const [table, [ids, start, shape]] = node.i, rows = table[2][0];
  return values[ids].slice(start, start + size(shape)).every((row) => row >= -rows && row < rows);
}

function sorted(node, at, values) {
  const [source, start, shape] = node.i[0], width = shape[shape.length - 1] ?? 1, row = Math.floor(at / width) * width;
  const order = Array.from({ length: width }, (_, i) => i);
  order.sort((a, b) => {
    const x = values[source][start + row + a], y = values[source][start + row + b];
    return Number.isNaN(x) - Number.isNaN(y) || x - y || a - b;
  });
  return [source, start + row + order[at % width]];
}

// A program with its numbers. `change` holds a number somewhere; `run` works out what depends on it.
class Machine {
  constructor(program) {
    this.program = program;
    this.nodes = program.nodes;
    this.runs = this.nodes.map((node) => KERNELS[node.k](node, ROUND[node.t]));
    this.values = this.nodes.map((node) => new Float64Array(size(node.s)));
    this.held = new Map();
    this.stale = this.nodes.map(() => "");
    this.stopped = null;
    this.nodes.forEach((node, n) => this.runs[n](this.values[n], this.values));
    this.recorded = this.values.map((values) => values.slice());
    this.watched = this.nodes.map((node) => node.w ?? []);
  }

  // Hold numbers: {node: {place: number}}. What was held before is let go.
  change(held) {
    this.held = held;
    return this.run();
  }

  differs(view) {
    const [node, start, shape] = view;
    for (let at = start; at < start + size(shape); at += 1) if (!Object.is(this.values[node][at], this.recorded[node][at])) return true;
    return false;
  }

  run() {
    const moved = new Uint8Array(this.nodes.length);
    const guards = new Map();
    for (const guard of this.program.guards) guards.set(guard.at[0], [...(guards.get(guard.at[0]) ?? []), guard]);
    this.stopped = null;
    this.nodes.forEach((node, n) => {
      const own = this.held.get(n), inputs = node.i ?? [], values = this.values[n];
      const behind = inputs.find((view) => this.stale[view[0]]);
      const dirty = inputs.some((view) => moved[view[0]]) || this.depends(node, moved);
      this.stale[n] = "";
      if (!dirty && !own) { if (!this.same(n)) values.set(this.recorded[n]); return; }
      if (dirty && this.stopped) this.stale[n] = this.stopped.why;
      else if (dirty && behind) this.stale[n] = this.stale[behind[0]];
      else if (dirty && node.k === "frozen") this.stale[n] = node.why;
      else if (dirty && this.watched[n].some((view) => this.stale[view[0]] || this.differs(view))) this.stale[n] = "where its numbers come from would change";
      else if (dirty && node.k === "take" && !inside(node, this.values)) this.stale[n] = "there is no row of such a number";
      if (this.stale[n]) values.set(this.recorded[n]);
      else {
        this.runs[n](values, this.values);
        if (node.t === "i" && !values.every(Number.isSafeInteger)) {
          values.set(this.recorded[n]);
          this.stale[n] = "a whole number too large for the page";
        }
      }
      if (own) { const keep = ROUND[node.t]; for (const [place, value] of own) values[place] = keep(value); }
      moved[n] = +(!this.same(n) || this.stale[n] !== "");
      if (!this.stopped) for (const guard of guards.get(n) ?? []) if (this.steers(guard)) { this.stopped = guard; break; }
    });
    return moved;
  }

  depends(node, moved) {
    if (node.u && this.held.size) return true; // its origin is not known
    if (node.w && node.w.some((view) => moved[view[0]])) return true;
    return node.k === "each" && node.e.some((tree) => leavesOf(tree).some(([, source]) => moved[source]));
  }

  same(n) { return this.values[n].every((value, at) => Object.is(value, this.recorded[n][at])); }

  // Whether a value that steered the program would now steer it another way.
  steers(guard) {
    if (this.stale[guard.at[0]]) return true; // it may
    if (guard.v === null) return this.differs(guard.at);
    if (guard.only) return guard.only.includes(this.values[guard.at[0]][guard.at[1]]);
    const [node, start, shape] = guard.at, count = size(shape), now = Array.from(this.values[node].slice(start, start + count));
    if (typeof guard.v === "boolean") return (now[0] !== 0) !== guard.v;
    const before = [guard.v].flat(Infinity).map(Number);
    return before.length !== now.length || now.some((value, at) => !Object.is(value, before[at]) && value !== before[at]);
  }
}

function leavesOf(tree) {
  if (!Array.isArray(tree)) return [];
  if (tree[0] === "@" || tree[0] === "$") return [tree];
  return tree.slice(1).flatMap(leavesOf);
}
