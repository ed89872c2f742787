// The requests: a list and a plot of points; a click on either shows where the request's time went.

const { parts, slowest, others } = JSON.parse(document.querySelector('[data-data="requests"]').textContent);
const all = [...slowest, ...others];
const byNumber = new Map(all.map((request) => [request.number, request]));
const list = document.getElementById("requests");
const plot = window.plots["requests-plot"];

const nameOf = (request) => `${request.operation} ${request.number.toLocaleString("en")}`;
const microseconds = (us) => us.toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 });

// A time in the unit that suits it.
function timeText(us) {
  const [scale, unit] = us >= 1e6 ? [1e6, "s"] : us >= 1e3 ? [1e3, "ms"] : [1, "µs"];
  return `${(us / scale).toLocaleString("en", { maximumSignificantDigits: 5 })} ${unit}`;
}

function element(kind, content, attributes = {}) {
  const made = Object.assign(document.createElement(kind), attributes);
  made.append(...[content].flat());
  return made;
}

const line = (cell, texts) => element("tr", texts.map((text) => element(cell, text)));

function table(titles, rows) {
  return element("table", [element("thead", line("th", titles)), element("tbody", rows)]);
}

// A row of the list, by mouse and by keyboard.
function listed(request) {
  const row = line("td", [nameOf(request), `${request.chip ?? "–"}`, microseconds(request.latency_us)]);
  row.dataset.number = request.number;
  row.tabIndex = 0;
  row.onclick = () => tell(request.number);
  row.onkeydown = (event) => event.key === "Enter" && tell(request.number);
  return row;
}

// Its parts, in the order of its way through the drive.
function partsOf(request) {
  return parts
    .filter((part) => request.parts_us[part.key])
    .map((part) => ({ ...part, us: request.parts_us[part.key], pct: (100 * request.parts_us[part.key]) / request.latency_us }));
}

function bar(parts) {
  const boxes = parts.map((part) => {
    const box = element("div", "", { title: `${part.label}: ${microseconds(part.us)} µs` });
    box.style.background = part.colour;
    box.style.flexGrow = part.us;
    return box;
  });
  return element("div", boxes, { className: "parts" });
}

function partLine(part) {
  const swatch = element("span", "", { className: "swatch" });
  swatch.style.background = part.colour;
  const row = line("td", [[swatch, part.label], microseconds(part.us), `${part.pct.toFixed(1)} %`]);
  row.dataset.us = part.us;
  return row;
}

function shown(request) {
  const parts = partsOf(request);
  const sum = parts.reduce((us, part) => us + part.us, 0);
  const where = `${request.size_bytes.toLocaleString("en")} bytes at sector ${request.start_sector.toLocaleString("en")}, queue ${request.queue}`;
  const when = `issued at ${timeText(request.arrival_us)}, took ${timeText(request.latency_us)}`;
  const chip = request.chip === null ? "no chip" : `chip ${request.chip}`;
  const total = line("th", ["latency", microseconds(sum), "100.0 %"]);
  total.dataset.total = sum;
  return [
    element("h3", nameOf(request)),
    element("p", `${where}, ${chip}; ${when}.`),
    bar(parts),
    table(["part", "µs", "share"], [...parts.map(partLine), total]),
  ];
}

// The whole page looks at this request; the array, too.
const tell = (number) => document.dispatchEvent(new CustomEvent("venice-request", { detail: number }));

function choose(number) {
  window.chosenRequest = number;
  document.getElementById("request").replaceChildren(...shown(byNumber.get(number)));
  for (const row of list.querySelectorAll("tbody tr")) row.ariaSelected = `${row.dataset.number === `${number}`}`;
  plot.then((view) => view.signal("chosen", number).runAsync());
}

if (plot) {
  list.append(table(["slowest requests", "chip", "latency, µs"], slowest.map(listed)));
  document.addEventListener("venice-request", ({ detail }) => byNumber.has(detail) && choose(detail));
  if (all.length > 0) choose(all[0].number);
  const view = await plot;
  view.addEventListener("click", (_event, item) => item?.datum?.number !== undefined && tell(item.datum.number));
}
