// The working of one number: a tree whose leaves are numbers of other nodes, written as a person would, with "=" only
// where exact decimal arithmetic on what is shown gives what is shown.

const MOST_TERMS = 12, SHOWN_TERMS = 4, MOST_INLINE = 6;
const WORDS = { log: "ln", log2: "log₂", log10: "log₁₀", arcsin: "asin", arccos: "acos", arctan: "atan", invert: "not", bitwise_not: "not" };

class Reader {
  constructor(machine) {
    this.machine = machine;
    this.nodes = machine.nodes;
    this.placed = new Map(); // of each node that adds up, the places of its terms
  }

  terms(node) {
    if (!this.placed.has(node)) {
      const about = this.nodes[node];
      this.placed.set(node, about.k === "contract" ? products(about) : rows(about.i[0], about.a, size(about.s)));
    }
    return this.placed.get(node);
  }

  value(node, place) { return this.machine.values[node][place]; }

  // Back through whatever only moved a number, to where it was made.
  origin(node, place) {
    for (;;) {
      const about = this.nodes[node];
      if (this.machine.held.get(node)?.has(place) || this.machine.stale[node]) return [node, place];
      if (about.k === "same") [node, place] = [about.i[0][0], about.i[0][1] + place];
      else if (about.k === "take") [node, place] = taken(about, place, this.machine.values);
      else if (about.k === "sort") [node, place] = sorted(about, place, this.machine.values);
      else if (about.k === "gather") {
        const which = about.q ? about.q[place] : 0;
        if (which < 0) return [node, place];
        [node, place] = [about.i[which][0], about.i[which][1] + about.p[place]];
      } else if (about.k === "map" && about.m) {
        const next = this.chosen(about, place);
        if (!next) return [node, place];
        [node, place] = next;
      } else return [node, place];
    }
  }

  // Where a number was that was chosen by a condition; null for one that stands in the call.
  chosen(about, place) {
    const index = unravel(place, about.s), at = (part) => { const view = about.i[part[1]]; return [view[0], this.at(view, index, about.s)]; };
    const [, condition, yes, no] = about.e, part = (Array.isArray(condition) ? this.value(...at(condition)) !== 0 : condition) ? yes : no;
    return Array.isArray(part) && part[0] === "$" ? at(part) : null;
  }

  leaf(node, place) {
    const [from, at] = this.origin(node, place);
    return { leaf: true, node: from, place: at, value: this.value(node, place), type: this.nodes[node].t };
  }

  // How a number was made; null for one that is given, or that the page cannot follow.
  expression(node, place) {
    const about = this.nodes[node];
    if (this.machine.held.get(node)?.has(place) || this.machine.stale[node]) return null;
    switch (about.k) {
      case "map": {
        if (about.m) return null;
        const index = unravel(place, about.s);
        return this.filled(about.e, about.i.map((view) => this.leaf(view[0], this.at(view, index, about.s))), about.t);
      }
      case "each": return this.filled(about.e[place], null, about.t);
      case "reduce": return this.reduced(node, place);
      case "contract": {
        const terms = this.terms(node)[place].map((factors) => {
          const leaves = factors.map((at, n) => this.leaf(about.i[n][0], at));
          return leaves.length === 1 ? leaves[0] : { sign: "*", parts: leaves };
        });
        return this.sum(terms);
      }
      default: return null;
    }
  }

  at(view, index, shape) {
    const [, start, own] = view, step = strides(own), gap = shape.length - own.length;
    return own.reduce((at, length, axis) => at + (length === 1 ? 0 : index[axis + gap] * step[axis]), start);
  }

  reduced(node, place) {
    const about = this.nodes[node], row = this.terms(node)[place], leaves = row.map((at) => this.leaf(about.i[0][0], at));
    if (about.f === "sum") return this.sum(leaves);
    if (about.f === "prod") return leaves.length ? { sign: "*", parts: leaves } : { leaf: true, value: 1, type: "i" };
    return { sign: "f", name: about.f, parts: leaves.slice(0, MOST_TERMS), hidden: leaves.slice(MOST_TERMS) };
  }

