// Elements. Texts of a Working are only ever put in as text.

function make(tag, about = {}, ...children) {
  const out = document.createElement(tag);
  dress(out, about, children);
  return out;
}

function draw(tag, about = {}, ...children) {
  const out = document.createElementNS("http://www.w3.org/2000/svg", tag);
  dress(out, about, children);
  return out;
}

function dress(out, about, children) {
  for (const [name, value] of Object.entries(about)) {
    if (name.startsWith("on")) out.addEventListener(name.slice(2), value);
    else if (value === true) out.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) out.setAttribute(name, value);
  }
  out.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
}

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);

// What was typed cannot be taken: it stays, with what could be typed beside it.
function refuse(input, wanted = "A number, as 0.25, −1 or 1/3") {
  input.setAttribute("aria-invalid", "true");
  if (!input.nextElementSibling?.classList.contains("refused")) input.after(make("span", { class: "refused", role: "alert" }));
  input.nextElementSibling.textContent = wanted;
}

// A long name can be broken behind each of its dots, and nowhere else.
const breakable = (name) => name.split(/(?<=\.)/).flatMap((part) => [part, make("wbr")]);

// Show where an element is, if it stands in a turn of a loop that is not shown.
const reveal = (element) => element.dispatchEvent(new Event("reveal", { bubbles: true }));

// To a part of the text: it comes into sight and is where the keyboard goes on.
function lead(element) {
  if (!element) return;
  reveal(element);
  element.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

// A part of what scrolls by itself comes into sight there; the page stays where it is.
function scrollInto(part, scrolled) {
  if (part.offsetParent !== scrolled) return; // it stands elsewhere on this screen
  const top = part.offsetTop, most = scrolled.scrollTop + scrolled.clientHeight - Math.min(part.offsetHeight, scrolled.clientHeight);
  if (top < scrolled.scrollTop || top > most) scrolled.scrollTop = top;
}

// What a page carries: deflated JSON in base 64.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

// The labels of a node's axes. Those of a sentence follow its words.
function labelsOf(state, node) {
  const program = state.program, about = program.nodes[node];
  return about.s.map((_, axis) => {
    const list = about.l ? about.l[axis] : null;
    return list === null || list === undefined ? null : namesOf(state, list);
  });
}

function namesOf(state, list) {
  const words = state.program.words.find((each) => each.labels === list);
  if (!words) return state.program.labels[list];
  const [node, start, shape] = words.ids, table = state.program.labels[words.table];
  return Array.from({ length: size(shape) }, (_, at) => table[state.machine.values[node][start + at]] ?? "?");
}

// The address of one number: projected.weights[Apple, shares].
function addressOf(state, node, place) {
  const about = state.program.nodes[node];
  if (!about.s.length) return about.n;
  const labels = labelsOf(state, node);
  const names = unravel(place, about.s).map((at, axis) => (labels[axis] ? labels[axis][at] : String(at)));
  return `${about.n}[${names.join(", ")}]`;
}

const shownNumber = (state, node, place) =>
  numberText(state.machine.values[node][place], state.program.decimals, state.program.nodes[node].t);
