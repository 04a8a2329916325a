// Positions by coordinates at larger widths: which coordinates turn fast, and which slowly. Its numbers come with the page.

const MAP = 512, BY_PAGE = 8; // pixels of the drawing along each side; coordinates that Page Up and Page Down pass

class Waves {
  constructor(state, place) {
    this.state = state;
    this.width = 0;
    this.column = 0;
    this.figure = make("figure", { class: "plane waves" });
    place.append(this.figure);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  build() {
    this.maps = this.state.program.waves.map((n) => this.state.waves[n]);
    this.figure.hidden = !this.maps.length;
    if (!this.maps.length) return;
    this.map = this.maps.find(({ width }) => width === this.width) ?? this.maps[0];
    const { width, length, down, across, read } = this.map;
    const select = make("select", { "aria-label": "How many coordinates", onchange: () => { this.width = Number(select.value); this.build(); one("select", this.figure).focus(); } },
      ...this.maps.map((each) => make("option", { value: each.width, selected: each === this.map }, `${each.width} coordinates`)));
    this.canvas = make("canvas", {
      width: MAP, height: MAP, tabindex: 0, role: "slider", "aria-label": "Coordinate", "aria-valuemin": 0, "aria-valuemax": width - 1,
      onkeydown: (event) => this.key(event), onpointermove: (event) => this.point(event), onpointerdown: (event) => this.point(event),
    });
    this.said = make("p", {});
    this.figure.replaceChildren(
      make("figcaption", {}, make("span", { class: "name" }, "Positions"), " with ", select),
      make("p", { class: "note ends" }, make("span", {}, `${down} 0`)), this.canvas,
      make("p", { class: "note ends" }, make("span", {}, `${down} ${length - 1}`), make("span", {}, across)),
      this.said, make("p", { class: "note" }, `${read} Blue is towards 1, orange towards ${MINUS}1. Point at a coordinate, or choose the map and press the arrow keys.`));
    this.go(Math.min(this.column, width - 1));
  }

  refresh() {} // the numbers of a map depend on nothing that can be changed

  go(column) {
    this.column = Math.max(0, Math.min(column, this.map.width - 1));
    const words = this.map.words[this.column];
    this.said.textContent = words;
    this.canvas.setAttribute("aria-valuenow", this.column);
    this.canvas.setAttribute("aria-valuetext", words);
    this.draw();
  }

  draw() {
    if (!this.canvas) return;
    const { width, length, values, steps } = this.map, pen = this.canvas.getContext("2d"), style = getComputedStyle(this.canvas);
    const across = MAP / width, down = MAP / length, colour = (name) => style.getPropertyValue(name);
    pen.clearRect(0, 0, MAP, MAP);
    values.forEach((value, at) => {
      pen.globalAlpha = Math.abs(value) / steps;
      pen.fillStyle = colour(value < 0 ? "--c1" : "--c0");
      pen.fillRect((at % width) * across, Math.floor(at / width) * down, across, down);
    });
    pen.globalAlpha = 1;
    pen.lineWidth = 3;
    pen.strokeStyle = colour("--ink");
    pen.strokeRect(this.column * across, 1.5, across, MAP - 3);
  }

  point(event) {
    const { left, width } = this.canvas.getBoundingClientRect(), column = Math.floor(((event.clientX - left) / width) * this.map.width);
    if (column !== this.column) this.go(column);
  }

  key(event) {
    const last = this.map.width - 1, by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -BY_PAGE, PageUp: BY_PAGE, Home: -last, End: last }[event.key];
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.go(this.column + by);
  }
}
