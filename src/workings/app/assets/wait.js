// How far the work is, without loading the page again: a screen reader hears the sentence when it changes, not the count.
const EVERY = 500;
const said = document.getElementById("said");
const count = document.getElementById("count");
const bar = document.getElementById("bar");

function show(now) {
  if (said.textContent !== now.said) said.textContent = now.said;
  count.textContent = now.count;
  if (now.of) {
    bar.max = now.of;
    bar.value = now.done;
  } else {
    bar.removeAttribute("value");
  }
}

async function look() {
  try {
    const now = await (await fetch(`${location.pathname}/progress`)).json();
    if (now.ended) {
      location.reload();
      return;
    }
    show(now);
  } catch {
    count.textContent = "Workings does not answer. If it still runs, this page goes on by itself.";
  }
  setTimeout(look, EVERY);
}

setTimeout(look, EVERY);
