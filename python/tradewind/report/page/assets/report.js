"use strict";
/* Draws the figures of a report with plotly.js; the data and the library are unpacked from the page. */

const SERIES = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b0528a", "#a86f00", "#2b8fc4", "#000000"],
  dark: ["#56b4e9", "#ff9a4d", "#2fd3a5", "#e7a1c6", "#f0c04a", "#9ad4f5", "#ffffff"],
};
const MARKS = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x"];
const DASHES = ["solid", "dash", "dot", "dashdot"];
const HATCHES = ["", "/", "x", "."];
const QUIET = {displayModeBar: false, responsive: true, scrollZoom: false};
const PAPER_PX = 660;
const FEW_MESSAGES = 500;
const drawn = [];
let printing = false;

async function unpacked(id) {
  const packed = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function themeShown() {
  const chosen = document.getElementById("theme").value;
  if (chosen !== "system") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function ink(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function styleOf(index, theme) {
  const colours = SERIES[theme];
  const round = Math.floor(index / colours.length);
  return {
    color: colours[index % colours.length],
    symbol: MARKS[index % MARKS.length],
    dash: DASHES[round % DASHES.length],
    hatch: HATCHES[round % HATCHES.length],
  };
}

const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];

/* The prefix for the unit of a value; counts below 100,000 have none. */
function prefixFor(value, unit) {
  if (value === 0 || (!unit && Math.abs(value) < 1e5)) return [1, ""];
  return PREFIXES.find(([step]) => Math.abs(value) >= step * (1 - 1e-9)) || [1e-12, "p"];
}

/* "1.23 ms", "45 %", "12 k": a value with its unit, with the prefix of another value if that is given. */
function shown(value, unit, like = value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (unit === "%") return `${Number((100 * value).toPrecision(3))} %`;
  const [size, prefix] = prefixFor(like, unit);
  const number = Number((value / size).toPrecision(4));
  return number === 0 ? `0 ${unit}`.trim() : `${number} ${prefix}${unit}`.trim();
}

/* Round values between two, about five of them. */
function linearTicks(low, high, isWhole) {
  const rough = (high - low) / 6 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999), isWhole ? 1 : 0);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.max(0, Math.floor(high / step + 1e-9) - first + 1);
  return Array.from({length: count}, (_, i) => (first + i) * step);
}

/* Values on a logarithmic axis between two exponents: powers of ten, or 1, 2 and 5 of few decades. */
function logTicks(low, high) {
  const between = (digits) => {
    const found = [];
    for (let exponent = Math.floor(low); exponent <= high; exponent++) {
      found.push(...digits.map((digit) => digit * 10 ** exponent));
    }
    return found.filter((value) => Math.log10(value) >= low - 1e-9 && Math.log10(value) <= high + 1e-9);
  };
  const found = [[1], [1, 2, 5], [1, 1.5, 2, 3, 5, 7]].map(between).find((values) => values.length >= 3) || linearTicks(10 ** low, 10 ** high);
  const each = Math.ceil(found.length / 9);
  return found.filter((_, i) => i % each === 0);
}

/* The places of the points along a logarithmic axis, such as the numbers of ranks, where they are few. */
function placesOf(axis, low, high) {
  const inside = (axis.places || []).filter((place) => place > 0 && Math.log10(place) >= low && Math.log10(place) <= high);
  if (inside.length < 2 || inside.length > 20) return null;
  const kept = [];
  for (const place of inside) {
    if (!kept.length || Math.log10(place / kept[kept.length - 1]) > (high - low) / 16) kept.push(place);
  }
  return kept;
}

/* Every tick of an axis with its unit, for the range that is shown. */
function ticksOf(axis, range, isLog) {
  const [low, high] = [Math.min(...range), Math.max(...range)];
  if (!isLog) {
    const values = linearTicks(low, high, axis.whole);
    const like = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    return {tickvals: values, ticktext: values.map((value) => shown(value, axis.unit, like))};
  }
  const values = (placesOf(axis, low, high) || logTicks(low, high)).filter((value) => !axis.floor || value > 1.5 * axis.floor);
  const texts = values.map((value) => shown(value, axis.unit));
  if (axis.floor) return {tickvals: [axis.floor, ...values], ticktext: [shown(0, axis.unit), ...texts]};
  return {tickvals: values, ticktext: texts};
}

