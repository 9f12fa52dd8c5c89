"use strict";
// Charts over one axis: the posterior with its bands, and the rows. dygraphs draws a chart when it comes into view. Charts over
// time are linked: they show the same range. Names are inserted as text nodes only, never as HTML.

const charts = []; // every chart: {figure, draw, graph, linked, extent, seen, stale}
let shown = null;  // the time range of linked charts; null: everything
let moving = false;

function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  node.append(...children); // texts become text nodes
  return node;
}

function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// ---- plotters of series; values are [low, middle, high], y_top and y_bottom are fractions of the plot height ----

function band(opacity) {
  return e => {
    const area = e.plotArea, c = e.drawingContext, points = e.points.filter(p => Number.isFinite(p.y_top));
    c.fillStyle = `rgba(${colour("--band")}, ${opacity})`;
    c.beginPath();
    for (const p of points) c.lineTo(p.canvasx, area.y + p.y_top * area.h);
    for (const p of points.reverse()) c.lineTo(p.canvasx, area.y + p.y_bottom * area.h);
    c.fill();
  };
}

function both(first, second) { return e => { first(e); second(e); }; }

function line(e) {
  const c = e.drawingContext;
  c.strokeStyle = colour("--mean");
  c.lineWidth = 1.5;
  c.beginPath();
  for (const p of e.points) if (Number.isFinite(p.canvasy)) c.lineTo(p.canvasx, p.canvasy);
  c.stroke();
}

// A value that holds until the next.
function steps(e) {
  const c = e.drawingContext;
  let before = null;
  c.strokeStyle = colour("--mean");
  c.lineWidth = 1.5;
  c.beginPath();
  for (const p of e.points.filter(p => Number.isFinite(p.canvasy))) {
    if (before) c.lineTo(p.canvasx, before.canvasy);
    c.lineTo(p.canvasx, p.canvasy);
    before = p;
  }
  c.stroke();
}

// A line from 0 to each value, and a dot.
function stems(e) {
  const c = e.drawingContext, zero = e.dygraph.toDomYCoord(0);
  c.strokeStyle = c.fillStyle = colour("--mean");
  c.lineWidth = 1.5;
  for (const p of e.points.filter(p => Number.isFinite(p.canvasy))) {
    c.beginPath();
    c.moveTo(p.canvasx, zero);
    c.lineTo(p.canvasx, p.canvasy);
    c.stroke();
    c.beginPath();
    c.arc(p.canvasx, p.canvasy, 2.4, 0, 7);
    c.fill();
  }
}

// Held-out rows are hollow squares, so that they do not hide the prediction; the mean is drawn after them.
function dots(name, hollow) {
  return e => {
    const area = e.plotArea, c = e.drawingContext, shown = e.points.filter(p => Number.isFinite(p.canvasy)), many = shown.length;
    const spacing = many > 1 ? (shown[many - 1].canvasx - shown[0].canvasx) / (many - 1) : area.w;
    const r = Math.min(many > 1000 ? 1.2 : many > 100 ? 1.5 : 2.4, Math.max(1.1, 0.3 * spacing));
    c.fillStyle = c.strokeStyle = colour(name);
    c.lineWidth = 1;
    for (const p of shown) {
      const top = area.y + p.y_top * area.h, bottom = area.y + p.y_bottom * area.h;
      c.beginPath();
      if (Math.abs(bottom - top) > 2 * r) { c.moveTo(p.canvasx, top); c.lineTo(p.canvasx, bottom); c.stroke(); c.beginPath(); }
      if (hollow) c.strokeRect(p.canvasx - r - 0.5, p.canvasy - r - 0.5, 2 * r + 1, 2 * r + 1);
      else { c.arc(p.canvasx, p.canvasy, r, 0, 7); c.fill(); }
    }
  };
}

// ---- linked time axes ----

function apply(chart) {
  chart.stale = false;
  moving = true;
  chart.graph.updateOptions({ dateWindow: shown });
  moving = false;
}

function show(range) {
  shown = range;
  for (const chart of charts) {
    if (!chart.linked || !chart.graph) continue;
    if (chart.seen) apply(chart); else chart.stale = true;
  }
}

// `how` is "in", "out", "left", "right" or "reset".
function move(how) {
  const first = charts.find(c => c.linked);
  if (!first) return;
  const [low, high] = first.extent, [from, to] = shown || [low, high];
  const middle = (from + to) / 2, width = to - from;
  const next = { in: [middle - width / 4, middle + width / 4], out: [middle - width, middle + width],
    left: [from - width / 4, to - width / 4], right: [from + width / 4, to + width / 4], reset: [low, high] }[how];
  show(next[0] <= low && next[1] >= high ? null : next);
}