  sum(terms) {
    if (!terms.length) return { leaf: true, value: 0, type: "i" };
    if (terms.length === 1) return terms[0];
    if (terms.length <= MOST_TERMS) return { sign: "+", parts: terms };
    const amounts = terms.map((term) => worth(term)[0]), sizes = amounts.map(Math.abs);
    const largest = sizes.map((_, i) => i).sort((a, b) => sizes[b] - sizes[a] || a - b).slice(0, SHOWN_TERMS).sort((a, b) => a - b);
    const rest = amounts.reduce((sum, value, i) => (largest.includes(i) ? sum : sum + value), 0);
    return { sign: "+", parts: largest.map((i) => terms[i]), hidden: terms.filter((_, i) => !largest.includes(i)), rest };
  }

  filled(tree, leaves, type) {
    if (!Array.isArray(tree)) return { leaf: true, value: literal(tree), type: typeof tree === "boolean" ? "b" : Number.isInteger(tree) ? "i" : "f" };
    const [sign, ...rest] = tree;
    if (sign === "n") return { leaf: true, value: literal(tree), type: "f" };
    if (sign === "$") return leaves[rest[0]];
    if (sign === "@") return this.leaf(rest[0], rest[1]);
    const named = sign === "f" || sign === "r";
    return { sign, name: named ? rest[0] : "", parts: rest.slice(named ? 1 : 0).map((part) => this.filled(part, leaves, type)) };
  }

  // The line of a number: unnamed steps of one statement stand inside one another, as they do in the code.
  // One that does not give its number is not told, as in the other views.
  line(node, place) {
    const [from, at] = this.origin(node, place), value = this.value(from, at), made = this.expression(from, at);
    const wrong = made !== null && !gives(made, value, this.nodes[from].t);
    return { node: from, place: at, value, tree: made && !wrong ? this.gathered(this.inlined(made, 0)) : null, wrong };
  }

  inlined(tree, depth) {
    if (!tree.leaf) return { ...tree, parts: tree.parts.map((part) => this.inlined(part, depth)) };
    if (tree.node === undefined || this.nodes[tree.node].b || depth >= MOST_INLINE) return tree;
    const inner = this.expression(tree.node, tree.place);
    if (!inner || leavesIn(inner) > MOST_TERMS || !gives(inner, tree.value, tree.type)) return tree;
    return this.inlined(inner, depth + 1);
  }

  // A sum of sums as one, a product of products as one.
  gathered(tree) {
    if (tree.leaf) return tree;
    const parts = tree.parts.map((part) => this.gathered(part));
    if (tree.sign !== "+" && tree.sign !== "*") return { ...tree, parts };
    const flat = parts.flatMap((part) => (part.sign === tree.sign && !part.hidden?.length ? part.parts : [part]));
    return { ...tree, parts: flat };
  }
}

// What a tree gives when it is worked out once more, and the size of the largest number on the way, against which
// rounding counts.
function worth(tree) {
  if (tree.leaf) return [tree.value, Number.isFinite(tree.value) ? Math.abs(tree.value) : 0];
  const parts = [...tree.parts, ...(tree.hidden ?? [])].map(worth), values = parts.map(([value]) => value), sizes = parts.map(([, most]) => most);
  const value = built([tree.sign, ...(tree.name ? [tree.name] : []), ...values], null, tree.parts[0]?.type ?? "f")();
  const most = { "/": () => sizes[0] / Math.abs(values[1]), "*": () => sizes.reduce((a, b) => a * b), "?": () => sizes[values[0] !== 0 ? 1 : 2] }[tree.sign];
  return [value, Math.max(Math.abs(value), most ? most() : Math.max(0, ...sizes))];
}

