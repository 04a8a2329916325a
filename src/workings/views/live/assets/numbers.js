// How numbers are written: the decimals that were asked for, never more than a number has. The rules are those of the
// other views, and a test compares them.

const MINUS = "−", SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const RELATIVE = 2 ** -46; // a number this close to a short decimal is that decimal, written in binary

const superscript = (n) => String(n).replace(/\d/g, (d) => SUPERSCRIPTS[d]).replace("-", "⁻");

// Rounded from the full value; of two that are equally near, the even one.
function fixed(value, decimals) {
  const size = Math.abs(value), scaled = size * 10 ** decimals;
  let out = size.toFixed(decimals);
  if (Math.abs(scaled - Math.floor(scaled) - 0.5) < 1e-6 && size < 1e21) {
    const exact = size.toFixed(Math.min(100, decimals + 60)), dot = exact.indexOf(".");
    if (/^50*$/.test(exact.slice(dot + 1 + decimals))) {
      const down = decimals ? exact.slice(0, dot + 1 + decimals) : exact.slice(0, dot);
      if ("02468".includes(down[down.length - 1])) out = down;
    }
  }
  return (value < 0 && /[1-9]/.test(out) ? "-" : "") + out;
}

function isShort(value, decimals) {
  if (!Number.isFinite(value) || Math.abs(value) > 2 ** 52) return false;
  return Math.abs(Number(fixed(value, decimals)) - value) <= RELATIVE * Math.max(Math.abs(value), 10 ** -decimals * 1e-3);
}

function placesOf(value, decimals, least = 2) {
  for (let count = Math.min(least, decimals); count < decimals; count += 1) if (isShort(value, count)) return count;
  return decimals;
}

const needsPower = (value, decimals) =>
  value !== 0 && (Math.abs(value) >= 1e9 || (decimals > 0 && Math.abs(value) < 0.5 * 10 ** -decimals));

// A float32 is written with the digits it has.
function asWritten(value, type) {
  if (type !== "s" || !Number.isFinite(value)) return value;
  for (let digits = 6; digits < 10; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

// The digits of a number and its power of ten; null where it is written without one.
function mantissa(value, decimals, type = "f") {
  if (type === "b") return [value ? "true" : "false", null];
  if (type === "i") return [String(value), null];
  const written = asWritten(value, type);
  if (Number.isNaN(written)) return ["NaN", null];
  if (!Number.isFinite(written)) return [written > 0 ? "∞" : "-∞", null];
  if (needsPower(written, decimals)) {
    const [head, tail] = written.toExponential(Math.max(decimals - 1, 1)).split("e");
    return [head, Number(tail)];
  }
  return [fixed(written, placesOf(written, decimals)), null];
}

function numberText(value, decimals, type = "f") {
  const [text, power] = mantissa(value, decimals, type);
  const out = text.replace("-", MINUS);
  return power === null ? out : `${out}×10${superscript(power)}`;
}

// A table's cells: one count of decimals for the whole table, the fewest that all its numbers need.
function column(values, decimals, type = "f") {
  if (type === "i" || type === "b") return values.map((value) => numberText(value, decimals, type));
  const written = values.map((value) => asWritten(value, type)), finite = written.filter(Number.isFinite);
  const largest = finite.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (needsPower(largest, decimals)) return written.map((value) => numberText(value, decimals));
  const count = finite.reduce((most, value) => Math.max(most, placesOf(value, decimals)), finite.length ? 0 : decimals);
  return written.map((value) => (Number.isFinite(value) ? fixed(value, count).replace("-", MINUS) : numberText(value, decimals)));
}

// What has a place in a drawing: not NaN, nothing infinite, and nothing whose distance to another could become so.
const drawable = (value) => Math.abs(value) < 1e300;
const undrawn = (names) => (names.length ? `Not drawn, for want of finite numbers: ${names.join(", ")}.` : "");

// Whether somebody may put a number into a node: it is finite there, and the equation that it goes into takes it.
const allowed = (value, { t }) => Number.isFinite(ROUND[t](value));
const takes = (value, { r }) => !r || (value <= (r.most ?? Infinity) && (r.above ? value > r.least : value >= r.least));

// A number as somebody types it: a point or a comma, either minus, a fraction, a power of ten. NaN where it is none.
function typed(text) {
  const plain = text.trim().replace(/[−–]/g, "-").replace(/\s*\/\s*/, "/").replace(/^([-+])\s+/, "$1").replace(/(\d)\s(?=\d{3}(?!\d))/g, "$1");
  if (/^-?(inf|infinity|∞)$/i.test(plain)) return plain.startsWith("-") ? -Infinity : Infinity;
  const one = (part) => (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(part) ? Number(part) : NaN);
  const parts = plain.split("/"), value = /^-?\d+,\d+$/.test(plain) ? one(plain.replace(",", ".")) : parts.length === 2 ? one(parts[0]) / one(parts[1]) : one(plain);
  return Number.isFinite(value) ? value : NaN;
}
