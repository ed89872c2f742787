// Asks the server for the progress every second, and draws the finished runs.

const PERIOD_MS = 1000;
const PARTS = ["done", "failed", "impossible", "running"];
const COLUMNS = ["points", ...PARTS, "left"];
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#777777", "#000000"];
const FABRICS = JSON.parse(document.getElementById("fabrics").textContent);
const element = (name) => document.getElementById(name);

let runs = [];
let last = 0;
let lists = "";
let drawn = null;
let shown = "";

function made(kind, text = "", name = "") {
  const found = document.createElement(kind);
  found.textContent = text;
  if (name) found.className = name;
  return found;
}

function bar(sweep) {
  const whole = made("div", "", "progress");
  for (const part of PARTS) {
    const one = made("div", "", part);
    one.style.width = `${(100 * sweep[part]) / (sweep.points || 1)}%`;
    one.title = `${part}: ${sweep[part]}`;
    whole.append(one);
  }
  return whole;
}

function row(sweep) {
  const line = document.createElement("tr");
  const progress = made("td", "", "text");
  progress.append(bar(sweep));
  line.append(made("td", sweep.name), progress, ...COLUMNS.map((name) => made("td", sweep[name].toLocaleString("en"))));
  return line;
}

function duration(seconds) {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}

function stateOf(found) {
  const open = found.sweeps.reduce((sum, sweep) => sum + sweep.left + sweep.running, 0);
  if (open === 0) return "All runs are done.";
  if (found.processes === 0) return "No process works on it.";
  const rate = `${found.runs_per_s.toFixed(1)} runs/s`;
  return found.left_s === null ? "Running." : `Running: ${rate}, done in about ${duration(found.left_s)}.`;
}

function choose(name, options, preferred) {
  const list = element(name);
  const before = list.value;
  if ([...list.options].map((one) => one.value).join() === options.join()) return;
  list.replaceChildren(...options.map((one) => new Option(one, one)));
  list.value = options.includes(before) ? before : (preferred.find((one) => options.includes(one)) ?? options[0]);
}

function keysOf(figures) {
  const choices = new Set(runs.flatMap((run) => Object.keys(run)).filter((key) => !figures.includes(key) && key !== "sweep"));
  const there = figures.filter((figure) => runs.some((run) => run[figure] !== null));
  return { choices: [...choices], figures: there };
}

const field = (name) => name.replace(/[\\.[\]"']/g, "\\$&");
const isNumber = (name) => runs.every((run) => run[name] === undefined || run[name] === null || typeof run[name] === "number");

function axis(name, isLog) {
  const type = isNumber(name) ? "quantitative" : "nominal";
  const scale = type === "quantitative" ? { type: isLog ? "log" : "linear", zero: false } : undefined;
  return { field: field(name), type, title: name, scale };
}

// A fabric has the same colour as in all pictures.
function colours(name) {
  const values = [...new Set(runs.map((run) => run[name]))];
  const known = values.length > 0 && values.every((value) => value in FABRICS);
  return known ? { domain: values, range: values.map((value) => FABRICS[value]) } : { range: COLOURS };
}

function specification(keys) {
  const [x, y, colour] = ["x", "y", "colour"].map((name) => element(name).value);
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    data: { name: "runs", values: runs },
    width: 900, height: 420,
    params: [{ name: "zoom", select: "interval", bind: "scales" }],
    mark: { type: "point", filled: true, size: 60 },
    encoding: {
      x: axis(x, false),
      y: axis(y, element("log").checked),
      color: { field: field(colour), type: "nominal", title: colour, scale: colours(colour) },
      tooltip: ["sweep", ...keys.choices, x, y].map((name) => ({ field: field(name), title: name })),
    },
  };
}

async function draw(figures) {
  const keys = keysOf(figures);
  const all = [...keys.choices, ...keys.figures];
  choose("x", all, ["iops"]);
  choose("y", keys.figures, ["latency_us.all.p99"]);
  choose("colour", ["sweep", ...keys.choices], ["fabric", ...keys.choices]);
  const wanted = JSON.stringify([all, colours(element("colour").value), ["x", "y", "colour"].map((name) => element(name).value), element("log").checked]);
  if (wanted === shown) {
    await drawn.view.data("runs", runs).runAsync();
    return;
  }
  const actions = { export: true, source: false, compiled: false, editor: false };
  drawn = await vegaEmbed("#plot", specification(keys), { actions, renderer: "canvas" });
  shown = wanted;
}

async function show(found) {
  if (found.error) {
    element("state").textContent = found.error;
    return;
  }
  element("state").textContent = stateOf(found);
  element("sweeps").tBodies[0].replaceChildren(...found.sweeps.map(row));
  element("reasons").replaceChildren(...found.reasons.map((one) => made("li", `${one.runs} failed: ${one.reason}`)));
  runs = [...runs, ...found.runs];
  last = found.last;
  element("results").hidden = runs.length === 0;
  element("count").textContent = `${runs.length.toLocaleString("en")} runs`;
  if (runs.length && (found.runs.length || !drawn)) await draw(found.figures);
  for (const name of ["x", "y", "colour", "log"]) element(name).onchange = () => draw(found.figures);
}

async function update() {
  try {
    let found = await (await fetch(`progress.json?after=${last}`)).json();
    const names = JSON.stringify((found.sweeps ?? []).map((sweep) => [sweep.name, sweep.points]));
    if (lists && names !== lists) {
      // Another sweep may list runs that were finished before.
      runs = [];
      last = 0;
      found = await (await fetch("progress.json?after=0")).json();
    }
    lists = names;
    await show(found);
  } catch (error) {
    element("state").textContent = `The command has ended: ${error.message}.`;
  }
  setTimeout(update, PERIOD_MS);
}

update();