// Whether a tree gives a number, but for rounding in its type. What is not finite is not doubted.
const LOOSE = { f: 1e-6, s: 2e-2, h: 0.2, i: 1e-9, b: 0 };

function gives(tree, value, type) {
  const [found, most] = worth(tree);
  return !Number.isFinite(found) || !Number.isFinite(value) || Math.abs(found - value) <= LOOSE[type] * Math.max(most, Math.abs(value), 1e-12);
}

function leavesIn(tree) { return tree.leaf ? 1 : tree.parts.reduce((sum, part) => sum + leavesIn(part), 0); }

// -- writing: pieces of text and numbers, so that each number can be asked in its turn --------------------------------

const SUM = 1, PRODUCT = 2, POWER = 4, ATOM = 5;

class Notation {
  constructor(decimals) { this.decimals = decimals; }

  number(leaf) { return numberText(leaf.value, this.decimals, leaf.type); }

  // Pieces: texts, and leaves that carry how they are written.
  write(tree) { return this.written(tree)[0]; }

  written(tree) {
    if (tree.leaf) {
      const text = this.number(tree);
      return [[{ ...tree, text }], text.startsWith(MINUS) ? SUM : text.includes("×") ? PRODUCT : ATOM];
    }
    const [a, b, c] = tree.parts;
    switch (tree.sign) {
      case "-": return [[MINUS, ...this.tight(a, PRODUCT)], SUM];
      case "+": return [this.sum(tree), SUM];
      case "*": return [this.product(tree), PRODUCT];
      case "/": {
        const [above, binds] = this.written(a), [below, under] = this.written(b);
        const top = binds < PRODUCT && !a.leaf ? ["(", ...above, ")"] : above;
        return [[...top, " / ", ...(under <= PRODUCT ? ["(", ...below, ")"] : below)], PRODUCT];
      }
      case "^": return [this.power(a, b), POWER];
      case "r": {
        const level = ["//", "mod", "<<", ">>"].includes(tree.name) ? PRODUCT : SUM;
        return [[...this.tight(a, level), ` ${tree.name} `, ...this.tight(b, level)], 0];
      }
      case "?": {
        const yes = worth(a)[0] !== 0;
        return [[...this.write(yes ? b : c), ` (${yes ? "since" : "since not"} `, ...this.write(a), ")"], ATOM];
      }
      default: return [this.call(tree), ATOM];
    }
  }

  tight(tree, level) {
    const [pieces, binds] = this.written(tree);
    return binds < level ? ["(", ...pieces, ")"] : pieces;
  }

  sum(tree) {
    const out = [];
    tree.parts.forEach((term, place) => {
      const [minus, pieces] = this.signed(term);
      out.push(place ? (minus ? ` ${MINUS} ` : " + ") : minus ? MINUS : "", ...pieces);
    });
    if (tree.hidden?.length) out.push(` + … (${tree.hidden.length} more, together ${numberText(tree.rest, this.decimals)})`);
    return out.filter((piece) => piece !== "");
  }

  // A term of a sum without its sign, and whether it is taken away.
  signed(term) {
    if (term.sign === "-") {
      const [minus, pieces] = this.signed(term.parts[0]);
      return [true, minus || ["+", "r"].includes(term.parts[0].sign) ? ["(", ...this.write(term.parts[0]), ")"] : pieces];
    }
    if (term.sign === "*" && term.parts[0]?.leaf && this.number(term.parts[0]).startsWith(MINUS)) {
      const [head, ...rest] = this.product(term);
      return [true, [typeof head === "string" ? head : { ...head, text: head.text.slice(1) }, ...rest]];
    }
    if (term.leaf) {
      const text = term.type === "b" ? String(+(term.value !== 0)) : this.number(term), minus = text.startsWith(MINUS);
      return [minus, [{ ...term, text: minus ? text.slice(1) : text }]];
    }
    return [false, term.sign === "+" || term.sign === "r" ? ["(", ...this.write(term), ")"] : this.write(term)];
  }

