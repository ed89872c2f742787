// The array at an instant: what the slider, the buttons and the requests show.

const array = JSON.parse(document.querySelector('[data-data="array"]').textContent);
const content = await unpacked(array.packed);
const slices = slicesOf(content);
const scouts = rowsOf(content.scouts).map((scout) => ({ ...scout, begin: scout.set_out_ps, end: scout.back_ps }));
const [fromPs, toPs] = array.window_ps;

const lanes = lanesBy(slices, ({ row, index }) => keyOf(row, index));
const waits = waitsOf(slices);
const waitsOfChips = lanesBy(waits, ({ chip }) => chip);
const allScouts = new Lane(scouts.toSorted(byBegin));
const conflicts = new Lane(
  [...waits, ...scouts.filter(({ path }) => path === null), ...slices.filter(({ what }) => what === "failed scouts")].toSorted(byBegin),
);
const controllerSlices = slices.filter(({ row }) => row === "controller");
const circuits = lanesBy(controllerSlices.filter(({ what }) => what.startsWith("circuit")), ({ chip }) => chip);
const byRequest = lanesBy(slices.filter(({ request }) => request >= 0), ({ request }) => request);

const board = new Board(array, new Set(controllerSlices.map(({ index }) => index)));
const element = (name) => document.getElementById(`array-${name}`);
const [slider, clock, counts, chosenChip, chosenRequest] = ["slider", "clock", "counts", "chip", "request"].map(element);
const state = { t: fromPs, chip: null, request: null, playing: null };

const microseconds = (ps) => (ps / 1e6).toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const active = (row, index, t) => lanes.get(keyOf(row, index))?.at(t) ?? [];
const isDetour = (chip, t) => (circuits.get(chip)?.at(t) ?? []).some(({ what }) => what === "circuit, misrouted");
const word = (what) => what.replaceAll(/[ ,]+/g, "-");

// A shade from red to brown for the circuit of each chip: neighbours differ by the golden ratio.
const shadeOf = (chip) => {
  const share = (chip * 0.618) % 1;
  return `hsl(${Math.round(-15 + 60 * share)} 85% ${Math.round(32 + 22 * ((3 * share) % 1))}%)`;
};

function setClass(drawn, words) {
  const wanted = words.filter(Boolean).join(" ");
  if (drawn.getAttribute("class") !== wanted) drawn.setAttribute("class", wanted);
}

function drawPlaces(t) {
  board.places.forEach((drawn, index) => {
    const [slice] = active("place", index, t);
    const detour = slice && isDetour(slice.chip, t);
    setClass(drawn, ["place", slice && `busy ${word(slice.what)}`, detour && "detour"]);
    drawn.style.stroke = detour ? shadeOf(slice.chip) : "";
  });
}

// What the planes of a die do; the first of them speaks for all.
function dieState(die, t) {
  const planes = Array.from({ length: array.planes }, (_, plane) => active("plane", die * array.planes + plane, t));
  return planes.flat()[0];
}

function drawChips(t) {
  const count = { at_work: 0, transfers: 0, waiting: 0, collecting: 0 };
  board.chips.forEach(({ group, dies }, chip) => {
    const states = dies.map((_, die) => dieState(chip * array.dies + die, t));
    states.forEach((slice, die) => setClass(dies[die], ["die", slice && word(slice.what)]));
    const [pins] = active("pins", chip, t);
    const [waiting] = waitsOfChips.get(chip)?.at(t) ?? [];
    const planes = Array.from({ length: array.dies * array.planes }, (_, plane) => chip * array.dies * array.planes + plane);
    const collects = planes.some((plane) => active("collection", plane, t).length > 0);
    const isOfRequest = [...states, pins, waiting].some((one) => one && one.request >= 0 && one.request === state.request);
    setClass(group, ["chip", pins && "transfers", waiting && "waits", collects && "collects", isOfRequest && "of-request", chip === state.chip && "chosen"]);
    count.at_work += states.some(Boolean);
    count.transfers += Boolean(pins);
    count.waiting += Boolean(waiting);
    count.collecting += collects;
  });
  return count;
}

function drawControllers(t) {
  for (const drawn of board.controllers) {
    const slice = active("controller", Number(drawn.dataset.controller), t)[0];
    setClass(drawn, ["controller", slice && word(slice.what)]);
  }
}

// A point on the course, so far along it from 0 to 1.
function along(points, share) {
  const place = share * (points.length - 1);
  const [one, other] = [points[Math.floor(place)], points[Math.ceil(place)]];
  const part = place - Math.floor(place);
  return { x: one.x + part * (other.x - one.x), y: one.y + part * (other.y - one.y) };
}

// A scout that finds a path goes there and back; one that fails is drawn straight to where it was sent.
function scoutElements(scout, t) {
  const course = scoutCourse(array, scout);
  const share = (t - scout.begin) / (scout.end - scout.begin);
  const { x, y } = along(course, share < 0.5 ? 2 * share : 2 - 2 * share);
  const kind = scout.path === null ? "failed" : "found";
  return [svg("path", { class: `scout ${kind}`, d: lineThrough(course) }), svg("circle", { class: `scout ${kind}`, cx: x, cy: y, r: 5 })];
}

function drawScouts(t) {
  const now = allScouts.at(t);
  const inVain = board.controllers.flatMap((drawn) => active("controller", Number(drawn.dataset.controller), t))
    .filter(({ what }) => what === "failed scouts");
  const lines = inVain.map(({ index, chip }) =>
    svg("path", { class: "scout failed", d: lineThrough(scoutCourse(array, { sender: "controller", index, chip, path: null })) }));
  board.scouts.replaceChildren(...now.flatMap((scout) => scoutElements(scout, t)), ...lines);
  return { scouts: now.length, failing: now.filter(({ path }) => path === null).length + inVain.length };
}

