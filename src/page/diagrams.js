"use strict";
// Small diagrams as SVG: autocorrelation, cumulative periodogram, quantiles against those of a normal distribution, observed
// against predicted.

function shape(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// A frame for x in [x0, x1] and y in [y0, y1]; returns the picture and the two scales.
function frame(title, xTitle, [x0, x1], [y0, y1]) {
  const longest = Math.max(number(y0, 3).length, number(y1, 3).length);
  const w = 260, h = 190, left = Math.max(44, 8 + 6.5 * longest), top = 18, right = 8, bottom = 32;
  const picture = shape("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": title });
  const px = v => left + (v - x0) / (x1 - x0 || 1) * (w - left - right);
  const py = v => h - bottom - (v - y0) / (y1 - y0 || 1) * (h - top - bottom);
  picture.append(shape("text", { x: left, y: 11 }, title),
    shape("text", { x: (left + w - right) / 2, y: h - 4, "text-anchor": "middle" }, xTitle),
    shape("path", { class: "axis", d: `M${left},${top}V${h - bottom}H${w - right}` }));
  for (const v of [x0, x1]) {
    picture.append(shape("text", { x: px(v), y: h - bottom + 12, "text-anchor": v === x0 ? "start" : "end" }, number(v, 3)));
  }
  for (const v of [y0, y1]) picture.append(shape("text", { x: left - 4, y: py(v) + 4, "text-anchor": "end" }, number(v, 3)));
  return { picture, px, py, left, right: w - right };
}

// The 95 % limits hold for residuals without autocorrelation.
function autocorrelationDiagram(residuals, steps) {
  const { autocorrelation: values, limit } = residuals;
  const low = Math.min(-0.2, -limit * 1.2, ...values), high = Math.max(0.2, limit * 1.2, ...values);
  const f = frame(steps ? "autocorrelation of one-step errors" : "autocorrelation of residuals", "lag, in rows", [0, values.length + 1], [low, high]);
  for (const v of [-limit, limit]) f.picture.append(shape("path", { class: "expected", d: `M${f.left},${f.py(v)}H${f.right}` }));
  f.picture.append(shape("path", { class: "axis", d: `M${f.left},${f.py(0)}H${f.right}` }));
  values.forEach((v, k) => f.picture.append(shape("path", { class: "bar", d: `M${f.px(k + 1)},${f.py(0)}V${f.py(v)}` },
    shape("title", {}, `lag ${k + 1}: ${number(v, 3)}`))));
  return f.picture;
}

// The share of the variance of one-step errors up to each frequency: a straight line for white noise, within the dashed lines in 95 % of
// the cases. Frequencies are in cycles per unit of the input where rows are evenly spaced, else per row.
function periodogramDiagram(errors) {
  const { unit } = report.inputs[0], spacing = errors.spacing || 1, pairs = [[0, 0], ...errors.cumulative.map(([f, share]) => [f / spacing, share])];
  const end = pairs[pairs.length - 1][0], per = !errors.spacing ? "row" : unit || "unit of " + report.inputs[0].name, title = "cumulative periodogram";
  const f = frame(title, "frequency, in cycles per " + per, [0, end], [0, 1]);
  const clipped = offset => { // the line y = x / end + offset, inside the frame
    const from = Math.max(0, -offset), to = Math.min(1, 1 - offset);
    return `M${f.px(from * end)},${f.py(from + offset)}L${f.px(to * end)},${f.py(to + offset)}`;
  };
  for (const offset of [-errors.bound, errors.bound]) f.picture.append(shape("path", { class: "expected", d: clipped(offset) }));
  f.picture.append(shape("path", { class: "axis", d: clipped(0) }),
    shape("path", { class: "curve", d: "M" + pairs.map(([x, y]) => `${f.px(x).toFixed(2)},${f.py(y).toFixed(2)}`).join("L") }));
  const p = errors.periodogram_p < 1e-4 ? "< 0.0001" : "= " + number(errors.periodogram_p, 2);
  f.picture.append(shape("title", {}, `${title}: largest distance from the line ${number(errors.periodogram, 2)}, p ${p}`));
  return f.picture;
}

function quantileDiagram(residuals) {
  const pairs = residuals.quantiles; // expected of a normal distribution, found
  const reach = Math.max(3, ...pairs.map(p => Math.abs(p[0]))), tall = Math.max(3, ...pairs.map(p => Math.abs(p[1])));
  const f = frame("quantiles of residuals (QQ)", "quantile of a normal distribution", [-reach, reach], [-tall, tall]);
  const end = Math.min(reach, tall);
  f.picture.append(shape("path", { class: "expected", d: `M${f.px(-end)},${f.py(-end)}L${f.px(end)},${f.py(end)}` }));
  for (const [x, z] of pairs) {
    f.picture.append(shape("circle", { class: "seen", cx: f.px(x), cy: f.py(z), r: 2 },
      shape("title", {}, `expected ${number(x, 3)}, found ${number(z, 3)}`)));
  }
  return f.picture;
}

function predictionDiagram(chart) {
  const all = chart.y.concat(chart.at.map(i => chart.mean[i]));
  const limits = [all.reduce((a, b) => Math.min(a, b), Infinity), all.reduce((a, b) => Math.max(a, b), -Infinity)];
  const f = frame("observed (up) against predicted", "predicted", limits, limits);
  f.picture.append(shape("path", { class: "expected", d: `M${f.px(limits[0])},${f.py(limits[0])}L${f.px(limits[1])},${f.py(limits[1])}` }));
  chart.at.forEach((i, k) => f.picture.append(shape("circle", { class: chart.test[k] ? "held" : "seen", cx: f.px(chart.mean[i]),
    cy: f.py(chart.y[k]), r: 1.6 })));
  return f.picture;
}