/* The outline of a histogram, down to the floor where bins are empty, from the first to the last that is not. */
function asSteps({x, y}, floor) {
  const steps = {x: [], y: [], at: []};
  const add = (place, value, bin) => [steps.x.push(place), steps.y.push(value > floor ? value : floor), steps.at.push(bin)];
  const filled = y.map((value, i) => (value > 0 && i + 1 < x.length ? i : -1)).filter((i) => i >= 0);
  if (!filled.length) return steps;
  const [first, last] = [filled[0], filled[filled.length - 1]];
  add(x[first], 0, first);
  for (let i = first; i <= last; i++) {
    add(x[i], y[i], i);
    add(x[i + 1], y[i], i);
  }
  add(x[last + 1], 0, last);
  return steps;
}

function axisLayout(axis, isLog) {
  return {
    title: {text: axis.title, standoff: 12}, gridcolor: ink("--grid"), linecolor: ink("--line"), zeroline: false,
    showline: true, ticks: "outside", automargin: true, type: axis.category ? "category" : isLog ? "log" : "linear",
  };
}

/* "a, b and 3 more": the first of many texts. */
function someOf(texts, most = 6) {
  const rest = texts.length - most;
  return texts.slice(0, most).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function baseLayout() {
  return {
    paper_bgcolor: ink("--back"), plot_bgcolor: ink("--back"),
    font: {family: "system-ui, sans-serif", size: 14, color: ink("--text")},
    hoverlabel: {bgcolor: ink("--panel"), font: {color: ink("--text")}},
    margin: {l: 70, r: 24, t: 20, b: 60}, showlegend: false, dragmode: "zoom", hovermode: "closest",
    autosize: !printing, width: printing ? PAPER_PX : undefined, legend: {orientation: "h", y: -0.25},
  };
}

class Drawing {
  constructor(figure, data, caption) {
    this.figure = figure;
    this.data = data;
    this.plot = element("div", {className: "plot", role: "img"});
    this.plot.setAttribute("aria-label", data.alt);
    this.table = element("details", {className: "values"}, element("summary", {textContent: "Values as a table"}));
    this.table.addEventListener("toggle", () => this.fillTable());
    this.controls = element("div", {className: "controls"});
    this.series = element("fieldset");
    this.remark = element("p", {className: "soft remark"});
    this.axes = {};
    caption.after(this.controls, this.series, this.plot, this.remark, this.buttons(), this.table);
  }

  /* Says below the figure what it cannot show. */
  remarkOn(...texts) {
    this.remark.textContent = [...texts, this.data.note].filter(Boolean).join(" ");
    this.remark.hidden = !this.remark.textContent;
  }

  /* Gives every tick its unit, for the range that is shown now. */
  tick() {
    const change = {};
    for (const [name, axis] of Object.entries(this.axes)) {
      const {range, type} = this.plot._fullLayout[name];
      if (axis.category) continue;
      const ticks = ticksOf(axis, range, type === "log");
      const key = JSON.stringify(ticks);
      if (key === JSON.stringify({tickvals: this.plot.layout[name].tickvals, ticktext: this.plot.layout[name].ticktext})) continue;
      Object.assign(change, {[`${name}.tickvals`]: ticks.tickvals, [`${name}.ticktext`]: ticks.ticktext});
    }
    if (Object.keys(change).length) Plotly.relayout(this.plot, change);
  }

  select(label, options, changed) {
    const box = element("select", {}, ...options.map((text) => element("option", {textContent: text, value: text})));
    box.addEventListener("change", changed);
    this.controls.append(element("label", {}, `${label} `, box));
    return box;
  }

  check(label, changed) {
    const box = element("input", {type: "checkbox"});
    box.addEventListener("change", changed);
    this.controls.append(element("label", {}, box, label));
    return box;
  }

  buttons() {
    const button = (text, action) => {
      const node = element("button", {type: "button", textContent: text});
      node.addEventListener("click", action);
      return node;
    };
    return element(
      "div", {className: "controls buttons"},
      button("Zoom in", () => this.zoom(0.6)), button("Zoom out", () => this.zoom(1 / 0.6)),
      button("Whole figure", () => this.reset()), button("Save as picture", () => this.save()),
      element("span", {className: "soft", textContent: "or drag over a part of the figure"}),
    );
  }

  zoom(factor) {
    const change = {};
    for (const name of ["xaxis", "yaxis"]) {
      const [low, high] = this.plot._fullLayout[name].range;
      const middle = (low + high) / 2;
      change[`${name}.range`] = [middle + (low - middle) * factor, middle + (high - middle) * factor];
    }
    Plotly.relayout(this.plot, change);
  }

  reset() {
    Plotly.relayout(this.plot, {"xaxis.autorange": true, "yaxis.autorange": this.data.kind === "lines" ? true : "reversed"});
  }

  async save() {
    const {data, layout} = this.plot;
    const picture = {data, layout: {...layout, title: {text: this.data.title}, margin: {...layout.margin, t: 60}, showlegend: data.length > 1}};
    const link = element("a", {download: `${this.figure.id}.png`});
    link.href = await Plotly.toImage(picture, {format: "png", width: 1200, height: 720, scale: 2});
    link.click();
  }

  show(traces, layout) {
    Plotly.react(this.plot, traces, layout, QUIET);
    this.tick();
    if (!this.ticking) this.ticking = this.plot.on("plotly_relayout", () => this.tick());
    if (this.table.open) this.fillTable();
  }

  fillTable() {
    if (!this.table.open) return;
    const {head, rows} = this.values();
    const numbers = (cells, tag) => element("tr", {}, ...cells.map((text, i) => element(tag, {textContent: text, className: i ? "number" : ""})));
    const body = element("tbody", {}, ...rows.map((row) => numbers(row, "td")));
    const top = element("thead", {}, numbers(head, "th"));
    top.querySelectorAll("th").forEach((cell) => (cell.scope = "col"));
    this.table.querySelector(".scroll")?.remove();
    this.table.append(element("div", {className: "scroll", tabIndex: 0, role: "region", ariaLabel: `Values of ${this.data.title}`}, element("table", {}, top, body)));
  }
}

class Lines extends Drawing {
  constructor(figure, data, caption) {
    super(figure, data, caption);
    this.off = new Set();
    this.order = [...new Set(Object.values(data.views).flatMap((view) => view.traces.map((trace) => trace.name)))];
    this.selects = data.selects.map(({label, options}) => this.select(label, options, () => this.change()));
    this.selects.forEach((box) => (box.parentElement.hidden = box.options.length < 2));
    this.logX = this.check("log x", () => this.draw());
    this.logY = this.check("log y", () => this.draw());
    this.addSeries();
    this.change();
  }

  key(name) {
    return this.order.indexOf(name);
  }

  addSeries() {
    this.series.append(element("legend", {textContent: this.data.parts || "Series"}));
    this.boxes = this.order.map((name, index) => {
      const box = element("input", {type: "checkbox", checked: true});
      box.addEventListener("change", () => {
        box.checked ? this.off.delete(index) : this.off.add(index);
        this.draw();
      });
      const swatch = element("span", {className: "swatch"});
      swatch.setAttribute("aria-hidden", "true");
      this.series.append(element("label", {}, box, swatch, name));
      return {box, swatch};
    });
    if (this.order.length < 3) return;
    for (const [text, on] of [["all", true], ["none", false]]) {
      const button = element("button", {type: "button", textContent: text, className: "buttons"});
      button.addEventListener("click", () => this.boxes.forEach(({box}) => {
        if (box.checked !== on) box.click();
      }));
      this.series.append(button);
    }
  }

  change() {
    const key = this.selects.map((box) => box.value).join("\n");
    this.view = this.data.views[key] || {x: {title: ""}, y: {title: ""}, traces: []};
    this.logX.checked = Boolean(this.view.x.log);
    this.logY.checked = Boolean(this.view.y.log);
    this.logX.parentElement.hidden = Boolean(this.view.x.category);
    this.draw(true);
  }

  trace(source, theme) {
    const index = this.key(source.name);
    const style = styleOf(index, theme);
    const {x, y} = this.view;
    const text = source.x.map((at, i) => `${source.name}<br>${x.title}: ${shown(at, x.unit)}${source.mode === "steps" ? ` to ${shown(source.x[i + 1], x.unit)}` : ""}<br>${y.title}: <b>${shown(source.y[i], y.unit)}</b>`);
    const common = {name: source.name, x: source.x, y: source.y, text, hoverinfo: "text", textposition: "none", visible: !this.off.has(index)};
    const bars = source.above ? {error_y: {type: "data", symmetric: false, array: source.above, arrayminus: source.below, thickness: 1, width: 3}} : {};
    if (source.mode === "bars") return {...common, ...bars, type: "bar", marker: {color: style.color, pattern: {shape: style.hatch}}};
    const line = {color: style.color, dash: style.dash, width: 2};
    if (source.mode === "steps") {
      const steps = asSteps(source, this.floor());
      return {...common, x: steps.x, y: steps.y, text: steps.at.map((i) => text[i]), type: "scatter", mode: "lines", line};
    }
    return {...common, ...bars, type: "scatter", mode: "lines+markers", line, cliponaxis: false, marker: {color: style.color, symbol: style.symbol, size: 8}};
  }

  /* The height of an empty bin: zero, or half of the smallest value on a logarithmic axis. */
  floor() {
    if (!this.logY.checked) return 0;
    if (!this.view.y.unit) return 0.5;
    const values = this.view.traces.flatMap((trace) => trace.y).filter((value) => value > 0);
    return values.reduce((a, b) => Math.min(a, b), Infinity) / 2;
  }

  /* Zeros that a logarithmic axis or a bar cannot show. */
  zeros() {
    const {x, y, traces} = this.view;
    const on = traces.filter((trace) => trace.mode !== "steps" && !this.off.has(this.key(trace.name)));
    const lost = (trace, i) => (this.logY.checked && trace.y[i] <= 0) || (this.logX.checked && trace.x[i] <= 0) || (trace.mode === "bars" && trace.y[i] === 0);
    if (this.view.stacked) return "";
    const found = on.flatMap((trace) => trace.x.filter((_, i) => trace.y[i] !== null && lost(trace, i)).map((at) => (on.length > 1 ? `${trace.name} at ${shown(at, x.unit)}` : `${x.title} ${shown(at, x.unit)}`)));
    return found.length ? `${shown(0, y.unit)}: ${someOf(found)}.` : "";
  }

  swatches(theme) {
    this.boxes.forEach(({swatch}, index) => {
      const {color, dash, symbol, hatch} = styleOf(index, theme);
      if (this.data.parts) {
        const lines = {"": "", "/": "M-2 16L16 -2M6 16L28 -6", x: "M0 0L26 14M0 14L26 0", ".": "M4 7h2M12 7h2M20 7h2"}[hatch];
        swatch.innerHTML = `<svg width="26" height="14"><rect width="26" height="14" fill="${color}"/><path d="${lines}" stroke="${ink("--back")}" stroke-width="2"/></svg>`;
        return;
      }
      const dashes = {solid: "", dash: "6 3", dot: "2 2", dashdot: "6 2 2 2"}[dash];
      const mark = {circle: "●", square: "■", "triangle-up": "▲", diamond: "◆", "triangle-down": "▼", cross: "✚", x: "✖"}[symbol];
      swatch.innerHTML = `<svg width="26" height="14"><line x1="0" y1="7" x2="26" y2="7" stroke="${color}" stroke-width="2" stroke-dasharray="${dashes}"/><text x="13" y="11" font-size="11" text-anchor="middle" fill="${color}">${mark}</text></svg>`;
    });
  }

  draw(again = false) {
    const theme = document.documentElement.dataset.shown;
    const {x, y, traces} = this.view;
    this.swatches(theme);
    const layout = {...baseLayout(), xaxis: axisLayout(x, this.logX.checked), yaxis: axisLayout(y, this.logY.checked), barmode: this.view.stacked ? "stack" : "group"};
    const isHistogram = traces.some((trace) => trace.mode === "steps");
    const places = isHistogram || x.category ? [] : [...new Set(traces.flatMap((trace) => trace.x))].sort((a, b) => a - b);
    this.axes = {xaxis: {...x, places}, yaxis: {...y, floor: isHistogram && this.logY.checked ? this.floor() : 0}};
    layout.uirevision = `${this.selects.map((box) => box.value)} ${this.logX.checked} ${this.logY.checked}`;
    if (!this.logY.checked) layout.yaxis.rangemode = "tozero";
    this.show(traces.map((source) => this.trace(source, theme)), layout);
    this.remarkOn(this.view.note, isHistogram && this.logY.checked ? "Empty bins lie on the line of zero." : "", this.zeros());
    if (again) this.plot.setAttribute("aria-label", this.data.alt);
  }

  values() {
    const on = this.view.traces.filter((trace) => !this.off.has(this.key(trace.name)));
    const places = [...new Set(on.flatMap((trace) => trace.x))].sort((a, b) => (typeof a === "number" ? a - b : 0));
    const rows = places.map((place) => [
      shown(place, this.view.x.unit),
      ...on.map((trace) => {
        const at = trace.x.indexOf(place);
        return at < 0 ? "" : shown(trace.y[at], this.view.y.unit);
      }),
    ]);
    return {head: [this.view.x.title, ...on.map((trace) => trace.name)], rows};
  }
}

class Heat extends Drawing {
  constructor(figure, data, caption) {
    super(figure, data, caption);
    this.series.remove();
    this.run = this.select("run", data.runs.map((run) => run.label), () => this.changeRun());
    this.panel = this.select("kind of link", [], () => this.changePanel());
    this.quantity = this.select("quantity", [], () => this.draw());
    this.layer = element("input", {type: "range", min: 0, value: 0});
    this.layerText = element("output");
    this.layerLabel = element("label", {}, this.layer, this.layerText);
    this.layer.addEventListener("input", () => this.draw());
    this.log = this.check("log colours", () => this.draw());
    this.controls.append(this.layerLabel);
    this.changeRun();
  }

  fill(box, options) {
    const before = box.value;
    box.replaceChildren(...options.map((text) => element("option", {textContent: text, value: text})));
    if (options.includes(before)) box.value = before;
    box.parentElement.hidden = options.length < 2;
  }

  changeRun() {
    this.panels = this.data.runs[this.run.selectedIndex].panels;
    this.run.parentElement.hidden = this.data.runs.length < 2;
    this.fill(this.panel, this.panels.map((panel) => panel.name));
    this.changePanel();
  }

  changePanel() {
    this.shownPanel = this.panels[this.panel.selectedIndex];
    const [layers, rows, columns] = this.shownPanel.shape;
    this.layer.max = layers - 1;
    this.layer.value = this.busiestLayer(layers, rows * columns);
    this.layerLabel.hidden = layers < 2;
    this.fill(this.quantity, Object.keys(this.shownPanel.quantities));
    this.draw();
  }

  busiestLayer(layers, size) {
    const {values} = Object.values(this.shownPanel.quantities)[0];
    let best = 0;
    let most = -1;
    for (let layer = 0; layer < layers; layer++) {
      const sum = values.slice(layer * size, (layer + 1) * size).reduce((a, b) => a + (b || 0), 0);
      if (sum > most) [best, most] = [layer, sum];
    }
    return best;
  }

  /* What the cells along a side stand for: "3", or "12-15" where several are in one cell. */
  ticks(side) {
    const cells = this.shownPanel.shape[side];
    const extent = this.shownPanel.extents[side];
    return Array.from({length: cells}, (_, i) => {
      const first = Math.ceil((i * extent) / cells);
      const last = Math.ceil(((i + 1) * extent) / cells) - 1;
      return first === last ? `${first}` : `${first}\u2013${last}`;
    });
  }

  draw() {
    const panel = this.shownPanel;
    const {unit, values} = panel.quantities[this.quantity.value];
    const [, rows, columns] = panel.shape;
    const layer = Number(this.layer.value);
    const [layerTicks, rowTicks, columnTicks] = [0, 1, 2].map((side) => this.ticks(side));
    this.layerText.textContent = `${panel.axes[0]} ${layerTicks[layer]}`;
    this.layer.setAttribute("aria-label", `layer: ${panel.axes[0]}`);
    this.layer.setAttribute("aria-valuetext", this.layerText.textContent);
    const z = Array.from({length: rows}, (_, r) => values.slice((layer * rows + r) * columns, (layer * rows + r + 1) * columns));
    const hover = z.map((row, r) => row.map((value, c) => {
      const place = [[panel.axes[0], layerTicks[layer]], [panel.axes[1], rowTicks[r]], [panel.axes[2], columnTicks[c]]];
      const words = place.filter(([axis]) => axis).map(([axis, at]) => `${axis} ${at}`).join("<br>");
      return `${words}<br><b>${value === null ? "no link" : shown(value, unit)}</b>`;
    }));
    this.show([this.trace(z, hover, unit, values)], this.layout(rowTicks, columnTicks));
  }

  trace(z, hover, unit, values) {
    const positive = values.filter((value) => value > 0);
    const most = positive.reduce((a, b) => Math.max(a, b), 0);
    const common = {type: "heatmap", text: hover, hoverinfo: "text", colorscale: "Cividis", xgap: 0, ygap: 0, hoverongaps: true};
    if (!this.log.checked || !positive.length) {
      const bar = {title: {text: this.quantity.value, side: "right"}, ...ticksOf({unit}, [0, most || 1], false)};
      return {...common, z, zmin: 0, zmax: most || 1, colorbar: bar};
    }
    const least = Math.max(positive.reduce((a, b) => Math.min(a, b), most), most * 1e-6);
    const [low, high] = [Math.log10(least), Math.max(Math.log10(most), Math.log10(least) + 0.1)];
    const ticks = Array.from({length: 5}, (_, i) => low + ((high - low) * i) / 4);
    const bar = {title: {text: this.quantity.value, side: "right"}, tickvals: ticks, ticktext: ticks.map((v) => shown(10 ** v, unit))};
    const scaled = z.map((row) => row.map((v) => (v === null ? null : v > 0 ? Math.max(Math.log10(v), low) : low)));
    return {...common, z: scaled, zmin: low, zmax: high, colorbar: bar};
  }

  layout(rowTicks, columnTicks) {
    const panel = this.shownPanel;
    const side = (axis, ticks) => {
      const step = Math.max(1, Math.ceil(ticks.length / 12));
      const places = ticks.map((_, i) => i).filter((i) => i % step === 0);
      return {title: {text: axis, standoff: 12}, tickvals: places, ticktext: places.map((i) => ticks[i]), showgrid: false, zeroline: false, automargin: true};
    };
    const layout = {...baseLayout(), xaxis: side(panel.axes[2], columnTicks), yaxis: side(panel.axes[1], rowTicks), plot_bgcolor: ink("--none")};
    layout.yaxis.autorange = "reversed";
    layout.uirevision = `${this.run.value} ${this.panel.value}`;
    const lost = this.log.checked && panel.quantities[this.quantity.value].values.some((value) => value === 0);
    this.remarkOn(lost ? `Cells of ${shown(0, panel.quantities[this.quantity.value].unit)} have the darkest colour.` : "");
    return layout;
  }

  /* The twenty largest cells of all layers. */
  values() {
    const panel = this.shownPanel;
    const {unit, values} = panel.quantities[this.quantity.value];
    const [, rows, columns] = panel.shape;
    const ticks = [0, 1, 2].map((side) => this.ticks(side));
    const order = values.map((value, i) => [value, i]).filter(([value]) => value > 0).sort((a, b) => b[0] - a[0]).slice(0, 20);
    const named = [0, 1, 2].filter((side) => panel.axes[side]);
    const place = (i) => [Math.floor(i / (rows * columns)), Math.floor(i / columns) % rows, i % columns];
    return {
      head: [...named.map((side) => panel.axes[side]), `${this.quantity.value} (20 largest)`],
      rows: order.map(([value, i]) => [...named.map((side) => ticks[side][place(i)[side]]), shown(value, unit)]),
    };
  }
}

/* Phases and messages of each rank over simulated time. */
class TimeLine extends Drawing {
  constructor(figure, data, caption) {
    super(figure, data, caption);
    this.run = this.select("run", data.runs.map((run) => run.label), () => this.draw());
    this.run.parentElement.hidden = data.runs.length < 2;
    this.messages = this.check("messages", () => this.draw());
    this.messages.checked = data.runs[0].messages.source.length <= FEW_MESSAGES;
    this.messages.parentElement.hidden = data.runs.every((run) => !run.messages.source.length);
    this.order = [...new Set(data.runs.flatMap((run) => run.phases.map((phase) => phase.name)))];
    this.series.append(element("legend", {textContent: this.data.parts || "Phases"}));
    this.series.hidden = !this.order.length;
    this.boxes = this.order.map((name) => {
      const box = element("input", {type: "checkbox", checked: true});
      box.addEventListener("change", () => this.draw());
      const swatch = element("span", {className: "swatch"});
      this.series.append(element("label", {}, box, swatch, name));
      return {box, swatch};
    });
    this.draw();
  }

  draw() {
    const theme = document.documentElement.dataset.shown;
    const run = this.data.runs[this.run.selectedIndex];
    this.boxes.forEach(({swatch}, index) => (swatch.style.background = styleOf(index, theme).color));
    this.axes = {xaxis: {title: this.data.time, unit: "s"}, yaxis: {title: "rank", unit: "", whole: true}};
    const layout = {...baseLayout(), xaxis: axisLayout(this.axes.xaxis), yaxis: axisLayout(this.axes.yaxis), barmode: "overlay"};
    Object.assign(layout.yaxis, {autorange: "reversed", showgrid: false});
    layout.uirevision = this.run.value;
    this.show([...run.phases.map((phase) => this.phase(phase, theme)), this.lines(run.messages)], layout);
    this.remarkOn(run.left);
  }

  phase({name, rank, begin, time}, theme) {
    const index = this.order.indexOf(name);
    const {color, hatch} = styleOf(index, theme);
    const text = rank.map((at, i) => `rank ${at}<br>${name}: <b>${shown(time[i], "s")}</b><br>from ${shown(begin[i], "s")}`);
    return {
      type: "bar", orientation: "h", name, y: rank, x: time, base: begin, width: 0.7, text, hoverinfo: "text", textposition: "none",
      marker: {color, pattern: {shape: hatch}, line: {width: 0}}, visible: this.boxes[index].box.checked,
    };
  }

  lines({source, destination, sent, arrived, bytes, delay}) {
    const x = [], y = [], text = [];
    source.forEach((from, i) => {
      const words = `from rank ${from} to ${destination[i]}: <b>${shown(bytes[i], "B")}</b><br>${shown(sent[i], "s")} to ${shown(arrived[i], "s")}<br>delay ${shown(delay[i], "s")}`;
      x.push(sent[i], arrived[i], null);
      y.push(from, destination[i], null);
      text.push(words, words, "");
    });
    return {type: "scatter", mode: "lines", name: "messages", x, y, text, hoverinfo: "text", line: {color: ink("--soft"), width: 0.8}, opacity: 0.7, visible: this.messages.checked};
  }

  /* The twenty longest phases of ranks, or the twenty messages with the longest delay. */
  values() {
    const run = this.data.runs[this.run.selectedIndex];
    const longest = (rows, column) => rows.sort((a, b) => b[column] - a[column]).slice(0, 20);
    if (run.phases.length) {
      const all = run.phases.flatMap((phase) => phase.rank.map((rank, i) => [phase.name, rank, phase.begin[i], phase.time[i]]));
      return {head: ["phase", "rank", "begin", "time (20 longest)"], rows: longest(all, 3).map(([name, rank, begin, time]) => [name, String(rank), shown(begin, "s"), shown(time, "s")])};
    }
    const {source, destination, sent, arrived, bytes, delay} = run.messages;
    const all = source.map((from, i) => [from, destination[i], bytes[i], sent[i], arrived[i], delay[i]]);
    return {head: ["from rank", "to rank", "bytes", "sent", "arrived", "delay (20 longest)"], rows: longest(all, 5).map((row) => [String(row[0]), String(row[1]), shown(row[2], "B"), ...row.slice(3).map((value) => shown(value, "s"))])};
  }
}

const KINDS = {lines: Lines, heat: Heat, timeline: TimeLine};

function showTheme(onPaper = false) {
  const wasPrinting = printing;
  printing = onPaper;
  document.documentElement.dataset.shown = onPaper ? "light" : themeShown();
  drawn.forEach((drawing) => drawing.draw());
  if (wasPrinting && !printing) drawn.forEach((drawing) => Plotly.Plots.resize(drawing.plot));
}

function filterLedger() {
  const boxes = [...document.querySelectorAll("input[data-verdict]")];
  const update = () => {
    const hidden = new Set(boxes.filter((box) => !box.checked).map((box) => box.dataset.verdict));
    document.querySelectorAll("tr[data-verdict]").forEach((row) => (row.hidden = hidden.has(row.dataset.verdict)));
  };
  boxes.forEach((box) => box.addEventListener("change", update));
}

/* Sorts the rows of a table by a click on a head, and hides those without all words of a search. */
function sortTable(place) {
  const values = JSON.parse(place.dataset.values);
  const body = place.querySelector("tbody");
  const rows = [...body.rows].map((row, i) => ({row, values: values[i]}));
  const heads = [...place.querySelectorAll("th")];
  heads.forEach((head, column) => {
    const button = element("button", {type: "button", className: "sort", textContent: head.textContent, title: "Sort by this column"});
    button.addEventListener("click", () => {
      const falls = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falls ? "descending" : "ascending");
      const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
      const missing = ({values}) => Number(values[column] === null);
      rows.sort((a, b) => missing(a) - missing(b) || (falls ? -1 : 1) * order(a.values[column], b.values[column]));
      body.append(...rows.map(({row}) => row));
    });
    head.replaceChildren(button);
  });
  if (rows.length < 8) return;
  const search = element("input", {type: "search"});
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    rows.forEach(({row}) => (row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word))));
  });
  place.prepend(element("label", {className: "needs-script"}, "search ", search));
}

async function start() {
  document.documentElement.classList.add("scripted");
  document.documentElement.dataset.shown = themeShown();
  document.getElementById("theme").addEventListener("change", () => showTheme());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => showTheme());
  filterLedger();
  document.querySelectorAll(".sortable").forEach(sortTable);
  if (!document.getElementById("figures")) return;
  document.head.append(element("script", {textContent: await unpacked("plotly")}));
  const data = JSON.parse(await unpacked("figures"));
  for (const [id, entry] of Object.entries(data)) {
    const figure = document.getElementById(id);
    drawn.push(new KINDS[entry.kind](figure, entry, figure.querySelector("figcaption")));
  }
  addEventListener("beforeprint", () => showTheme(true));
  addEventListener("afterprint", () => showTheme());
}

start().then(
  () => (document.documentElement.dataset.ready = "yes"),
  (error) => {
    document.documentElement.dataset.ready = "failed";
    document.getElementById("trouble").hidden = false;
    console.error(error);
  },
);
