// What was busy with what, found by time.

// Unpacks what Python has packed: JSON, deflated.
async function unpacked(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

// Columns as rows; slices with their begin and end in picoseconds.
function slicesOf({ first_ps, slices }) {
  let begin = first_ps;
  return slices.row.map((row, place) => {
    begin += slices.begin_ps[place];
    const { index, what, request, chip } = slices;
    const end = begin + slices.span_ps[place];
    return { row, index: index[place], what: what[place], request: request[place], chip: chip[place], begin, end };
  });
}

function rowsOf(columns) {
  const names = Object.keys(columns);
  return columns[names[0]].map((_, place) => Object.fromEntries(names.map((name) => [name, columns[name][place]])));
}

// Things with a begin and an end, in order of their begin.
class Lane {
  constructor(things) {
    this.things = things;
    let last = -Infinity;
    this.lastEnds = things.map(({ end }) => (last = Math.max(last, end)));
  }

  // How many begin at t or before.
  begun(t) {
    let [low, high] = [0, this.things.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.things[middle].begin <= t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Those that go on at t.
  at(t) {
    const found = [];
    for (let place = this.begun(t) - 1; place >= 0 && this.lastEnds[place] > t; place -= 1) {
      if (this.things[place].end > t) found.push(this.things[place]);
    }
    return found;
  }

  // The first that begins after t.
  after(t) {
    return this.things[this.begun(t)];
  }

  // The last that begins before t.
  before(t) {
    let place = this.begun(t) - 1;
    while (place >= 0 && this.things[place].begin >= t) place -= 1;
    return this.things[place];
  }
}

// Lanes by what `keyOf` gives, from things in order of their begin.
function lanesBy(things, keyOf) {
  const groups = new Map();
  for (const thing of things) {
    const key = keyOf(thing);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(thing);
  }
  return new Map([...groups].map(([key, group]) => [key, new Lane(group)]));
}

const keyOf = (row, index) => `${row} ${index}`;
const byBegin = (one, other) => one.begin - other.begin;

// From when to when data that an array has read waited for a path.
function waitsOf(slices) {
  const read = new Map();
  const waits = [];
  for (const slice of slices.toSorted((one, other) => one.end - other.end)) {
    const whose = `${slice.chip} ${slice.request}`;
    if (slice.row === "plane" && slice.what === "read" && slice.request >= 0) read.set(whose, slice.end);
    if (slice.row === "pins" && slice.what === "data out" && read.has(whose)) {
      const begin = read.get(whose);
      if (begin < slice.begin) waits.push({ chip: slice.chip, request: slice.request, begin, end: slice.begin });
      read.delete(whose);
    }
  }
  return waits.toSorted(byBegin);
}
