"use strict";
// Maps over two inputs, as SVG: the mean and the standard deviation on a grid, the places of the rows, a scale of colours. The
// value under the pointer, or under a cross that arrow keys move, is read out.

// Sequential colours of even steps in lightness, from dark blue over green to yellow; the same as in `latentforce plot`.
const scale = [[68, 1, 84], [70, 50, 126], [54, 92, 141], [39, 127, 142], [31, 161, 135], [74, 193, 109], [160, 218, 57], [253, 231, 37]];

function scaleColour(share) {
  const at = Math.min(Math.max(share, 0), 1) * (scale.length - 1), k = Math.min(Math.floor(at), scale.length - 2);
  return scale[k].map((c, i) => Math.round(c + (at - k) * (scale[k + 1][i] - c)));
}

// The value of a map at fractions u, v of its two ranges, linear between the points of the grid.
function mapValue(map, values, u, v) {
  const n = map.n, a = u * (n - 1), b = v * (n - 1), i = Math.min(Math.floor(a), n - 2), j = Math.min(Math.floor(b), n - 2);
  const at = (k, l) => values[k * n + l], s = a - i, t = b - j;
  return (1 - s) * ((1 - t) * at(i, j) + t * at(i, j + 1)) + s * ((1 - t) * at(i + 1, j) + t * at(i + 1, j + 1));
}

function mapPicture(map, values, low, high, size) {
  const canvas = element("canvas", { width: size, height: size }), c = canvas.getContext("2d"), pixels = c.createImageData(size, size);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const value = mapValue(map, values, (x + 0.5) / size, 1 - (y + 0.5) / size);
      pixels.data.set([...scaleColour(high > low ? (value - low) / (high - low) : 0.5), 255], 4 * (y * size + x));
    }
  }
  c.putImageData(pixels, 0, 0);
  return canvas.toDataURL();
}

const mapBox = { h: 250, left: 58, top: 22, width: 200, height: 186 };

// One map: values on the grid of chart.map. Returns the picture and the cross that marks a place.
function drawMap(chart, title, values, unit) {
  const b = mapBox, map = chart.map, low = values.reduce((a, v) => Math.min(a, v), Infinity), high = values.reduce((a, v) => Math.max(a, v), -Infinity);
  const ticks = (high > low ? [0, 0.5, 1] : [0.5]).map(share => [share, number(low + share * (high - low), 3)]);
  const w = b.left + b.width + 32 + 6.5 * Math.max(...ticks.map(t => t[1].length));
  const picture = shape("svg", { viewBox: `0 0 ${w} ${b.h}`, role: "img", class: "map", "aria-label": `Map of ${title}, from ${number(low, 3)} to ${number(high, 3)}` });
  const right = b.left + b.width, bottom = b.top + b.height, bar = right + 12, px = x => b.left + (x - map.low[0]) / (map.high[0] - map.low[0]) * b.width;
  const py = x => bottom - (x - map.low[1]) / (map.high[1] - map.low[1]) * b.height;
  const write = (x, y, anchor, text, more = {}) => picture.append(shape("text", { x, y, "text-anchor": anchor, ...more }, text));
  write(b.left, 13, "start", label(title, unit));
  picture.append(shape("image", { x: b.left, y: b.top, width: b.width, height: b.height, preserveAspectRatio: "none", href: mapPicture(map, values, low, high, 100) }),
    shape("rect", { class: "axis", x: b.left, y: b.top, width: b.width, height: b.height }));
  write(b.left, bottom + 13, "start", inputText(map.low[0], 0));
  write(right, bottom + 13, "end", inputText(map.high[0], 0));
  write(b.left + b.width / 2, bottom + 28, "middle", inputLabel(0));
  write(b.left - 4, bottom, "end", inputText(map.low[1], 1));
  write(b.left - 4, b.top + 9, "end", inputText(map.high[1], 1));
  write(0, 0, "middle", inputLabel(1), { transform: `translate(${b.left - 30} ${b.top + b.height / 2}) rotate(-90)` });
  for (let k = 0; k < 32; k++) {
    picture.append(shape("rect", { x: bar, y: bottom - (k + 1) * b.height / 32, width: 12, height: b.height / 32 + 0.5, fill: `rgb(${scaleColour(k / 31)})` }));
  }
  for (const [share, text] of ticks) write(bar + 16, bottom - share * b.height + 4, "start", text);
  chart.at.forEach((i, k) => picture.append(shape("circle", { class: chart.test[k] ? "place held" : "place seen", cx: px(chart.x1[k]), cy: py(chart.x2[k]), r: 2.4 })));
  const cross = shape("path", { class: "cross", d: "" });
  picture.append(cross);
  return { picture, w, place: (x1, x2) => cross.setAttribute("d", `M${px(x1) - 7},${py(x2)}h14M${px(x1)},${py(x2) - 7}v14`) };
}