function counted(t) {
  const chips = drawChips(t);
  const { scouts: sent, failing } = drawScouts(t);
  const laid = [...circuits.values()].flatMap((lane) => lane.at(t));
  const misrouted = laid.filter(({ what }) => what === "circuit, misrouted").length;
  const onMesh = circuits.size > 0 ? [`${laid.length} circuits, ${misrouted} of them misrouted`, `${sent} scouts`, `${failing} failing`] : [];
  return [`${chips.at_work} chips at work`, `${chips.transfers} transfers`, ...onMesh, `${chips.waiting} chips wait for a path`, `${chips.collecting} collect`];
}

const row = (cells) => {
  const made = document.createElement("tr");
  made.append(...cells.map((cell) => Object.assign(document.createElement("td"), { textContent: cell })));
  return made;
};

function tableOf(titles, rows) {
  const [table, head] = [document.createElement("table"), document.createElement("tr")];
  head.append(...titles.map((title) => Object.assign(document.createElement("th"), { textContent: title })));
  table.append(head, ...rows);
  return table;
}

const steps = (things) => things.map(({ what, row: kind, chip, begin, end }) =>
  row([what, kind === "queue" ? "host" : `${kind} of chip ${chip}`, microseconds(begin), microseconds(end - begin)]));

// What a chip is busy with, and for whom.
function drawChosenChip(t) {
  if (state.chip === null) return;
  const { dies, planes } = array;
  const first = state.chip * dies * planes;
  const now = [...active("pins", state.chip, t), ...Array.from({ length: dies * planes }, (_, plane) => active("plane", first + plane, t)).flat()];
  const rows = now.map((slice) => {
    const made = row([slice.what, slice.row, microseconds(slice.begin), microseconds(slice.end - slice.begin), slice.request < 0 ? "–" : `${slice.request}`]);
    if (slice.request >= 0) made.onclick = () => tellOf(slice.request);
    made.dataset.request = slice.request;
    return made;
  });
  const title = Object.assign(document.createElement("h3"), { textContent: `chip ${state.chip}` });
  chosenChip.replaceChildren(title, now.length ? tableOf(["", "where", "from, µs", "for, µs", "request"], rows) : "idle");
}

// The whole page looks at this request.
const tellOf = (number) => document.dispatchEvent(new CustomEvent("venice-request", { detail: number }));

function drawChosenRequest() {
  const found = byRequest.get(state.request)?.things;
  if (!found) return chosenRequest.replaceChildren();
  const title = Object.assign(document.createElement("h3"), { textContent: `request ${state.request.toLocaleString("en")} in the array` });
  const places = found.filter(({ row: kind }) => kind !== "place");
  chosenRequest.replaceChildren(title, tableOf(["", "where", "from, µs", "for, µs"], steps(places)));
}

function show(t) {
  state.t = Math.min(Math.max(t, fromPs), toPs);
  slider.value = `${((state.t - fromPs) / (toPs - fromPs)) * slider.max}`;
  clock.textContent = `${microseconds(state.t)} µs`;
  drawPlaces(state.t);
  drawControllers(state.t);
  counts.textContent = counted(state.t).join(", ");
  drawChosenChip(state.t);
}

function choose({ chip = state.chip, request = state.request }) {
  Object.assign(state, { chip, request });
  drawChosenRequest();
  show(state.t);
}

// Shows a request that the window has at its first step in the array.
function showRequest(number, goes) {
  const found = byRequest.get(number)?.things.filter(({ row: kind }) => kind !== "queue");
  if (goes && found?.length) state.t = Math.min(Math.max(found[0].begin, fromPs), toPs);
  choose({ request: number, chip: goes && found?.length ? found[0].chip : state.chip });
}

function play(then) {
  if (state.playing === null) return;
  const now = performance.now();
  const next = state.t + ((now - then) / 1000) * Number(element("speed").value) * 1e6;
  show(next);
  if (next >= toPs) return stop();
  state.playing = requestAnimationFrame(() => play(now));
}

function stop() {
  cancelAnimationFrame(state.playing);
  state.playing = null;
  element("play").textContent = "Play";
}

function start() {
  if (state.t >= toPs) state.t = fromPs;
  element("play").textContent = "Pause";
  state.playing = requestAnimationFrame(() => play(performance.now()));
}

const goTo = (thing) => thing && show(thing.begin);

slider.oninput = () => show(fromPs + (Number(slider.value) / Number(slider.max)) * (toPs - fromPs));
element("play").onclick = () => (state.playing === null ? start() : stop());
element("next-conflict").onclick = () => goTo(conflicts.after(state.t));
element("previous-conflict").onclick = () => goTo(conflicts.before(state.t));
element("next-scout").onclick = () => goTo(allScouts.after(state.t));
element("next-scout").hidden = scouts.length === 0;
board.chips.forEach(({ group }, chip) => {
  group.onclick = () => choose({ chip });
  group.onkeydown = (event) => event.key === "Enter" && choose({ chip });
});
document.addEventListener("venice-request", ({ detail }) => showRequest(detail, true));

// The instant at which most transfers are under way; the middle of a window without any.
function busiest() {
  const steps = slices.filter(({ row: kind }) => kind === "pins")
    .flatMap(({ begin, end }) => [[begin, 1], [end, -1]])
    .sort(([one, up], [other, down]) => one - other || up - down);
  let [now, most, instant] = [0, 0, fromPs + (toPs - fromPs) / 2];
  for (const [t, change] of steps) {
    now += change;
    if (now > most && t >= fromPs && t < toPs) [most, instant] = [now, t];
  }
  return instant;
}

element("drawing").append(board.drawing);
showRequest(window.chosenRequest ?? null, false);
show(busiest());
