// What a page must be on a phone, with dates, with maps and on paper, done to it by a script that test_report.sh runs in the page. It
// gives the verdicts, one a line. Which of them apply is told by the page itself.
(async () => {
  "use strict";
  let verdicts = "";
  const verdict = (name, passed) => { verdicts += `${passed ? "ok" : "FAIL"} ${name}\n`; };
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 20)));
  const until = async condition => { for (const start = Date.now(); !condition() && Date.now() - start < 30000;) await frame(); };
  const all = selector => [...document.querySelectorAll(selector)];
  const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;
  const press = (node, key) => node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  // Whether any text of a cell lies outside its box.
  const clipped = cell => cell.scrollWidth > cell.clientWidth + 1 || cell.scrollHeight > cell.clientHeight + 1;
  try {
    // numbers, whatever page this is
    verdict("digits by the standard error", quantity([2.0987, 0.1234], "h") === "2.10 ± 0.12 h" && quantity([20.9, 12], "h") === "21 ± 12 h");
    verdict("large numbers are rounded to the error", quantity([123456, 2345]) === "123500 ± 2300");
    verdict("powers of ten", quantity([0.0000123, 0.0000015], "1/h^2") === "(12.3 ± 1.5)×10⁻⁶ 1/h²" && number(0.000012345) === "12.345×10⁻⁶" && number(-2500000) === "-2.5×10⁶");
    verdict("plain numbers", number(0.00123) === "0.00123" && number(123456, 6) === "123456" && number(0) === "0" && number(null) === "–" && number(NaN) === "–");
    verdict("milliseconds", quantity([0.35, null], "s") === "350 ms" && quantity([35, null], "s") === "35 s");
    verdict("hertz", quantity([15.47e-6, null], "Hz", 3) === "15.5 µHz");

    // the verdict and the order of the page
    const box = document.getElementById("verdict");
    verdict("a verdict at the top", report.verdict.length === 0 ? box.hidden : !box.hidden && box.querySelectorAll("li").length === report.verdict.length &&
      box.compareDocumentPosition(document.getElementById("outputs")) === Node.DOCUMENT_POSITION_FOLLOWING);
    const titles = all("main h2").map(h => h.id);
    verdict("answers come first", titles.indexOf("outputs") === 0 && titles.indexOf("constants") === 1 && titles.indexOf("forces") === 2);
    if (report.forces.some(f => f.hidden)) {
      verdict("idle forces have no chart", report.charts.every(c => c.target < report.outputs.length || !report.forces[c.target - report.outputs.length].idle));
      verdict("nor a column", all(".heat thead th").length === 1 + report.forces.filter(f => !f.idle).length);
      verdict("but are named", document.querySelector("[aria-labelledby=forces]").textContent.includes("force2 is idle"));
    }

    // tables
    for (const details of all("figure details")) details.open = true;
    await until(() => all("figure details").every(d => d.querySelector("tbody")));
    verdict("no cell of a table is cut", all("th, td").every(c => !clipped(c)));
    verdict("names of rows stay in view", all("tbody th").every(c => getComputedStyle(c).position === "sticky"));

    if (innerWidth < 600) {
      verdict("a phone: the page does not scroll sideways", document.documentElement.scrollWidth <= innerWidth);
      verdict("a phone: buttons are large enough for a finger", all("#tools button").filter(b => b.offsetParent).every(b => b.offsetWidth >= 40 && b.offsetHeight >= 40));
      verdict("a phone: the bar leaves room", document.getElementById("tools").offsetHeight < 0.2 * innerHeight);
      verdict("a phone: text can be read", all("p, td, th, figcaption, a").every(n => parseFloat(getComputedStyle(n).fontSize) >= 12));
    }

    if (report.input_dim === 1) {
      charts[0].figure.scrollIntoView(); // charts are drawn when they come near the window
      await until(() => charts[0].graph && charts[0].figure.querySelector(".dygraph-axis-label-x"));
      const { figure, graph } = charts[0], readout = figure.querySelector(".readout"), chart = report.charts[0];
      const labels = [...figure.querySelectorAll(".dygraph-axis-label-x")].map(n => n.textContent);
      if (isDated()) {
        verdict("dates on the axis", labels.some(t => /^\d+\s?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/.test(t)) || labels.some(t => /^\d\d:\d\d$/.test(t)));
        // The browser runs on another clock: midnight of the data must stand where the label of that day stands.
        const day = [...figure.querySelectorAll(".dygraph-axis-label-x")].find(n => /^24\s/.test(n.textContent)).getBoundingClientRect();
        const midnight = figure.querySelector(".plot").getBoundingClientRect().left + graph.toDomXCoord(Date.UTC(2019, 11, 24));
        verdict("the browser has another clock", new Date(0).getHours() !== 0);
        verdict("the clock is that of the data", near((day.left + day.right) / 2, midnight, 3));
        verdict("dates in tables", figure.querySelector("tbody th").textContent === expectedFirst);
        verdict("the range is told in dates", document.getElementById("summary").textContent.includes(expectedFirst.slice(0, 10)));
      }
      figure.focus();
      press(figure, "ArrowRight");
      verdict("readouts have units and dates", readout.textContent.startsWith(expectedReadout) && readout.textContent.includes("°C"));
      verdict("titles have units", figure.querySelector("figcaption").textContent.includes(" (°C)"));
      verdict("constants have units", /± [\d.]+ (min|h)/.test(document.querySelector("[aria-labelledby=constants]").textContent) ||
        / (min|h)\b/.test(document.querySelector("[aria-labelledby=constants]").textContent));

      // Held-out rows do not hide the mean: it is drawn last.
      const order = graph.getLabels();
      verdict("the mean is drawn over the rows", order.indexOf("mean") > order.indexOf("held") && order.indexOf("held") > order.indexOf("band"));

      // fingers
      const plot = figure.querySelector(".plot"), surface = plot.querySelector("canvas:last-of-type");
      const finger = (type, points) => {
        const touches = points.map((x, k) => new Touch({ identifier: k, target: surface, clientX: plot.getBoundingClientRect().left + x, clientY: plot.getBoundingClientRect().top + 60,
          pageX: scrollX + plot.getBoundingClientRect().left + x, pageY: scrollY + plot.getBoundingClientRect().top + 60 }));
        const event = new TouchEvent(type, { touches, targetTouches: touches, changedTouches: touches, bubbles: true, cancelable: true });
        surface.dispatchEvent(event);
        return event;
      };
      const before = graph.xAxisRange(), middle = chart.x[Math.floor(chart.x.length / 2)];
      readout.textContent = "";
      const event = finger("touchstart", [graph.toDomXCoord(drawnInput(middle))]);
      verdict("one finger reads a value", readout.textContent.includes("mean "));
      verdict("and does not stop the page from scrolling", !event.defaultPrevented);
      finger("touchmove", [graph.toDomXCoord(drawnInput(middle)) + 30]);
      verdict("nor move the chart", String(graph.xAxisRange()) === String(before));
      const centre = (graph.toDomXCoord(before[0]) + graph.toDomXCoord(before[1])) / 2;
      finger("touchstart", [centre - 30, centre + 30]);
      finger("touchmove", [centre - 60, centre + 60]);
      const after = graph.xAxisRange();
      verdict("two fingers zoom", near((after[1] - after[0]) / (before[1] - before[0]), 0.5, 0.05));
      move("reset");
    }

    if (report.input_dim === 2) {
      const figure = document.querySelector("#outputs ~ .cards figure"), readout = figure.querySelector(".readout"), chart = report.charts[0], map = chart.map;
      await until(() => figure.querySelector("svg.map"));
      const pictures = figure.querySelectorAll("svg.map");
      verdict("a map of the mean and one of the standard deviation", pictures.length === 2 && [...pictures].every(p => p.querySelector("image").getAttribute("href").startsWith("data:image/png")));
      verdict("every row has a place on both", [...pictures].every(p => p.querySelectorAll(".place").length === chart.at.length));
      verdict("held-out rows have another mark", pictures[0].querySelectorAll(".place.held").length === chart.test.filter(t => t).length);
      verdict("a scale of colours", pictures[0].querySelectorAll("rect[fill]").length === 32 && pictures[0].textContent.includes(number(Math.max(...map.mean), 3)));
      verdict("inputs are named", pictures[0].textContent.includes(inputLabel(0)) && pictures[0].textContent.includes(inputLabel(1)));
      verdict("forces have maps too", document.querySelectorAll("#forces ~ .cards svg.map, #forces ~ .cards figure").length > 0);
      verdict("light and dark differ evenly", scale.map(c => 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]).every((v, k, list) => k === 0 || v > list[k - 1] + 10));
      figure.focus();
      press(figure, "ArrowRight");
      const i = Math.floor(map.n / 2) + 1, j = Math.floor(map.n / 2);
      verdict("arrow keys read the map", readout.textContent.includes("mean " + number(map.mean[i * map.n + j])));
      const box2 = pictures[0].querySelector("rect.axis").getBoundingClientRect();
      pictures[0].dispatchEvent(new PointerEvent("pointermove", { clientX: box2.left + 0.5, clientY: box2.bottom - 0.5, bubbles: true }));
      verdict("the pointer reads a corner", near(Number(/mean ([-\d.]+)/.exec(readout.textContent)[1]), map.mean[0], 0.02 * (Math.max(...map.mean) - Math.min(...map.mean))));
      const place = k => [box2.left + (chart.x1[k] - map.low[0]) / (map.high[0] - map.low[0]) * box2.width, box2.bottom - (chart.x2[k] - map.low[1]) / (map.high[1] - map.low[1]) * box2.height];
      const [clientX, clientY] = place(0);
      pictures[0].dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true }));
      verdict("and a row under it", /observed|held out/.test(readout.textContent));
    }

    // paper
    dispatchEvent(new Event("beforeprint"));
    const width = document.querySelector("main").getBoundingClientRect().width;
    verdict("on paper every table fits the page", all(".scroll > table").every(t => t.getBoundingClientRect().width <= width + 1));
    verdict("on paper no cell is cut", all("th, td").every(c => !clipped(c)));
    dispatchEvent(new Event("afterprint"));
    verdict("ran to the end", true);
  } catch (error) {
    verdict("no exception: " + error.stack.split("\n").slice(0, 2).join(" "), false);
  }
  return verdicts;
})();
