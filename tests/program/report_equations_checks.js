// What the page of a model given by equations must show, done to it by a script that test_report.sh runs in the page. It gives the verdicts,
// one a line.
(async () => {
  "use strict";
  let verdicts = "";
  const verdict = (name, passed) => { verdicts += `${passed ? "ok" : "FAIL"} ${name}\n`; };
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 20)));
  const until = async condition => { for (const start = Date.now(); !condition() && Date.now() - start < 30000;) await frame(); };
  const all = selector => [...document.querySelectorAll(selector)];
  const text = id => document.querySelector(`[aria-labelledby=${id}]`).textContent;
  const captions = id => all(`[aria-labelledby=${id}] .cards figcaption`).map(c => c.textContent);
  try {
    verdict("the summary counts", document.getElementById("summary").textContent.startsWith("1 output · 2 states · 1 force · 1 white force · 3 known inputs · 2 replicates"));
    verdict("sections", String(all("main h2").map(h => h.id)) === "outputs,states,equations,forces,inputs,scores,residuals,fit,commands");
    verdict("the equations", text("equations").includes("gut' = dose - ka*gut"));
    verdict("constants with errors", report.equations.constants.every(c => text("equations").includes(c[0] + quantity(c[1]))) && text("equations").includes(" ± "));
    verdict("a fixed constant", text("equations").includes("V10 fixed"));
    verdict("quantities", text("equations").includes("halflife" + quantity(report.equations.quantities[0][1])));
    verdict("modes", text("equations").includes("Modes, slowest first") && report.equations.modes.length === 2);
    verdict("forces with amplitudes", text("forces").includes("drift") && text("forces").includes(quantity(report.forces[0].amplitude)) && text("forces").includes("white"));
    verdict("a chart for each state and replicate", String(captions("states")) === "gut · replicate ann,gut · replicate bob,plasma · replicate ann,plasma · replicate bob");
    verdict("known inputs say what they are between readings", captions("inputs").length === 6 && captions("inputs")[0] === "dose · replicate ann · impulses" &&
      captions("inputs")[2] === "fan · replicate ann · constant until the next reading" && captions("inputs")[4] === "leak · replicate ann · linear between readings");
    verdict("nothing is undefined", !/undefined|NaN|\[object/.test(document.querySelector("main").textContent));

    dispatchEvent(new Event("beforeprint"));
    const inked = chart => [...chart.figure.querySelectorAll("canvas.paper")].some(c => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some(v => v));
    verdict("every chart is drawn", charts.every(c => c.graph && inked(c)));
    dispatchEvent(new Event("afterprint"));
    const dose = charts.find(c => c.figure.textContent.startsWith("dose")), fan = charts.find(c => c.figure.textContent.startsWith("fan")), first = charts[0];
    verdict("all show the same range", [dose, fan].every(c => [0, 1].every(k => Math.abs(c.graph.xAxisRange()[k] - first.graph.xAxisRange()[k]) < 1)));
    verdict("doses begin at 0", dose.graph.yAxisRange()[0] <= 0);
    dose.figure.scrollIntoView({ block: "center" });
    await until(() => dose.seen);
    for (const key of ["ArrowRight", "ArrowRight"]) dose.figure.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    verdict("the keyboard reads doses", dose.figure.querySelector(".readout").textContent === "t 12,  dose 100");
    const values = dose.figure.querySelector("details");
    values.open = true;
    await until(() => values.querySelector("tbody"));
    verdict("values of an input as a table", values.querySelectorAll("tbody tr").length >= 2);
    verdict("the page does not scroll sideways", document.documentElement.scrollWidth <= innerWidth);
    verdict("ran to the end", true);
  } catch (error) {
    verdict("no exception: " + error.stack.split("\n").slice(0, 2).join(" "), false);
  }
  return verdicts;
})()
