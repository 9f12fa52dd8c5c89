"use strict";
// Numbers for people, as `latentforce show` prints them: a standard error has two significant digits and its value as many
// decimals; numbers below 0.001 or from a million on have an exponent that is a multiple of three; units stand behind.

function raised(power) { return "×10" + String(power).replace(/[-0-9]/g, c => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]); }

// The decimal exponent of the first digit of a value rounded to so many significant digits.
function leadingExponent(value, digits) { return value === 0 ? 0 : Number(value.toExponential(digits - 1).split("e")[1]); }

// The power of ten to show separately, for a leading exponent.
function separatePower(exponent) { return exponent >= 6 || exponent < -3 ? 3 * Math.floor(exponent / 3) : 0; }

function number(value, digits = 5) {
  if (typeof value !== "number" || !Number.isFinite(value)) return "–";
  const power = separatePower(leadingExponent(value, digits));
  return power ? Number((value / 10 ** power).toPrecision(digits)) + raised(power) : String(Number(value.toPrecision(digits)));
}

// A number in full: exponents would make rows of inputs hard to compare.
function plain(value, digits = 12) { return typeof value === "number" ? String(Number(value.toPrecision(digits))) : "–"; }

function unitText(unit) { return unit.replace(/\^(\d+)/g, (all, power) => [...power].map(c => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]).join("")); }

// value / 10^power, rounded to multiples of 10^place (before the division).
function rounded(value, place, power) {
  const decimals = power - place, scaled = value / 10 ** power;
  return decimals >= 0 ? scaled.toFixed(Math.min(decimals, 20)) : String(Math.round(scaled / 10 ** -decimals) * 10 ** -decimals);
}

// [value, standard error or null] with a unit: "2.10 ± 0.12 h", "(12.3 ± 1.5)×10⁻⁶ 1/h", "350 ms", "15.5 µHz".
function quantity([value, error], unit = "", digits = 5) {
  if (typeof value !== "number" || !Number.isFinite(value)) return "–";
  const known = typeof error === "number" && error > 0, first = leadingExponent(value, digits);
  const largest = value === 0 && known ? leadingExponent(error, 2) : first, thousands = Math.floor(largest / 3);
  const prefix = unit === "Hz" || (unit === "s" && value !== 0 && Math.abs(value) < 1) ? ["p", "n", "µ", "m", "", "k", "M", "G", "T"][thousands + 4] : undefined;
  const power = prefix === undefined ? separatePower(largest) : 3 * thousands, shown = prefix === undefined && power ? raised(power) : "";
  const tail = unit ? " " + (prefix || "") + unitText(unit) : "";
  if (!known) return Number((value / 10 ** power).toPrecision(digits)) + shown + tail;
  const place = Math.max(leadingExponent(error, 2) - 1, first - 12);
  const text = rounded(value, value !== 0 ? Math.min(place, first) : place, power) + " ± " + rounded(error, place, power);
  return (shown ? `(${text})${shown}` : text) + tail;
}

// An angular frequency per unit of the first input, with the frequency in cycles beside it.
function frequency([value, error]) {
  const { unit, seconds } = report.inputs[0];
  if (typeof value !== "number") return "–";
  const cycles = seconds ? quantity([value / (2 * Math.PI) / seconds, null], "Hz", 3)
    : quantity([value / (2 * Math.PI), null], "cycles" + (unit ? "/" + unit : ""), 3);
  return `${quantity([value, error], "rad" + (unit ? "/" + unit : ""))} (${cycles})`;
}

function label(name, unit) { return unit ? `${name} (${unitText(unit)})` : name; }

// ---- inputs: numbers or dates. A dated input is drawn in milliseconds since 1970 on the clock of the data ----

function isDated(k = 0) { return report.inputs[k].zero !== undefined; }
function drawnInput(x) { const i = report.inputs[0]; return isDated() ? 1000 * (i.zero + i.seconds * x) : x; }
function inputLabel(k = 0) { return label(report.inputs[k].name, isDated(k) ? "" : report.inputs[k].unit); }

// "2019-12-23T14:30:00", with milliseconds if there are any.
function dateText(milliseconds) {
  const date = new Date(Math.round(milliseconds));
  return Number.isNaN(date.getTime()) ? plain(milliseconds) : date.toISOString().replace(/(\.000)?Z$/, "");
}

// Between points of a grid, seconds are exact enough if the charts span more than an hour.
function drawnText(at) {
  if (!isDated()) return plain(at);
  const [low, high] = report.span || [0, 0];
  return dateText(high - low > 3.6e6 ? 1000 * Math.round(at / 1000) : at);
}
function inputText(x, k = 0) { const i = report.inputs[k]; return isDated(k) ? dateText(1000 * Math.round(i.zero + i.seconds * x)) : plain(x, 6); }
