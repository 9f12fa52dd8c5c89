"use strict";
// Builds the sections and tables of the page from the JSON in #data, and the search for outputs.

const report = JSON.parse(document.getElementById("data").textContent);
const provenance = report.provenance && typeof report.provenance === "object" ? report.provenance : {};
if (report.input_dim === 1 && report.charts.length) report.span = [report.charts[0].x[0], report.charts[0].x[report.charts[0].x.length - 1]].map(drawnInput);
report.charts.sort((a, b) => a.target - b.target || a.replicate - b.replicate);
const main = document.getElementById("main"), percent = number(100 * report.level, 4) + " %";

function section(id, title, ...children) {
  document.getElementById("contents").append(element("a", { href: "#" + id }, title));
  const node = element("section", { "aria-labelledby": id }, element("h2", { id }, title), ...children);
  main.append(node);
  return node;
}

function paragraph(text, kind = "") { return element("p", { class: kind }, text); }
function count(n, word) { return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`; }
function grouped(n) { return n.toLocaleString("en"); }
// Marks an element for the search by name and the selection of a replicate.
function mark(node, name, replicate) {
  node.dataset.name = name;
  if (replicate !== undefined) node.dataset.replicate = replicate;
}
function markRows(box, names) {
  box.querySelectorAll("tbody tr").forEach((row, k) => { if (k < names.length) mark(row, names[k]); });
  return box;
}
function replicateNote(r) { return report.replicates.length ? ["replicate " + report.replicates[r]] : []; }
function outputNames() { return report.outputs.map(o => o.name); }
function shownForces() { return report.forces.filter(f => !f.hidden); }
// The outputs, forces and states of the page; targets count in this order.
const firstState = report.outputs.length + report.forces.length, stateNames = report.equations ? report.equations.states : [];
function titleOf(target) {
  return target < report.outputs.length ? report.outputs[target].name : target < firstState ? report.forces[target - report.outputs.length].name : stateNames[target - firstState];
}
function unitOf(target) { return target < report.outputs.length ? report.outputs[target].unit : ""; }
function thinnedNote(chart, where) {
  return chart.rows > chart.at.length ? [`${count(chart.rows, "row")}, of which ${grouped(chart.at.length)} are drawn: the least and the largest of each short interval${where}`] : [];
}

function summary() {
  const name = report.model.split("/").pop();
  document.title = name + " – latentforce report";
  document.getElementById("title").textContent = name;
  const white = report.equations ? report.equations.white.length : 0, known = report.known_inputs.length;
  const parts = [count(report.outputs.length, "output")];
  if (stateNames.length) parts.push(count(stateNames.length, "state"));
  if (report.forces.length || !white) parts.push(count(report.forces.length, "force"));
  if (white) parts.push(count(white, "white force"));
  parts.push(...(known ? [count(known, "known input")] : stateNames.length ? [] : [count(report.input_dim, "input")]));
  if (isDated() && report.span) parts.push(report.span.map(at => drawnText(at).replace("T", " ").replace(/:00$/, "")).join(" to "));
  if (report.replicates.length) parts.push(count(report.replicates.length, "replicate"));
  if (report.data) parts.push(`${count(report.training, "training row")} and ${count(report.test, "held-out row")} of ${report.data}`);
  parts.push((report.stored ? "posterior stored in the model, made by the " : "posterior given the training rows by the ") + report.engine + " engine");
  document.getElementById("summary").textContent = parts.join(" · ");
  if (report.stored && report.data && provenance.rows && provenance.rows !== report.training) {
    document.querySelector("header").append(paragraph(`The model was fitted to ${count(provenance.rows, "row")}, but ${report.data} has ` +
      `${count(report.training, "training row")}: the rows called training rows here may differ from those that the model was fitted to. ` +
      "An option such as --engine auto computes the posterior from the rows of the file.", "warning"));
  }
}

// Sentences about the fit, warnings first.
function showVerdict() {
  const box = document.getElementById("verdict"), kinds = ["warning", "note", "good"];
  const remarks = (Array.isArray(report.verdict) ? report.verdict : []).filter(r => r && typeof r.sentence === "string");
  remarks.sort((a, b) => (b.severity === "warning") - (a.severity === "warning"));
  box.append(element("ul", {}, ...remarks.map(r => element("li", { class: kinds.includes(r.severity) ? r.severity : "note" }, r.sentence))));
  box.hidden = !remarks.length;
}

// ---- charts ----

function key(...entries) {
  return element("p", { class: "soft keys" }, ...entries.map(([kind, text]) => element("span", {}, element("span", { class: "key " + kind }), text)));
}

// Rows of a chart: [x, band of a new observation, band, observed, held out, mean]; of a force [x, band, mean].
function chartSpec(chart) {
  const isOutput = chart.target < report.outputs.length, unit = unitOf(chart.target);
  const x = chart.x.map(drawnInput), last = isOutput ? 5 : 2, value = v => quantity([v, null], unit), inUnit = text => label(text, unit);
  return {
    title: label(titleOf(chart.target), unit), linked: true, dated: isDated(), xlabel: inputLabel(), extent: [x[0], x[x.length - 1]],
    notes: replicateNote(chart.replicate).concat(thinnedNote(chart, "")),
    labels: isOutput ? ["x", "new", "band", "seen", "held", "mean"] : ["x", "band", "mean"],
    series: { new: { plotter: band(0.14) }, band: { plotter: band(0.25) }, seen: { plotter: dots("--seen", false) },
      held: { plotter: dots("--held", true) }, mean: { plotter: line } },
    rows: () => {
      const rows = x.map((at, i) => {
        const m = chart.mean[i], around = half => [m - half[i], m, m + half[i]];
        const inner = chart.lower ? [chart.lower[i], m, chart.upper[i]] : around(chart.band);
        if (!isOutput) return [at, inner, inner];
        return [at, chart.new_lower ? [chart.new_lower[i], m, chart.new_upper[i]] : around(chart.new_band), inner, null, null, inner];
      });
      chart.at.forEach((i, k) => {
        const e = chart.error ? chart.error[k] : 0; // half of its interval
        rows[i][chart.test[k] ? 4 : 3] = [chart.y[k] - e, chart.y[k], chart.y[k] + e];
      });
      return rows;
    },
    observed: row => isOutput && Boolean(row[3] || row[4]),
    headings: [inputLabel(), inUnit("mean"), inUnit(percent + " from"), inUnit("to")].concat(isOutput ? [inUnit("observed"), inUnit("held out")] : []),
    values: row => [drawnText(row[0]), number(row[last][1]), number(row[last][0]), number(row[last][2])]
      .concat(isOutput ? [row[3], row[4]].map(v => v ? number(v[1]) : "") : []),
    read: row => `${report.inputs[0].name} ${drawnText(row[0])}${isDated() || !report.inputs[0].unit ? "" : " " + report.inputs[0].unit},  mean ${value(row[last][1])},  ` +
      `${percent} from ${number(row[last][0])} to ${value(row[last][2])}` +
      (isOutput && row[3] ? `,  observed ${value(row[3][1])}` : "") + (isOutput && row[4] ? `,  held out ${value(row[4][1])}` : "")
  };
}

// A chart or a map of an output or a force; of more than two inputs, observed values against predicted ones.
function addFigure(box, chart) {
  const title = titleOf(chart.target), where = " of " + report.inputs[0].name;
  let figure;
  if (report.input_dim === 1) {
    figure = addChart(box, chartSpec(chart)).figure;
  } else if (chart.map) {
    figure = addMap(box, chart, title, unitOf(chart.target), replicateNote(chart.replicate).concat(thinnedNote(chart, where)));
  } else {
    const diagram = element("div", { class: "pair" }), notes = replicateNote(chart.replicate).concat(thinnedNote(chart, where));
    figure = element("figure", {}, element("figcaption", {}, label(title, unitOf(chart.target)), ...notes.map(t => element("span", { class: "soft" }, " · " + t))), diagram);
    box.append(figure);
    whenNear(figure, () => diagram.append(predictionDiagram(chart)));
  }
  if (chart.target < report.outputs.length) mark(figure, title, chart.replicate); else figure.dataset.replicate = chart.replicate;
}

function showOutputs() {
  const chosen = report.charts.filter(c => c.target < report.outputs.length && (report.input_dim === 1 || c.map || c.at.length));
  const box = element("div", { class: "cards" }), kinds = [];
  if (report.input_dim === 1) kinds.push(["mean", `mean, with the ${percent} band of the output itself`], ["new", percent + " band of a new observation"]);
  const maps = chosen.some(c => c.map);
  if (report.training) kinds.push(report.input_dim === 1 ? ["seen", "observed"] : [maps ? "place" : "seen", "training row"]);
  if (report.test) kinds.push(report.input_dim === 1 ? ["held", "held out"] : [maps ? "place out" : "held", "held-out row"]);
  const help = report.input_dim === 1 ? "Drag over a chart to zoom, hold shift and drag to move, double-click to reset; all charts move together. " +
    "Touch: one finger reads values, two fingers zoom and move. Keyboard: Tab selects a chart, arrow keys read values, + and − zoom, shift and arrow keys move, 0 resets."
    : maps ? "Point at a map, or select it with Tab and use the arrow keys, to read values."
    : `The model has ${report.input_dim} inputs: ` + (report.data ? "observed values are drawn against predicted ones." : "with --data, observed values are drawn against predicted ones.");
  section("outputs", "Outputs", key(...kinds), element("details", { class: "soft help" }, element("summary", {}, "How to use the charts"), paragraph(help)), box);
  if (report.input_dim === 1) warnSpacing(box);
  for (const chart of chosen) addFigure(box, chart);
}

function warnSpacing(box) {
  const shortest = Math.min(...shownForces().concat(report.outputs.map(o => o.private).filter(f => f)).flatMap(f => f.lengthscale.map(l => l[0])));
  const sample = report.charts[0];
  if (!sample) return;
  const spacing = (sample.x[sample.x.length - 1] - sample.x[0]) / (sample.x.length - sample.at.length - 1), unit = report.inputs[0].unit;
  if (spacing > shortest / 2) {
    box.before(paragraph(`Curves are computed at inputs with a spacing of ${quantity([spacing, null], unit, 2)} and at the rows drawn, but the shortest lengthscale is ` +
      `${quantity([shortest, null], unit, 2)}: details in between are not shown. latentforce predict computes any inputs.`, "warning"));
  }
}

// The lengthscales of a force, or the values of its formula by name.
function kernelValues(f) { return f.values ? f.values.replaceAll(" +- ", " ± ") : f.lengthscale.map(l => quantity(l, f.unit)).join(", "); }

function showForces() {
  const chosen = report.charts.filter(c => c.target >= report.outputs.length && c.target < firstState), hidden = report.forces.filter(f => f.hidden).map(f => f.name);
  const white = report.equations ? report.equations.white : [];
  if (!report.forces.length && !white.length) return;
  const box = element("div", { class: "cards" }), note = hidden.length ? paragraph(`${hidden.join(", ")} ${hidden.length === 1 ? "is idle: it explains" : "are idle: each explains"} ` +
    "less than 1 % of every output, and the page leaves " + (hidden.length === 1 ? "it" : "them") + " out. latentforce report --all-forces shows every force.", "soft") : "";
  const all = shownForces(), named = all.some(f => f.values), lengths = f => f.values ? kernelValues(f) : (named ? "lengthscale " : "") + kernelValues(f);
  const texts = report.equations ? ["Forces are inferred, not measured. An amplitude is the standard deviation of a force, in the units of where it enters the equations.",
    ...(white.length ? ["A white force is noise of the process and has no value at an instant: its number is the standard deviation of its integral over a time 1."] : [])]
    : ["Forces are inferred, not measured. The sign and the scale of a force are determined only together with its sensitivities."];
  const rows = report.equations ? all.map(f => [f.name, f.kernel, lengths(f), quantity(f.amplitude)]).concat(white.map(([name, sd]) => [name, "white", "", quantity(sd)]))
    : all.map(f => [f.name, f.kernel, lengths(f)]);
  section("forces", "Forces", paragraph(texts.join(" "), "soft"), note,
    ...(rows.length ? [table(["force", "kernel", named ? "values" : "lengthscale", ...(report.equations ? ["amplitude"] : [])], rows, { text: [1] })] : []), box);
  for (const chart of chosen) addFigure(box, chart);
}

// ---- tables ----

// The variables of the equations and their derivatives below the highest.
function showStates() {
  const chosen = report.charts.filter(c => c.target >= firstState);
  if (!chosen.length) return;
  const box = element("div", { class: "cards" });
  section("states", "States", paragraph(`The variables of the equations, measured or not, with their ${percent} bands.`, "soft"), box);
  for (const chart of chosen) addFigure(box, chart);
}

// The readings of a known input: [x, value]; a line through them, steps, or a stem from 0 for each dose.
function inputSpec(chart) {
  const { name, unit, between } = report.known_inputs[chart.known], x = chart.x.map(drawnInput);
  const notes = { linear: "linear between readings", constant: "constant until the next reading", impulse: "impulses" };
  return {
    title: label(name, unit), linked: true, dated: isDated(), xlabel: inputLabel(), extent: report.span, includeZero: between === "impulse",
    notes: replicateNote(chart.replicate).concat([notes[between]], chart.rows > x.length ? [`${count(chart.rows, "reading")}, of which ${grouped(x.length)} are drawn`] : []),
    labels: ["x", "value"], series: { value: { plotter: { linear: line, constant: steps, impulse: stems }[between] } },
    rows: () => [...(x[0] > report.span[0] || !x.length ? [[report.span[0], null]] : []), ...x.map((at, i) => [at, [chart.y[i], chart.y[i], chart.y[i]]]),
      ...(x[x.length - 1] < report.span[1] || !x.length ? [[report.span[1], null]] : [])],
    headings: [inputLabel(), label(name, unit)], values: row => [drawnText(row[0]), row[1] ? number(row[1][1]) : ""],
    read: row => row[1] ? `${report.inputs[0].name} ${drawnText(row[0])},  ${name} ${quantity([row[1][1], null], unit)}` : ""
  };
}

function showInputs() {
  const known = report.known_inputs;
  if (!known.length) return;
  const box = element("div", { class: "cards" }), gains = known[0].gains.length > 0;
  const headings = ["known input", "between readings", ...(gains ? outputNames().map(n => "gain of " + n) : [])];
  section("inputs", "Known inputs", paragraph("Measured series that drive the outputs." + (gains ? " A gain is the coefficient of the input in the equation of the scaled output." : ""), "soft"),
    ...(gains ? [table(headings, known.map(k => [label(k.name, k.unit), k.between, ...k.gains.map(g => quantity(g))]), { text: [1] })] : []), box);
  for (const chart of report.input_charts) {
    const figure = addChart(box, inputSpec(chart)).figure;
    figure.dataset.replicate = chart.replicate;
  }
}

// The text of the equations with constants, quantities, modes and noise.
function showEquations() {
  const e = report.equations;
  if (!e) return;
  const time = v => quantity([v, null], report.inputs[0].unit), known = k => e.modes.some(m => m[k] !== null), oscillates = known(1);
  const modes = e.modes.map(m => [time(m[0]), ...(oscillates ? [m[1] === null ? "" : frequency([m[1], null]), m[1] === null ? "" : time(2 * Math.PI / m[1]), m[2] === null ? "" : number(m[2], 4)] : []), m[3]]);
  const anyError = e.constants.some(c => c[1][1] !== null);
  const tables = element("div", { class: "tables" });
  if (e.constants.length) tables.append(table(["constant", "value"], e.constants.map(c => [c[0], quantity(c[1]) + (c[2] ? " fixed" : "")])));
  if (e.quantities.length) tables.append(table(["quantity", "value"], e.quantities.map(c => [c[0], quantity(c[1])])));
  tables.append(markRows(table(["output", "noise sd"], report.outputs.map(o => [o.name, quantity([o.noise_sd, null], o.unit)])), outputNames()));
  section("equations", "Equations", element("pre", {}, e.text), paragraph(anyError ? "± is one standard error." : "The model file contains no standard errors; latentforce fit --errors yes computes them.", "soft"), tables,
    table(["time constant", ...(oscillates ? ["natural frequency", "period", "damping ratio"] : []), "stable"], modes, { text: [oscillates ? 4 : 1], caption: "Modes, slowest first" }));
}

function showConstants() {
  if (report.equations) return; // they have their own
  const names = [...new Set(report.outputs.flatMap(o => o.constants.map(c => c[0])))];
  const known = pair => pair[0] !== null;
  const period = ([w, e]) => w === null ? [null, null] : [2 * Math.PI / w, e === null ? null : 2 * Math.PI / w * e / w];
  const time = pair => quantity(pair, report.inputs[0].unit);
  const readings = [["time constant", o => o.time_constant, time], ["natural frequency", o => o.natural_frequency, frequency],
    ["period", o => period(o.natural_frequency), time], ["damping ratio", o => o.damping_ratio, pair => quantity(pair)]]
    .filter(([, get]) => report.outputs.some(o => o.order > 0 && known(get(o))));
  const hasPrivate = report.outputs.some(o => o.private);
  const rows = report.outputs.map(o => [o.name, o.operator]
    .concat(names.map(n => { const c = o.constants.find(k => k[0] === n); return c ? quantity(c[1], c[2]) : ""; }))
    .concat(readings.map(([, get, show]) => o.order > 0 && known(get(o)) ? show(get(o)) : ""))
    .concat([o.noise_sd, o.offset, o.scale].map(v => quantity([v, null], o.unit)))
    .concat(hasPrivate ? (o.private ? [o.private.kernel, kernelValues(o.private), quantity(o.private.amplitude)] : ["", "", ""]) : []));
  const headings = ["output", "equation", ...names, ...readings.map(r => r[0]), "noise sd", "offset", "scale",
    ...(hasPrivate ? ["private force", report.outputs.some(o => o.private && o.private.values) ? "its values" : "its lengthscale", "its amplitude"] : [])];
  const anyError = report.outputs.some(o => o.constants.some(c => c[1][1] !== null));
  section("constants", "Physical constants", paragraph((report.inputs[0].unit || !readings.length ? "" : "Times are in the unit of the input, frequencies per unit of it. ") + (anyError
    ? "± is one standard error." : "The model file contains no standard errors; latentforce fit --errors yes computes them."), "soft"),
    markRows(table(headings, rows, { text: [1] }), outputNames()));
  if (report.inputs.some(i => i.offset !== 0 || i.scale !== 1)) {
    main.lastElementChild.append(table(["input", "offset", "scale"], report.inputs.map(i => [i.name, quantity([i.offset, null], i.unit), quantity([i.scale, null], i.unit)]),
      { caption: "Lengthscales and precisions are of (x − offset) / scale" }));
  }
}

function showSensitivities() {
  if (report.equations) return; // their coefficients are there
  const shown = report.forces.map((f, q) => q).filter(q => !report.forces[q].hidden);
  if (!shown.length) return;
  const largest = Math.max(1e-300, ...report.outputs.flatMap(o => shown.map(q => Math.abs(o.sensitivity[q][0]))));
  const box = table(["output", ...shown.map(q => report.forces[q].name)], report.outputs.map(o => [o.name, ...shown.map(q => quantity(o.sensitivity[q]))]), { kind: "heat" });
  box.querySelectorAll("tbody tr").forEach((row, d) => shown.forEach((q, k) => {
    const value = report.outputs[d].sensitivity[q][0];
    row.children[k + 1].style.background = `rgba(${value < 0 ? "var(--minus)" : "var(--plus)"}, ${0.6 * Math.abs(value) / largest})`;
  }));
  section("sensitivities", "Sensitivities", paragraph("Sensitivity of each scaled output to each force: blue is positive, orange is negative; stronger colours are larger values.", "soft"),
    markRows(box, outputNames()));
}

function showScores() {
  const cells = (name, s, unit = "") => [name, grouped(s.n), number(s.nmse, 4), number(s.nlpd, 4), quantity([s.rmse, null], unit, 4), (100 * s.coverage95).toFixed(1) + " %"];
  const scored = report.outputs.filter(o => o.score);
  if (!report.overall) {
    section("scores", "Scores of held-out rows", paragraph(report.data ? "No row of the data is marked test in the column split, so there are no held-out rows."
      : "No data were given (--data), so there is nothing to score."));
    return;
  }
  section("scores", "Scores of held-out rows", paragraph("nmse is the mean squared error divided by the variance of the held-out rows (0: perfect, about 1: no better " +
    "than their mean); nlpd is the mean negative log predictive density; coverage is the fraction of rows inside their 95 % interval. All rows are included, drawn or not.", "soft"),
    markRows(table(["output", "n", "nmse", "nlpd", "rmse", "coverage of 95 %"], scored.map(o => cells(o.name, o.score, o.unit)).concat([cells("all outputs", report.overall)])),
      scored.map(o => o.name)));
}

function showResiduals() {
  const outputs = report.outputs.filter(o => o.residuals), steps = outputs.some(o => o.innovations);
  if (!outputs.length) {
    section("residuals", "Residuals", paragraph("There are no residuals: no training rows were given (--data), or the outputs have no noise."));
    return;
  }
  const box = element("div", { class: steps ? "cards wide" : "cards small" }), fixed = v => (Math.abs(v) < 0.0005 ? 0 : v).toFixed(3);
  const white = p => p === null ? "–" : p < 1e-4 ? "< 0.0001" : number(p, 2);
  const rows = outputs.map(o => {
    const r = o.residuals, e = o.innovations || r, limit = e.limit;
    return [o.name, grouped(r.n), fixed(r.mean), number(r.rms, 3), e.autocorrelation.length ? fixed(e.autocorrelation[0]) : "–",
      e.autocorrelation.filter(v => Math.abs(v) > limit).length + " of " + e.autocorrelation.length,
      ...(steps ? o.innovations ? [white(o.innovations.autocorrelation_p), white(o.innovations.periodogram_p)] : ["–", "–"] : [])];
  });
  section("residuals", "Residuals of training rows", paragraph("Mean, root mean square and quantiles are those of (observed − mean) divided by the standard deviation of this difference under the model. " +
    (steps ? "Autocorrelation and cumulative periodogram are those of one-step errors: each reading minus its prediction from earlier ones, divided by the standard deviation of this difference. " : "") +
    "If the model is correct, the mean is 0, the root mean square 1, 95 % of the bars of the autocorrelation are inside the dashed limits, the quantiles follow the dashed line" +
    (steps ? ", and the cumulative periodogram stays between its dashed lines in 95 % of the cases. The last columns are the probabilities of results as far off (Ljung and Box; Bartlett)." : "."), "soft"),
    markRows(table(["output", "n", "mean", "root mean square", "autocorrelation at lag 1", "lags beyond the limits", ...(steps ? ["p, autocorrelation", "p, periodogram"] : [])], rows), outputs.map(o => o.name)), box);
  for (const o of outputs) {
    const pair = element("div", { class: steps ? "trio" : "pair" }), figure = element("figure", {}, element("figcaption", {}, o.name), pair);
    mark(figure, o.name);
    box.append(figure);
    whenNear(figure, () => pair.append(autocorrelationDiagram(o.innovations || o.residuals, Boolean(o.innovations)),
      ...(o.innovations && o.innovations.cumulative.length ? [periodogramDiagram(o.innovations)] : []), quantileDiagram(o.residuals)));
  }
}

function showFit() {
  const trace = Array.isArray(provenance.trace) ? provenance.trace.filter(Number.isFinite) : [];
  const facts = [["log likelihood", provenance.log_likelihood], ["log prior", provenance.log_prior], ["rows", provenance.rows], ["free parameters", provenance.parameters],
    ["iterations", provenance.iterations], ["engine", provenance.engine], ["frequencies", provenance.nodes], ["columns", provenance.columns], ["end of the fit", provenance.reason],
    ["parameters on a bound", Array.isArray(provenance.on_bounds) ? provenance.on_bounds.join(", ") : undefined], ["version", provenance.version]]
    .filter(([, v]) => v !== undefined && v !== null).map(([k, v]) => [k, typeof v === "number" ? plain(v, 8) : String(v)]);
  const node = section("fit", "Fit", facts.length ? table(["", ""], facts, { text: [1] }) : paragraph("The model file contains no record of a fit."));
  if (Array.isArray(provenance.candidates)) {
    node.append(table(["operator", "force kernel", "forces", "parameters", "log likelihood", "score"],
      provenance.candidates.map(c => [String(c.operator), String(c.force_kernel), String(c.forces), String(c.parameters), number(c.log_likelihood, 6), number(c.score, 6)]),
      { text: [1], caption: "Candidate models that were compared (the one with the largest score was chosen)" }));
  }
  if (trace.length > 1) {
    const box = element("div", { class: "cards" });
    node.append(box);
    addChart(box, { title: "Log likelihood plus log prior after each iteration", linked: false, xlabel: "iteration", extent: [1, trace.length],
      labels: ["iteration", "objective"], series: { objective: { plotter: line } }, rows: () => trace.map((v, k) => [k + 1, [v, v, v]]),
      headings: ["iteration", "objective"], values: row => [String(row[0]), plain(row[1][1], 8)],
      read: row => `iteration ${row[0]},  objective ${plain(row[1][1], 8)}` });
  }
}

function showCommands() {
  const quote = word => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
  const lines = [];
  if (Array.isArray(provenance.command)) lines.push([...provenance.command, "-o", report.model]);
  if (Array.isArray(report.command)) lines.push(["latentforce", ...report.command]);
  section("commands", "Commands", element("pre", {}, lines.map(words => words.map(w => quote(String(w))).join(" ")).join("\n")),
    paragraph((Array.isArray(provenance.command) ? "" : "The model file does not contain the command that wrote it. ") + "Options of fit that do not change the result " +
      "(--threads, --checkpoint and others) are not recorded. latentforce " + report.version + ".", "soft"));
}

// ---- search ----

function filter() {
  const wanted = document.getElementById("search").value.trim().toLowerCase(), replicate = document.getElementById("replicate").value;
  for (const node of main.querySelectorAll("[data-name], [data-replicate]")) {
    const { name, replicate: label } = node.dataset;
    node.hidden = (name !== undefined && !name.toLowerCase().includes(wanted)) || (label !== undefined && replicate !== "" && label !== replicate);
  }
  const names = outputNames(), found = names.filter(n => n.toLowerCase().includes(wanted)).length;
  document.getElementById("found").textContent = wanted ? `${found} of ${count(names.length, "output")}` : "";
}

function tools() {
  document.getElementById("search").addEventListener("input", filter);
  const choice = document.getElementById("replicate");
  choice.append(element("option", { value: "" }, "all"), ...report.replicates.map((name, r) => element("option", { value: r }, name)));
  choice.addEventListener("change", filter);
  document.getElementById("replicate-label").hidden = report.replicates.length < 2;
  document.getElementById("time-tools").hidden = report.input_dim > 1;
  document.getElementById("search-label").hidden = report.outputs.length < 2;
  document.getElementById("tools").hidden = report.input_dim > 1 && report.outputs.length < 2 && report.replicates.length < 2;
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => move(button.dataset.zoom));
}

summary();
showVerdict();
showOutputs();
showStates();
showEquations();
showConstants();
showForces();
showInputs();
showSensitivities();
showScores();
showResiduals();
showFit();
showCommands();
tools();