  product(tree) {
    const out = [];
    tree.parts.forEach((factor, place) => {
      const [pieces, binds] = this.written(factor);
      const bare = binds >= PRODUCT && !(tree.parts.length > 1 && factor.sign === "/");
      if (place) out.push("×");
      out.push(...(bare || (place === 0 && factor.leaf) ? pieces : ["(", ...pieces, ")"]));
    });
    return out;
  }

  power(base, exponent) {
    const below = this.tight(base, ATOM), above = this.write(exponent);
    const text = exponent.leaf ? this.number(exponent) : "";
    if (/^−?\d+$/.test(text)) return [...below, superscript(text.replace(MINUS, "-"))];
    return [...below, "^", ...(exponent.leaf && !text.startsWith(MINUS) ? above : ["(", ...above, ")"])];
  }

  call(tree) {
    if (tree.name === "pi") return ["π"];
    const inside = tree.parts.flatMap((part, place) => [...(place ? [", "] : []), ...this.write(part)]);
    if (tree.hidden?.length) inside.push(`, … ${tree.hidden.length} more`);
    if (tree.name === "absolute") return ["|", ...inside, "|"];
    if (tree.name === "sqrt") return tree.parts[0].leaf && tree.parts[0].value >= 0 ? ["√", ...inside] : ["√(", ...inside, ")"];
    return [`${WORDS[tree.name] ?? tree.name}(`, ...inside, ")"];
  }

  // A tree between the signs of a line: one with a sign of its own is kept apart by brackets.
  apart(tree) {
    const pieces = this.write(tree);
    return tree.sign === "r" && !["//", "mod"].includes(tree.name) ? ["(", ...pieces, ")"] : pieces;
  }

  // "=" or "≈" between an arithmetic and its result, both as they are shown.
  sign(tree, value, type) {
    if (type === "b") return "="; // a truth value is shown as it is
    const result = exactly({ leaf: true, value, type }, this.decimals);
    if (result === null) return "=";
    const left = exactly(tree, this.decimals);
    return left !== null && left[0] * result[1] === result[0] * left[1] ? "=" : "≈";
  }
}

// The exact value of a tree read as it is shown, as a fraction of whole numbers; null where there is none.
function exactly(tree, decimals) {
  if (tree.leaf) {
    if (tree.type === "b") return [BigInt(+(tree.value !== 0)), 1n];
    const [text, power] = mantissa(tree.value, decimals, tree.type);
    if (!/^-?\d+(\.\d+)?$/.test(text)) return null;
    const [whole, part = ""] = text.split("."), digits = BigInt(whole + part), shift = (power ?? 0) - part.length;
    return shift >= 0 ? [digits * 10n ** BigInt(shift), 1n] : [digits, 10n ** BigInt(-shift)];
  }
  if (tree.sign === "?") return exactly(worth(tree.parts[0])[0] !== 0 ? tree.parts[1] : tree.parts[2], decimals);
  if (tree.sign === "f" && tree.name === "exp" && tree.parts[0].leaf && tree.parts[0].value === -Infinity) return [0n, 1n];
  let parts = tree.parts;
  if (tree.sign === "f" && (tree.name === "max" || tree.name === "min")) {
    const loses = tree.name === "max" ? -Infinity : Infinity;
    parts = parts.filter((part) => !(part.leaf && part.value === loses));
  }
  const known = parts.map((part) => exactly(part, decimals));
  if (known.includes(null)) return null;
  const [a, b] = known;
  switch (tree.sign) {
    case "-": return [-a[0], a[1]];
    case "+": {
      if (tree.hidden?.length) {
        const rest = exactly({ leaf: true, value: tree.rest, type: "f" }, decimals);
        if (rest === null) return null;
        known.push(rest);
      }
      return known.reduce(([n, d], [m, e]) => [n * e + m * d, d * e]);
    }
    case "*": return known.reduce(([n, d], [m, e]) => [n * m, d * e], [1n, 1n]);
    case "/": return b[0] === 0n ? null : b[0] < 0n ? [-a[0] * b[1], a[1] * -b[0]] : [a[0] * b[1], a[1] * b[0]];
    case "^": {
      if (b[0] % b[1] !== 0n) return null;
      const power = b[0] / b[1];
      if (power > 64n || power < -64n || (power < 0n && a[0] === 0n)) return null;
      if (power >= 0n) return [a[0] ** power, a[1] ** power];
      const [n, d] = [a[1] ** -power, a[0] ** -power];
      return d < 0n ? [-n, -d] : [n, d];
    }
    case "f": return tree.hidden?.length ? null : exactCall(tree.name, known);
    case "r": {
      if (tree.name in ON_BITS) return a[1] === 1n && b[1] === 1n && (tree.name.length === 1 || (b[0] >= 0n && b[0] <= 64n)) ? [ON_BITS[tree.name](a[0], b[0]), 1n] : null;
      if (!["//", "mod"].includes(tree.name) || b[0] === 0n) return null;
      const [above, below] = b[0] < 0n ? [-a[0] * b[1], a[1] * -b[0]] : [a[0] * b[1], a[1] * b[0]];
      const whole = above / below - BigInt(above % below !== 0n && above < 0n);
      return tree.name === "//" ? [whole, 1n] : [a[0] * b[1] - whole * b[0] * a[1], a[1] * b[1]];
    }
    default: return null;
  }
}

