// Shows the plots that Python has described, each in the element of its name, when it is about to be seen.

const actions = { export: true, source: false, compiled: false, editor: false };
const { slowest, others } = JSON.parse(document.querySelector('[data-data="requests"]').textContent);

// Plots of requests take them from the page's data.
function withRequests(spec) {
  if (spec.data.name === "requests") {
    spec.data.values = [...slowest, ...others].map(({ number, operation, arrival_us, latency_us }) => ({
      number, operation, latency_us, arrival_s: arrival_us / 1e6,
    }));
  }
  return spec;
}

function whenSeen(place) {
  return new Promise((resolve) => {
    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      resolve();
    }, { rootMargin: "200px" });
    watcher.observe(place);
  });
}

async function draw(described) {
  const place = document.getElementById(described.dataset.plot);
  await whenSeen(place);
  const drawn = await vegaEmbed(place, withRequests(JSON.parse(described.textContent)), { actions, renderer: "canvas" });
  return drawn.view;
}

// By the names of their places, promises of views.
window.plots = Object.fromEntries(
  [...document.querySelectorAll("script[data-plot]")].map((described) => [described.dataset.plot, draw(described)]),
);
