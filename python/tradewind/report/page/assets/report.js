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

/* "1.23 ms", "45 %", "12 k": a value with its unit. */
function shown(value, unit) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (unit === "%") return `${Number((100 * value).toPrecision(3))} %`;
  const steps = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
  const plain = `${Number(value.toPrecision(4))} ${unit}`.trim();
  if (value === 0 || (!unit && Math.abs(value) < 1e5)) return plain;
  const [size, prefix] = steps.find(([step]) => Math.abs(value) >= step) || [1e-12, "p"];
  return `${Number((value / size).toPrecision(4))} ${prefix}${unit}`;
}

/* A bin from each place to the next; bins without a value are gaps. */
function asSteps({x, y}) {
  const steps = {x: [], y: [], at: []};
  const add = (place, value, bin) => [steps.x.push(place), steps.y.push(value), steps.at.push(bin)];
  for (let i = 0; i + 1 < x.length; i++) {
    add(x[i], y[i], i);
    if (y[i] !== null) add(x[i + 1], y[i], i);
  }
  return steps;
}

function axisLayout(axis, isLog) {
  const layout = {
    title: {text: axis.title, standoff: 12}, gridcolor: ink("--grid"), linecolor: ink("--line"), zeroline: false,
    showline: true, ticks: "outside", automargin: true, type: axis.category ? "category" : isLog ? "log" : "linear",
  };
  if (axis.unit === "%") layout.tickformat = isLog ? ".3~%" : ".3~%";
  else if (!axis.category) Object.assign(layout, {exponentformat: "SI", ticksuffix: axis.unit, minexponent: 1});
  if (isLog) layout.nticks = 4;
  /* The ticks between powers of ten have no suffix: the unit stands in the title. */
  if (isLog && axis.unit && axis.unit !== "%") Object.assign(layout, {title: {...layout.title, text: `${axis.title} (${axis.unit})`}, ticksuffix: ""});
  if (isLog && axis.unit !== "%") layout.tickformat = ".4~s";
  return layout;
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
    caption.after(this.controls, this.series, this.plot, this.buttons(), this.table);
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
    Plotly.relayout(this.plot, {"xaxis.autorange": true, "yaxis.autorange": this.data.kind === "heat" ? "reversed" : true});
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
    const names = Object.values(data.views).flatMap((view) => view.traces.map((trace) => trace.name));
    this.order = [...new Set(names.map((name) => name.replace(/ \([^()]* below 1 ns\)$/, "")))];
    this.selects = data.selects.map(({label, options}) => this.select(label, options, () => this.change()));
    this.selects.forEach((box) => (box.parentElement.hidden = box.options.length < 2));
    this.logX = this.check("log x", () => this.draw());
    this.logY = this.check("log y", () => this.draw());
    this.addSeries();
    this.change();
  }

  key(name) {
    return this.order.indexOf(name.replace(/ \([^()]* below 1 ns\)$/, ""));
  }

  addSeries() {
    this.series.append(element("legend", {textContent: "Series"}));
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
    if (source.mode === "bars") return {...common, type: "bar", marker: {color: style.color, pattern: {shape: style.hatch}}};
    const line = {color: style.color, dash: style.dash, width: 2};
    if (source.mode === "steps") {
      const steps = asSteps(source);
      return {...common, x: steps.x, y: steps.y, text: steps.at.map((i) => text[i]), type: "scatter", mode: "lines", line};
    }
    const bars = source.above ? {error_y: {type: "data", symmetric: false, array: source.above, arrayminus: source.below, thickness: 1, width: 3}} : {};
    return {...common, ...bars, type: "scatter", mode: "lines+markers", line, marker: {color: style.color, symbol: style.symbol, size: 8}};
  }

  swatches(theme) {
    this.boxes.forEach(({swatch}, index) => {
      const {color, dash, symbol} = styleOf(index, theme);
      const dashes = {solid: "", dash: "6 3", dot: "2 2", dashdot: "6 2 2 2"}[dash];
      const mark = {circle: "●", square: "■", "triangle-up": "▲", diamond: "◆", "triangle-down": "▼", cross: "✚", x: "✖"}[symbol];
      swatch.innerHTML = `<svg width="26" height="14"><line x1="0" y1="7" x2="26" y2="7" stroke="${color}" stroke-width="2" stroke-dasharray="${dashes}"/><text x="13" y="11" font-size="11" text-anchor="middle" fill="${color}">${mark}</text></svg>`;
    });
  }

  draw(again = false) {
    const theme = document.documentElement.dataset.shown;
    const {x, y, traces} = this.view;
    this.swatches(theme);
    const layout = {...baseLayout(), xaxis: axisLayout(x, this.logX.checked), yaxis: axisLayout(y, this.logY.checked), barmode: "group"};
    layout.uirevision = `${this.selects.map((box) => box.value)} ${this.logX.checked} ${this.logY.checked}`;
    if (!this.logY.checked) layout.yaxis.rangemode = "tozero";
    this.show(traces.map((source) => this.trace(source, theme)), layout);
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
    this.panel = this.select("panel", [], () => this.changePanel());
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
      const bar = {title: {text: this.quantity.value, side: "right"}, ticksuffix: unit === "%" ? "" : unit, exponentformat: "SI", tickformat: unit === "%" ? ".3~%" : ""};
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
      rows.sort((a, b) => (falls ? -1 : 1) * order(a.values[column], b.values[column]));
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
    drawn.push(new (entry.kind === "heat" ? Heat : Lines)(figure, entry, figure.querySelector("figcaption")));
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