const compare = ([n, d], [m, e]) => (n * e < m * d ? -1 : n * e > m * d ? 1 : 0);
const ON_BITS = { "&": (a, b) => a & b, "|": (a, b) => a | b, "^": (a, b) => a ^ b, "<<": (a, b) => a << b, ">>": (a, b) => a >> b };
const BASES = { log2: 2n, log10: 10n };
const AT_ZERO = { exp: 1n, cos: 1n, cosh: 1n, sin: 0n, tan: 0n, tanh: 0n, sinh: 0n, erf: 0n, arctan: 0n, arcsin: 0n };

function exactCall(name, known) {
  const [a] = known;
  if (!known.length) return null;
  if (name === "max" || name === "min") return known.reduce((x, y) => ((compare(x, y) >= 0) === (name === "max") ? x : y));
  if (name === "absolute") return [a[0] < 0n ? -a[0] : a[0], a[1]];
  if (name === "float") return a;
  if (name === "sqrt" && a[0] >= 0n) {
    const [n, d] = reduced(a), [x, y] = [root(n), root(d)];
    return x * x === n && y * y === d ? [x, y] : null;
  }
  if (name === "argmax" || name === "argmin") {
    const sign = name === "argmax" ? 1 : -1;
    let best = 0;
    known.forEach((each, place) => { if (sign * compare(each, known[best]) > 0) best = place; });
    return [BigInt(best), 1n];
  }
  if (a[0] === 0n && name in AT_ZERO) return [AT_ZERO[name], 1n];
  if (name === "invert" || name === "bitwise_not") return [~(a[0] / a[1]), 1n];
  if (a[0] === a[1] && name === "log") return [0n, 1n];
  return name in BASES && a[0] > 0n ? logarithm(reduced(a), BASES[name]) : null;
}

// The whole power of a base that a fraction is.
function logarithm([n, d], base) {
  let power = 0n;
  while (n % base === 0n) { n /= base; power += 1n; }
  while (d % base === 0n) { d /= base; power -= 1n; }
  return n === 1n && d === 1n ? [power, 1n] : null;
}

function reduced([n, d]) {
  let [a, b] = [n < 0n ? -n : n, d];
  while (b) [a, b] = [b, a % b];
  return a ? [n / a, d / a] : [n, d];
}

// The whole part of a root: Newton's steps, from a number that is not below it.
function root(n) {
  if (n < 2n) return n;
  let x = 1n << BigInt(2 * n.toString(16).length);
  for (;;) {
    const next = (x + n / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}
