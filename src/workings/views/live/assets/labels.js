// Where names stand beside their points: where they touch no point and no other name, and cross as few lines as they can.

const NEAR = 30, ROUND_ABOUT = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1], [1, -0.5], [1, 0.5], [-1, -0.5], [-1, 0.5], [0.5, -1], [-0.5, -1], [0.5, 1], [-0.5, 1]];

const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

// Dots along a line, close enough for nothing as small as a letter to lie between them.
function dots([[a, b], [c, d]]) {
  const count = Math.ceil(Math.hypot(c - a, d - b) / 6);
  return Array.from({ length: count }, (_, n) => [a + ((c - a) * n) / count, b + ((d - b) * n) / count]);
}

// What measures the names of a figure.
function penOf(figure) {
  const pen = make("canvas").getContext("2d");
  pen.font = `12px ${getComputedStyle(figure).fontFamily}`;
  return pen;
}

class Labels {
  // `edge` is the side of the drawing; what is written there already is part of `written`.
  constructor(pen, edge, points, lines, written = []) {
    this.edge = edge;
    this.pen = pen;
    this.points = points;
    this.along = lines.flatMap(dots);
    this.boxes = written.map((text) => {
      const x = Number(text.getAttribute("x")), y = Number(text.getAttribute("y")), { width } = this.pen.measureText(text.textContent);
      const left = x - width * ({ middle: 0.5, end: 1 }[text.getAttribute("text-anchor")] ?? 0);
      return [left, y - 11, left + width, y + 3];
    });
  }

  // A name beside its point, with a line to it where it is not near. Of the ways round the point, and then further off,
  // the first of those that disturb the least; those that lead `away` come first.
  write([x, y], name, away = null) {
    const { width } = this.pen.measureText(name), turned = ([dx, dy]) => -(dx * away[0] + dy * away[1]) / Math.hypot(dx, dy);
    const ways = away ? ROUND_ABOUT.toSorted((one, other) => turned(one) - turned(other)) : ROUND_ABOUT;
    let best = { cost: Infinity };
    for (const far of [12, 20, NEAR, 45, 60, 80, 100]) for (const [dx, dy] of ways) {
      const further = far > NEAR ? far / 20 : 0;
      if (best.cost <= further) break;
      const left = x + dx * far - ((1 - dx) * width) / 2, middle = y + dy * (far + 5), box = [left, middle - 8, left + width, middle + 7];
      const to = [clamp(x, left, left + width), clamp(y, middle - 8, middle + 7)], leader = far < NEAR ? [] : dots([[x, y], to]);
      const cost = this.cost(box, leader) + further;
      if (cost < best.cost) best = { box, cost, to, leader };
    }
    const { box, to, leader } = best, text = draw("text", { x: box[0], y: box[3] - 3 }, name);
    this.boxes.push(box);
    this.along.push(...leader);
    return leader.length ? [draw("line", { class: "leader", x1: x, y1: y, x2: to[0], y2: to[1] }), text] : [text];
  }

  cost(box, leader) {
    const over = ([a, b, c, d], [e, f, g, h]) => a < g && e < c && b < h && f < d, within = ([x, y], far, where = box) => over(where, [x - far, y - far, x + far, y + far]);
    const outside = box[0] < 2 || box[1] < 2 || box[2] > this.edge - 2 || box[3] > this.edge - 2;
    const count = (list, test) => list.reduce((sum, each) => sum + test(each), 0);
    return 1000 * outside + 100 * count(this.points, (point) => within(point, 9)) + 100 * count(this.boxes, (each) => over(box, each) + count(leader, (point) => within(point, 0, each)) / 40) + count(this.along, (point) => within(point, 1));
  }
}
