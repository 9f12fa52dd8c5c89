"use strict";
// Builds the sections and tables of the page from the JSON in #data, and the search for outputs.

const report = JSON.parse(document.getElementById("data").textContent);
const provenance = report.provenance && typeof report.provenance === "object" ? report.provenance : {};
report.charts.sort((a, b) => a.target - b.target || a.replicate - b.replicate);
const main = document.getElementById("main");

function section(id, title, ...children) {
  document.getElementById("contents").append(element("a", { href: "#" + id }, title));
  const node = element("section", { "aria-labelledby": id }, element("h2", { id }, title), ...children);
  main.append(node);
  return node;
}

function paragraph(text, kind = "") { return element("p", { class: kind }, text); }
function count(n, word) { return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`; }
function withError([value, error]) {
  return error === null ? number(value) : `${number(value, 4)} ± ${number(error, 2)}`;
}
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

function summary() {
  const name = report.model.split("/").pop();
  document.title = name + " – latentforce report";
  document.getElementById("title").textContent = name;
  const parts = [count(report.outputs.length, "output"), count(report.forces.length, "force"), count(report.input_dim, "input")];
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

// ---- charts ----

function key(...entries) {
  return element("p", { class: "soft keys" }, ...entries.map(([kind, text]) => element("span", {}, element("span", { class: "key " + kind }), text)));
}

function chartSpec(chart, title, noise) {
  const isOutput = noise !== null, thinned = chart.rows > chart.at.length;
  return {
    title, linked: true, xlabel: "x", extent: [chart.x[0], chart.x[chart.x.length - 1]],
    notes: replicateNote(chart.replicate).concat(thinned ? [`${count(chart.rows, "row")}, of which ${chart.at.length.toLocaleString("en")} are drawn: ` +
      "the least and the largest of each short interval"] : []),
    labels: ["x", "new", "mean"].concat(isOutput ? ["seen", "held"] : []),
    series: { new: { plotter: band(0.14) }, mean: { plotter: both(band(0.25), line) }, seen: { plotter: dots("--seen", false) },
      held: { plotter: dots("--held", true) } },
    rows: () => {
      const rows = chart.x.map((x, i) => {
        const m = chart.mean[i], s = 1.96 * chart.sd[i], t = 1.96 * Math.hypot(chart.sd[i], noise || 0);
        return [x, [m - t, m, m + t], [m - s, m, m + s]].concat(isOutput ? [null, null] : []);
      });
      chart.at.forEach((i, k) => {
        const e = 1.96 * (chart.error ? chart.error[k] : 0);
        rows[i][chart.test[k] ? 4 : 3] = [chart.y[k] - e, chart.y[k], chart.y[k] + e];
      });
      return rows;
    },
    headings: ["x", "mean", "95 % from", "to"].concat(isOutput ? ["observed", "held out"] : []),
    values: row => [number(row[0], 12), number(row[2][1]), number(row[2][0]), number(row[2][2])]
      .concat(isOutput ? [row[3], row[4]].map(v => v ? number(v[1]) : "") : [])
  };
}

function showCharts() {
  const outputs = report.outputs.length;
  if (report.input_dim > 1) {
    const box = element("div", { class: "cards small" });
    section("outputs", "Outputs", paragraph(`The model has ${report.input_dim} inputs, so there are no time charts: ` +
      (report.data ? "observed values are drawn against predicted ones." : "with --data, observed values are drawn against predicted ones.")));
    for (const chart of report.charts.filter(c => c.at.length)) {
      const name = report.outputs[chart.target].name;
      const notes = replicateNote(chart.replicate).concat(chart.rows > chart.at.length ?
        [`${count(chart.rows, "row")}, of which ${chart.at.length.toLocaleString("en")} are drawn: the least and the largest of each short interval of the first input`] : []);
      const diagram = element("div", { class: "pair" });
      const figure = element("figure", {}, element("figcaption", {}, name, ...notes.map(t => element("span", { class: "soft" }, " · " + t))),
        diagram);
      mark(figure, name, chart.replicate);
      box.append(figure);
      whenNear(figure, () => diagram.append(predictionDiagram(chart)));
    }
    if (report.data) main.lastElementChild.append(key(["seen", "training row"], ["held", "held-out row"]), box);
    return;
  }
  const kinds = [["mean", "mean, with the 95 % band of the output itself"], ["new", "95 % band of a new observation"]];
  if (report.training) kinds.push(["seen", "observed"]);
  if (report.test) kinds.push(["held", "held out"]);
  const box = element("div", { class: "cards" });
  section("outputs", "Outputs", key(...kinds), paragraph("Drag over a chart to zoom, hold shift and drag to move, double-click to reset; all " +
    "charts move together. Keyboard: Tab selects a chart, arrow keys read values, + and − zoom, shift and arrow keys move, 0 resets.", "soft"), box);
  const shortest = Math.min(...report.forces.concat(report.outputs.map(o => o.private).filter(f => f)).flatMap(f => f.lengthscale.map(l => l[0])));
  const sample = report.charts[0], spacing = (sample.x[sample.x.length - 1] - sample.x[0]) / (sample.x.length - sample.at.length - 1);
  if (spacing > shortest / 2) {
    box.before(paragraph(`Curves are computed at inputs with a spacing of ${number(spacing, 2)} and at the rows drawn, but the shortest lengthscale is ` +
      `${number(shortest, 2)}: details in between are not shown. latentforce predict computes any inputs.`, "warning"));
  }
  for (const chart of report.charts.filter(c => c.target < outputs)) {
    const output = report.outputs[chart.target];
    mark(addChart(box, chartSpec(chart, output.name, output.noise_sd)).figure, output.name, chart.replicate);
  }
  const forces = element("div", { class: "cards" });
  section("forces", "Forces", paragraph("Forces are inferred, not measured. The sign and the scale of a force are determined only together with its sensitivities.", "soft"), forces);
  for (const chart of report.charts.filter(c => c.target >= outputs)) {
    const figure = addChart(forces, chartSpec(chart, report.forces[chart.target - outputs].name, null)).figure;
    figure.dataset.replicate = chart.replicate;
  }
}

// ---- tables ----

function showConstants() {
  const names = [...new Set(report.outputs.flatMap(o => o.constants.map(c => c[0])))];
  const known = pair => pair[0] !== null;
  const period = ([w, e]) => w === null ? [null, null] : [2 * Math.PI / w, e === null ? null : 2 * Math.PI / w * e / w];
  const readings = [["time constant", o => o.time_constant], ["natural frequency", o => o.natural_frequency],
    ["period", o => period(o.natural_frequency)], ["damping ratio", o => o.damping_ratio]]
    .filter(([, get]) => report.outputs.some(o => o.order > 0 && known(get(o))));
  const hasPrivate = report.outputs.some(o => o.private);
  const rows = report.outputs.map(o => [o.name, o.operator]
    .concat(names.map(n => { const c = o.constants.find(k => k[0] === n); return c ? withError(c[1]) : ""; }))
    .concat(readings.map(([, get]) => o.order > 0 && known(get(o)) ? withError(get(o)) : ""))
    .concat([number(o.noise_sd), number(o.offset), number(o.scale)])
    .concat(hasPrivate ? (o.private ? [o.private.kernel, o.private.lengthscale.map(withError).join(", "), withError(o.private.amplitude)] : ["", "", ""]) : []));
  const headings = ["output", "equation", ...names, ...readings.map(r => r[0]), "noise sd", "offset", "scale",
    ...(hasPrivate ? ["private force", "its lengthscale", "its amplitude"] : [])];
  const anyError = report.outputs.some(o => o.constants.some(c => c[1][1] !== null));
  section("constants", "Physical constants", paragraph("Times are in the units of the input, frequencies in radians per unit of it. " + (anyError
    ? "± is one standard error." : "The model file contains no standard errors; latentforce fit --errors yes computes them."), "soft"),
    markRows(table(headings, rows, { text: [1] }), outputNames()),
    table(["force", "kernel", "lengthscale"], report.forces.map(f => [f.name, f.kernel, f.lengthscale.map(withError).join(", ")]), { text: [1] }));
  if (report.inputs.some(([offset, scale]) => offset !== 0 || scale !== 1)) {
    main.lastElementChild.append(table(["input", "offset", "scale"], report.inputs.map(([offset, scale], k) => ["x" + (k + 1), number(offset), number(scale)]),
      { caption: "Lengthscales and precisions are of (x − offset) / scale" }));
  }
}

function showSensitivities() {
  const largest = Math.max(1e-300, ...report.outputs.flatMap(o => o.sensitivity.map(s => Math.abs(s[0]))));
  const box = table(["output", ...report.forces.map(f => f.name)], report.outputs.map(o => [o.name, ...o.sensitivity.map(withError)]), { kind: "heat" });
  box.querySelectorAll("tbody tr").forEach((row, d) => report.outputs[d].sensitivity.forEach(([value], q) => {
    row.children[q + 1].style.background = `rgba(${value < 0 ? "var(--minus)" : "var(--plus)"}, ${0.6 * Math.abs(value) / largest})`;
  }));
  section("sensitivities", "Sensitivities", paragraph("Sensitivity of each scaled output to each force: blue is positive, orange is negative; stronger colours are larger values.", "soft"),
    markRows(box, outputNames()));
}

function showScores() {
  const cells = (name, s) => [name, s.n.toLocaleString("en"), number(s.nmse, 4), number(s.nlpd, 4), number(s.rmse, 4), (100 * s.coverage95).toFixed(1) + " %"];
  const scored = report.outputs.filter(o => o.score);
  if (!report.overall) {
    section("scores", "Scores of held-out rows", paragraph(report.data ? "No row of the data is marked test in the column split, so there are no held-out rows."
      : "No data were given (--data), so there is nothing to score."));
    return;
  }
  section("scores", "Scores of held-out rows", paragraph("nmse is the mean squared error divided by the variance of the held-out rows (0: perfect, about 1: no better " +
    "than their mean); nlpd is the mean negative log predictive density; coverage is the fraction of rows inside their 95 % interval. All rows are included, drawn or not.", "soft"),
    markRows(table(["output", "n", "nmse", "nlpd", "rmse", "coverage of 95 %"], scored.map(o => cells(o.name, o.score)).concat([cells("all outputs", report.overall)])),
      scored.map(o => o.name)));
}

function showResiduals() {
  const outputs = report.outputs.filter(o => o.residuals);
  if (!outputs.length) {
    section("residuals", "Residuals", paragraph("No data were given (--data), so there are no residuals."));
    return;
  }
  const box = element("div", { class: "cards small" });
  const rows = outputs.map(o => {
    const r = o.residuals, limit = 1.96 / Math.sqrt(r.n);
    return [o.name, r.n.toLocaleString("en"), number(r.mean, 3), number(r.rms, 3), r.autocorrelation.length ? number(r.autocorrelation[0], 3) : "–",
      r.autocorrelation.filter(v => Math.abs(v) > limit).length + " of " + r.autocorrelation.length];
  });
  section("residuals", "Residuals of training rows", paragraph("(observed − mean) divided by the standard deviation of this difference under the model. If the model is " +
    "correct, they have mean 0, root mean square 1, no autocorrelation (95 % of the bars inside the dashed limits) and the quantiles of a normal distribution (the dashed line).", "soft"),
    markRows(table(["output", "n", "mean", "root mean square", "autocorrelation at lag 1", "lags beyond the limits"], rows), outputs.map(o => o.name)), box);
  for (const o of outputs) {
    const pair = element("div", { class: "pair" }), figure = element("figure", {}, element("figcaption", {}, o.name), pair);
    mark(figure, o.name);
    box.append(figure);
    whenNear(figure, () => pair.append(autocorrelationDiagram(o.residuals), quantileDiagram(o.residuals)));
  }
}

function showFit() {
  const trace = Array.isArray(provenance.trace) ? provenance.trace.filter(Number.isFinite) : [];
  const facts = [["log likelihood", provenance.log_likelihood], ["log prior", provenance.log_prior], ["rows", provenance.rows], ["free parameters", provenance.parameters],
    ["iterations", provenance.iterations], ["engine", provenance.engine], ["frequencies", provenance.nodes], ["columns", provenance.columns], ["end of the fit", provenance.reason],
    ["parameters on a bound", Array.isArray(provenance.on_bounds) ? provenance.on_bounds.join(", ") : undefined], ["version", provenance.version]]
    .filter(([, v]) => v !== undefined && v !== null).map(([k, v]) => [k, typeof v === "number" ? number(v, 8) : String(v)]);
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
      headings: ["iteration", "objective"], values: row => [String(row[0]), number(row[1][1], 8)] });
  }
}

function showCommands() {
  const quote = word => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
  const lines = [];
  if (Array.isArray(provenance.command)) lines.push([...provenance.command, "-o", report.model]);
  lines.push(["latentforce", ...report.command]);
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
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => move(button.dataset.zoom));
}

summary();
showCharts();
showConstants();
showSensitivities();
showScores();
showResiduals();
showFit();
showCommands();
tools();