function followed(graph) {
  if (moving) return;
  const [from, to] = graph.xAxisRange(), [low, high] = graph.xAxisExtremes();
  const range = from <= low && to >= high ? null : [from, to];
  if (String(range) !== String(shown)) show(range);
}

// ---- one chart ----

// The values of a chart as a table, which is built when it is opened.
function lazyTable(rows, headings) {
  const details = element("details", {}, element("summary", { class: "soft" }, "Values"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(table(headings, rows()));
  });
  return details;
}

function table(headings, rows, options = {}) {
  const body = element("tbody");
  for (const cells of rows) {
    body.append(element("tr", {}, ...cells.map((c, k) =>
      element(k ? "td" : "th", k ? { class: (options.text || []).includes(k) ? "text" : "" } : { scope: "row" }, c))));
  }
  const head = element("thead", {}, element("tr", {}, ...headings.map((h, k) =>
    element("th", { scope: "col", class: (options.text || []).includes(k) ? "text" : "" }, h))));
  return element("div", { class: "scroll", tabindex: "0" },
    element("table", { class: options.kind || "" }, ...(options.caption ? [element("caption", {}, options.caption)] : []), head, body));
}

// Width of the labels of the y axis, in pixels.
function labelWidth(rows) {
  let low = Infinity, high = -Infinity;
  for (const row of rows) for (const v of row.slice(1)) if (v) { low = Math.min(low, v[1]); high = Math.max(high, v[1]); }
  const digits = Math.max(number(low, 3).length, number(high, 3).length, number((high - low) / 7, 2).length);
  return Math.min(Math.max(12 + 7 * digits, innerWidth < 600 ? 36 : 60), 110);
}

