// The array as a drawing: chips, controllers, and the places of the fabric between them.

const SVG = "http://www.w3.org/2000/svg";
const PITCH = 64;
const CHIP = 34;
const BESIDE = 5;

function svg(kind, attributes, ...content) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

const lineThrough = (points) => points.map(({ x, y }, place) => `${place ? "L" : "M"}${x} ${y}`).join(" ");

// The middle of a chip.
function chipAt(array, chip) {
  return { x: ((chip % array.cols) + 1.5) * PITCH, y: (Math.floor(chip / array.cols) + 1) * PITCH };
}

// Beside its row, or above its column where a place leads down from it.
function controllerAt(array, index, stops = []) {
  const [one, other] = stops.filter(({ kind }) => kind === "chip").map((stop) => chipAt(array, stop.index));
  if (one && other && one.x === other.x) return { x: one.x, y: one.y - 0.8 * PITCH };
  const [row, second] = [index % array.rows, index >= array.rows];
  return { x: second ? (array.cols + 1.5) * PITCH : PITCH / 2, y: (row + 1) * PITCH };
}

// Where a place runs; past what lies between two of its stops that are no neighbours, below.
function courseOf(array, { stops }) {
  const points = [];
  for (const stop of stops) {
    const here = stop.kind === "chip" ? chipAt(array, stop.index) : controllerAt(array, stop.index, stops);
    const last = points.at(-1);
    if (last && Math.abs(last.x - here.x) > 1.5 * PITCH) {
      points.push({ x: last.x, y: last.y + 0.42 * PITCH }, { x: here.x, y: here.y + 0.42 * PITCH });
    }
    points.push(here);
  }
  return points;
}

// Places over the same course lie beside each other.
function beside(points, seen) {
  const ends = [points[0], points.at(-1)].map(({ x, y }) => `${x},${y}`).sort().join(" ");
  const before = seen.get(ends) ?? 0;
  seen.set(ends, before + 1);
  const level = points[0].y === points.at(-1).y;
  return points.map(({ x, y }) => (level ? { x, y: y + before * BESIDE } : { x: x + before * BESIDE, y }));
}

function placeElements(array) {
  const seen = new Map();
  return array.places.map((place, index) => {
    const drawn = svg("path", { class: "place", "data-place": index, d: "" }, svg("title", {}, place.name));
    if (place.stops.length > 1) drawn.setAttribute("d", lineThrough(beside(courseOf(array, place), seen)));
    return drawn;
  });
}

// A box for each die, and room for what else is told of the chip.
function chipElement(array, chip) {
  const { x, y } = chipAt(array, chip);
  const high = CHIP / array.dies;
  const dies = Array.from({ length: array.dies }, (_, die) =>
    svg("rect", { class: "die", x: x - CHIP / 2, y: y - CHIP / 2 + die * high, width: CHIP, height: high }));
  const frame = svg("rect", { class: "frame", x: x - CHIP / 2, y: y - CHIP / 2, width: CHIP, height: CHIP });
  const number = svg("text", { x, y: y + 4 }, `${chip}`);
  const group = svg("g", { class: "chip", "data-chip": chip, tabindex: 0 }, ...dies, frame, number);
  return { group, dies };
}

function controllerElement(array, index, at) {
  const { x, y } = at ?? controllerAt(array, index);
  const box = svg("rect", { x: x - 15, y: y - 11, width: 30, height: 22, rx: 4 });
  return svg("g", { class: "controller", "data-controller": index }, box, svg("text", { x, y: y + 4 }, `c${index}`));
}

// Controllers that places lead to, each where it is met, and those that only send scouts.
function controllerElements(array, senders) {
  const places = array.places.flatMap(({ stops }) =>
    stops.filter(({ kind }) => kind === "controller").map(({ index }) => ({ index, at: controllerAt(array, index, stops) })));
  const alone = [...senders].map((index) => ({ index, at: controllerAt(array, index) }));
  const known = new Map([...places, ...alone].map((one) => [`${one.index} ${one.at.x} ${one.at.y}`, one]));
  return [...known.values()].map(({ index, at }) => controllerElement(array, index, at));
}

// The way of a scout: from its sender over the routers of its path.
function scoutCourse(array, { sender, index, chip, path }) {
  const from = sender === "chip" ? chipAt(array, index) : controllerAt(array, index);
  return [from, ...(path ?? [chip]).map((router) => chipAt(array, router))];
}

class Board {
  constructor(array, senders) {
    this.array = array;
    this.places = placeElements(array);
    this.chips = Array.from({ length: array.rows * array.cols }, (_, chip) => chipElement(array, chip));
    this.controllers = controllerElements(array, senders);
    this.scouts = svg("g", { class: "scouts" });
    const [width, height] = [(array.cols + 2) * PITCH, (array.rows + 1) * PITCH];
    const parts = [...this.places, ...this.controllers, ...this.chips.map(({ group }) => group), this.scouts];
    this.drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "the array" }, ...parts);
  }
}
