// How far the work is, without loading the page again: a screen reader hears the sentence when it changes, not the count.
// The work goes on while it is asked for, and the server takes its time to answer. A clock of the page would not do: in a
// tab that is not looked at, browsers let it sleep.
const AGAIN = 1000;
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
    look();
  } catch {
    count.textContent = "Workings does not answer. If it still runs, this page goes on by itself.";
    setTimeout(look, AGAIN);
  }
}

look();