// dygraphs takes labels of axes as HTML.
function asHtml(text) { return String(text).replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`); }

// spec: title, notes (texts), includeZero, xlabel, linked, extent [from, to], dated (x are milliseconds since 1970), labels and series (options
// of dygraphs), rows() → [[x, [low, middle, high] or null, …], …], observed(row) → whether a row of the data is drawn there, headings,
// values(row) → a text for each heading, "" if there is no value, read(row) → what is read out
function addChart(parent, spec) {
  const plot = element("div", { class: "plot" });
  const readout = element("div", { class: "readout", "aria-live": "polite" });
  const caption = element("figcaption", {}, spec.title, ...(spec.notes || []).map(t => element("span", { class: "soft" }, " · " + t)));
  const figure = element("figure", { tabindex: "0", "aria-label": spec.title +
    ". Left and right arrow read values, plus and minus zoom, 0 shows everything." }, caption, plot, readout,
    lazyTable(() => spec.rows().map(spec.values), spec.headings));
  const chart = { figure, linked: spec.linked, extent: spec.extent, graph: null, seen: false, stale: false };
  let rows = null, row = -1;
  chart.draw = () => {
    if (chart.graph) return;
    rows = spec.rows();
    chart.graph = new Dygraph(plot, rows, {
      labels: spec.labels, series: spec.series, customBars: true, xRangePad: 5, includeZero: Boolean(spec.includeZero), legend: "never", dateWindow: spec.linked ? shown : null,
      xlabel: asHtml(spec.xlabel), xLabelHeight: 14, labelsUTC: true,
      axes: { y: { axisLabelWidth: labelWidth(rows), axisLabelFormatter: v => number(v, 6) },
        x: { axisLabelWidth: 60, ...(spec.dated ? { ticker: Dygraph.dateTicker, axisLabelFormatter: Dygraph.dateAxisLabelFormatter } : {}) } },
      interactionModel: { ...Dygraph.defaultInteractionModel,
        touchstart: (e, g, c) => touch(e, g, c, Dygraph.defaultInteractionModel.touchstart),
        touchmove: (e, g, c) => touch(e, g, c, Dygraph.defaultInteractionModel.touchmove),
        touchend: (e, g, c) => { if (c.initialTouches && c.initialTouches.length > 1) Dygraph.defaultInteractionModel.touchend(e, g, c); } },
 gridLineColor: colour("--rule"), axisLineColor: colour("--rule"),
      drawHighlightPointCallback: (g, name, c, x, y) => {
        c.strokeStyle = colour("--ink");
        c.beginPath();
        c.arc(x, y, 4, 0, 7);
        c.stroke();
      },
      colors: spec.labels.slice(1).map(() => colour("--mean")),
      highlightCallback: (event, x, points, index) => { row = index; readout.textContent = spec.read(observed(index) || rows[index]); },
      unhighlightCallback: () => { readout.textContent = ""; },
      drawCallback: (graph, initial) => { if (!initial && spec.linked) followed(graph); }
    });
    chart.paint = () => chart.graph.updateOptions({ gridLineColor: colour("--rule"), axisLineColor: colour("--rule") });
  };
  // The nearest row with an observation within a few pixels of row k: observations take precedence for the pointer.
  const observed = k => {
    const place = i => chart.graph.toDomXCoord(rows[i][0]), near = i => i >= 0 && i < rows.length && Math.abs(place(i) - place(k)) < 4;
    const has = i => spec.observed && spec.observed(rows[i]);
    for (let by = 0; near(k - by) || near(k + by); by++) {
      for (const i of [k - by, k + by]) if (near(i) && has(i)) return rows[i];
    }
    return null;
  };
  const step = by => {
    chart.draw();
    const [from, to] = chart.graph.xAxisRange();
    let next = row < 0 ? (by > 0 ? 0 : rows.length - 1) : row + by;
    while (next >= 0 && next < rows.length && rows[next][0] < from) next++;
    while (next >= 0 && next < rows.length && rows[next][0] > to) next--;
    if (next < 0 || next >= rows.length) return;
    row = next;
    chart.graph.setSelection(row);
    readout.textContent = spec.read(rows[row]);
  };
  // One finger reads values along the chart, or scrolls the page up and down; two fingers zoom and move.
  const touch = (event, graph, context, standard) => {
    if (event.touches.length !== 1) { standard(event, graph, context); return; }
    const box = plot.getBoundingClientRect(), x = graph.toDataXCoord(event.touches[0].clientX - box.left);
    let nearest = 0;
    rows.forEach((r, k) => { if (Math.abs(r[0] - x) < Math.abs(rows[nearest][0] - x)) nearest = k; });
    row = nearest;
    graph.setSelection(row);
    readout.textContent = spec.read(observed(row) || rows[row]);
  };
  figure.addEventListener("keydown", event => {
    if (event.target !== figure || event.ctrlKey || event.altKey || event.metaKey) return;
    const zoom = { "+": "in", "=": "in", "-": "out", "0": "reset", Escape: "reset" }[event.key];
    if (zoom && spec.linked) move(zoom);
    else if (event.key === "ArrowRight") event.shiftKey && spec.linked ? move("right") : step(1);
    else if (event.key === "ArrowLeft") event.shiftKey && spec.linked ? move("left") : step(-1);
    else return;
    event.preventDefault();
  });
  parent.append(figure);
  charts.push(chart);
  observer.observe(figure);
  return chart;
}

// Diagrams that are drawn when their figure comes into view: figure → function.
const waiting = new Map();

function fillIn(figure) {
  const fill = waiting.get(figure);
  waiting.delete(figure);
  if (fill) fill();
}

function whenNear(figure, fill) {
  waiting.set(figure, fill);
  observer.observe(figure);
}

const observer = new IntersectionObserver(entries => {
  for (const entry of entries) {
    if (entry.isIntersecting) fillIn(entry.target);
    const chart = charts.find(c => c.figure === entry.target);
    if (!chart) continue;
    chart.seen = entry.isIntersecting;
    if (!chart.seen) continue;
    chart.draw();
    if (chart.stale) apply(chart);
  }
}, { rootMargin: "300px" });

// ---- dark mode and printing ----

// On paper nothing can be scrolled: tables wider than the page are made smaller.
function fitTables() {
  for (const box of document.querySelectorAll(".scroll")) {
    const content = box.firstElementChild, room = box.clientWidth;
    if (room > 0 && content.scrollWidth > room) content.style.zoom = room / content.scrollWidth;
  }
}

function repaint() { for (const chart of charts) if (chart.graph) chart.paint(); }
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);

// Browsers print a canvas by replaying its whole drawing history, which some viewers do not support: copies of the pixels are printed.
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("printing");
  fitTables();
  for (const figure of [...waiting.keys()]) fillIn(figure);
  for (const chart of charts) {
    if (chart.figure.hidden) continue;
    chart.draw();
    if (chart.stale) apply(chart);
    chart.graph.updateOptions({ pixelRatio: 2 }, true);
    chart.graph.resize();
    chart.paint();
    for (const canvas of chart.figure.querySelectorAll("canvas")) {
      const copy = canvas.cloneNode();
      copy.className = "paper";
      copy.getContext("2d").drawImage(canvas, 0, 0);
      canvas.after(copy);
    }
  }
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printing");
  for (const copy of document.querySelectorAll("canvas.paper")) copy.remove();
  for (const content of document.querySelectorAll(".scroll > table")) content.style.zoom = "";
  for (const chart of charts) {
    if (!chart.graph) continue;
    chart.graph.updateOptions({ pixelRatio: null }, true);
    chart.graph.resize();
    chart.paint();
  }
});