// A figure with the two maps of an output or a force and, for an output with rows, observed values against predicted ones.
function addMap(parent, chart, title, unit, notes) {
  const map = chart.map, pair = element("div", { class: "pair" }), readout = element("div", { class: "readout", "aria-live": "polite" });
  const step = [0, 1].map(k => (map.high[k] - map.low[k]) / (map.n - 1)), name = k => report.inputs[k].name;
  const places = Array.from({ length: map.n * map.n }, (_, i) => [map.low[0] + Math.floor(i / map.n) * step[0], map.low[1] + i % map.n * step[1]]);
  const headings = [inputLabel(0), inputLabel(1), label("mean", unit), label("sd", unit)];
  const figure = element("figure", { tabindex: "0", "aria-label": title + ". Arrow keys move over the map and read values." },
    element("figcaption", {}, label(title, unit), ...notes.map(t => element("span", { class: "soft" }, " · " + t))), pair, readout,
    lazyTable(() => places.map(([a, b], i) => [inputText(a, 0), inputText(b, 1), number(map.mean[i]), number(map.sd[i])]), headings));
  let drawn = [], at = [Math.floor(map.n / 2), Math.floor(map.n / 2)];
  const read = (x1, x2, near) => {
    const share = [x1, x2].map((x, k) => (x - map.low[k]) / (map.high[k] - map.low[k])), value = values => mapValue(map, values, ...share);
    const row = near === undefined ? -1 : chart.at.findIndex((i, k) => Math.hypot((chart.x1[k] - x1) / (map.high[0] - map.low[0]), (chart.x2[k] - x2) / (map.high[1] - map.low[1])) < near);
    readout.textContent = `${name(0)} ${inputText(x1, 0)}, ${name(1)} ${inputText(x2, 1)}:  mean ${quantity([value(map.mean), null], unit)}, ` +
      `sd ${quantity([value(map.sd), null], unit, 3)}` + (row < 0 ? "" : `, ${chart.test[row] ? "held out" : "observed"} ${quantity([chart.y[row], null], unit)}`);
    for (const one of drawn) one.place(x1, x2);
  };
  whenNear(figure, () => {
    drawn = [drawMap(chart, "mean", map.mean, unit), drawMap(chart, "standard deviation", map.sd, unit)];
    pair.append(...drawn.map(d => d.picture));
    if (chart.at.length) pair.append(predictionDiagram(chart));
    for (const { picture, w } of drawn) {
      picture.addEventListener("pointermove", event => {
        const box = picture.getBoundingClientRect(), b = mapBox, zoom = w / box.width;
        const u = ((event.clientX - box.left) * zoom - b.left) / b.width, v = 1 - ((event.clientY - box.top) * zoom - b.top) / b.height;
        if (u >= 0 && u <= 1 && v >= 0 && v <= 1) read(map.low[0] + u * (map.high[0] - map.low[0]), map.low[1] + v * (map.high[1] - map.low[1]), 0.02);
      });
    }
  });
  figure.addEventListener("keydown", event => {
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[event.key];
    if (event.target !== figure || !move || event.ctrlKey || event.altKey || event.metaKey) return;
    fillIn(figure);
    at = at.map((k, i) => Math.min(Math.max(k + move[i] * (event.shiftKey ? 5 : 1), 0), map.n - 1));
    read(map.low[0] + at[0] * step[0], map.low[1] + at[1] * step[1]);
    event.preventDefault();
  });
  parent.append(figure);
  return figure;
}
