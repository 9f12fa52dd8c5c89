// What a person does with a report, done to it by a script that test_report.sh runs in the page. It gives the verdicts, one a line.
(async () => {
  "use strict";
  let verdicts = "";
  const verdict = (name, passed) => { verdicts += `${passed ? "ok" : "FAIL"} ${name}\n`; };
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 20))); // what comes into view is told with frames
  const until = async condition => { for (const start = Date.now(); !condition() && Date.now() - start < 30000;) await frame(); };
  const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;
  const all = selector => [...document.querySelectorAll(selector)];
  try {
    const names = ["<img src=x onerror=alert(1)>", '<\/script><b>bold</b> & "quoted"'];
    const captions = all("#outputs ~ .cards figcaption").map(c => c.firstChild.textContent);
    verdict("every output of every replicate has a chart", captions.length === 48);
    verdict("names are shown as text", captions[0] === names[0] && captions[1] === names[0] && captions[2] === names[1]);
    verdict("names make no elements", all("main img, main b, main i").length === 0);
    verdict("replicates are shown as text", document.getElementById("replicate").options[1].text === "<i>one</i>");

    await until(() => charts[0].graph && charts[1].graph);
    const [first, second] = charts, plot = first.figure.querySelector(".plot"), readout = first.figure.querySelector(".readout");
    verdict("charts in view are drawn", first.graph && second.graph);
    verdict("charts out of view wait", charts.some(c => !c.graph));
    const inked = selector => [...plot.querySelectorAll(selector)].some(canvas => {
      const copy = canvas.cloneNode(), c = copy.getContext("2d"); // the page's own canvases are not read, which would slow them
      c.drawImage(canvas, 0, 0);
      return c.getImageData(0, 0, copy.width, copy.height).data.some(v => v);
    });
    verdict("something is painted", inked("canvas"));

    // by mouse
    const at = (graph, x) => {
      const box = plot.getBoundingClientRect();
      return { clientX: box.left + graph.toDomXCoord(x), clientY: box.top + 100, bubbles: true, cancelable: true, view: window, button: 0, detail: 1 };
    };
    const mouse = (type, x, more) => {
      const place = at(first.graph, x), target = document.elementFromPoint(place.clientX, place.clientY);
      target.dispatchEvent(new MouseEvent(type, { ...place, ...more }));
    };
    const [low, high] = first.graph.xAxisRange(), part = share => low + share * (high - low);
    const k = 300, expected = report.charts[0];
    mouse("mousemove", expected.x[k]);
    verdict("hover reads out the mean", readout.textContent.includes("mean " + number(expected.mean[k])) && readout.textContent.includes("95 % from"));
    const row = expected.at[10];
    mouse("mousemove", expected.x[row]);
    verdict("hover reads out an observation", readout.textContent.includes("observed " + number(expected.y[10])));
    mouse("mousedown", part(0.25));
    mouse("mousemove", part(0.5));
    mouse("mousemove", part(0.75));
    mouse("mouseup", part(0.75));
    const range = first.graph.xAxisRange(), other = second.graph.xAxisRange();
    verdict("dragging zooms", near(range[0], part(0.25), 0.02 * (high - low)) && near(range[1], part(0.75), 0.02 * (high - low)));
    verdict("other charts follow", near(other[0], range[0], 1e-9) && near(other[1], range[1], 1e-9));
    const last = charts.filter(c => c.linked).pop();
    last.figure.scrollIntoView();
    await until(() => last.graph);
    verdict("a chart scrolled to is drawn as far as the others show", last.graph && near(last.graph.xAxisRange()[0], range[0], 1e-9));
    first.figure.scrollIntoView({ block: "center" });
    await until(() => first.seen && second.seen);
    for (const type of ["mousedown", "mouseup", "mousedown", "mouseup", "dblclick"]) mouse(type, part(0.5));
    verdict("a double click shows everything", near(first.graph.xAxisRange()[0], low, 1e-9) && near(second.graph.xAxisRange()[1], high, 1e-9));

    // by keyboard
    const press = key => first.figure.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    first.figure.focus();
    verdict("a chart can have the focus", document.activeElement === first.figure);
    readout.textContent = "";
    press("ArrowRight");
    verdict("an arrow reads out", readout.textContent.includes("mean"));
    press("+");
    const closer = first.graph.xAxisRange();
    verdict("plus zooms", near(closer[1] - closer[0], (high - low) / 2, 0.02 * (high - low)));
    press("0");
    verdict("0 shows everything", near(first.graph.xAxisRange()[0], low, 1e-9));
    document.querySelector("[data-zoom=in]").click();
    verdict("the button zooms", near(second.graph.xAxisRange()[0], part(0.25), 0.02 * (high - low)));
    document.querySelector("[data-zoom=reset]").click();
    const details = first.figure.querySelector("details");
    details.open = true;
    await until(() => details.querySelector("tbody"));
    verdict("values as a table", details.querySelectorAll("tbody tr").length === expected.x.length);

    // finding
    const search = document.getElementById("search"), visible = () => all("#outputs ~ .cards figure").filter(f => !f.hidden);
    search.value = "BOLD";
    search.dispatchEvent(new Event("input"));
    verdict("search finds by part of a name", visible().length === 2 && visible().every(f => f.dataset.name === names[1]));
    verdict("search says how many", document.getElementById("found").textContent === "1 of 24 outputs");
    search.value = "";
    search.dispatchEvent(new Event("input"));
    const choice = document.getElementById("replicate");
    choice.value = "1";
    choice.dispatchEvent(new Event("change"));
    verdict("a replicate can be chosen", visible().length === 24);
    choice.value = "";
    choice.dispatchEvent(new Event("change"));

    // tables
    const text = id => document.querySelector(`[aria-labelledby=${id}]`).textContent;
    verdict("constants have standard errors", /±/.test(text("constants")) && /time constant/.test(text("constants")));
    verdict("sensitivities are coloured", all(".heat tbody td").length === 24 && all(".heat tbody td").every(c => c.style.background.includes("rgba")));
    verdict("the score is that of latentforce score", text("scores").includes(number(expectedRmse, 4)));
    verdict("the fit has a trace", charts.some(c => !c.linked));
    verdict("commands are there", text("commands").includes("latentforce fit data.csv --forces 1") && text("commands").includes("latentforce report model.json --data data.csv"));

    // paper
    dispatchEvent(new Event("beforeprint"));
    verdict("paper gets every chart", charts.every(c => c.graph) && document.documentElement.classList.contains("printing"));
    verdict("residuals have three diagrams for each output", all("[aria-labelledby=residuals] svg").length === 72);
    const curves = all("[aria-labelledby=residuals] svg .curve"), share = report.outputs[0].innovations.cumulative;
    verdict("a cumulative periodogram for each output", curves.length === 24 && all("[aria-labelledby=residuals] svg[aria-label='cumulative periodogram']").length === 24);
    verdict("it has a vertex for each frequency", curves[0].getAttribute("d").split("L").length === share.length + 1 && share[share.length - 1][1] === 1);
    verdict("paper gets the pixels", inked("canvas.paper"));
    dispatchEvent(new Event("afterprint"));
    verdict("the screen is back afterwards", all("canvas.paper").length === 0 && inked("canvas"));
    verdict("ran to the end", true);
  } catch (error) {
    verdict("no exception: " + error.stack.split("\n").slice(0, 2).join(" "), false);
  }
  return verdicts;
})();
