// What our pages draw with, over D3 (version 3): curves and bars with axes, a legend, a hint that follows
// the mouse, zoom, and the table of the values behind every picture.
const castor = (function () {
  "use strict";
  // Okabe and Ito's, without yellow: they can be told apart without colour vision, too.
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5a6472"];
  const dashes = [null, "7 3", "2 3", "10 3 2 3"];

  const data = () => JSON.parse(document.getElementById("data").textContent);

  // ---- values as text ---------------------------------------------------------------------------

  // Three digits and a prefix: 400 \u00b5s, 4.88 GB, 12.
  function short(value, unit) {
    const text = value === Math.round(value) && value < 1000 ? String(value) : d3.format(".3s")(value);
    return (text.replace(/([^-\d.]*)$/, " $1") + (unit || "")).trim();
  }

  // A number to be read: 5,243, 97.4, 2.46, 0.639.
  function number(value) {
    if (value === Math.round(value)) return d3.format(",")(value);
    const size = Math.abs(value);
    return d3.format(size >= 1000 ? ",.0f" : size >= 10 ? ",.1f" : size >= 1 ? ".2f" : ".3f")(value);
  }

  // A message's size: 8191 B, 8 KB, 4 MB.
  function bytes(value) {
    const units = ["B", "KB", "MB", "GB"];
    let unit = 0;
    while (unit < 3 && value >= 1024 && value % 1024 === 0) {
      value /= 1024;
      ++unit;
    }
    return value + " " + units[unit];
  }

  // ---- the hint and tables ----------------------------------------------------------------------

  // Rows are [name, value] or [name, value, colour]; the hint stands beside the mouse of d3.event.
  const tip = {
    show: function (title, rows) {
      const box = d3.select("#tip");
      box.selectAll("*").remove();
      box.append("b").text(title);
      const lines = box.append("table").selectAll("tr").data(rows).enter().append("tr");
      lines.append("td").each(function (row) {
        if (row[2]) d3.select(this).append("span").attr("class", "swatch").style("background", row[2]);
        this.appendChild(document.createTextNode(row[0]));
      });
      lines.append("td").text((row) => row[1]);
      const size = box.node().getBoundingClientRect(), view = document.documentElement;
      const x = Math.min(d3.event.clientX + 14, view.clientWidth - size.width - 4);
      const below = d3.event.clientY + 14;
      const y = below + size.height > view.clientHeight ? d3.event.clientY - size.height - 10 : below;
      box.style({visibility: "visible", left: Math.max(0, x) + window.scrollX + "px",
                 top: Math.max(0, y) + window.scrollY + "px"});
    },
    hide: function () { d3.select("#tip").style("visibility", "hidden"); }
  };

  // table: a selector or an element; columns: {name, left, text: (row) => ...}.
  function fillTable(table, columns, rows, caption) {
    table = d3.select(table);
    table.selectAll("*").remove();
    table.append("caption").attr("class", "left").text(caption);
    const side = (column) => column.left ? "left" : null;
    table.append("thead").append("tr").selectAll("th").data(columns).enter().append("th")
      .attr("scope", "col").attr("class", side).text((column) => column.name);
    const lines = table.append("tbody").selectAll("tr").data(rows).enter().append("tr");
    columns.forEach((column) => lines.append("td").attr("class", side(column)).text(column.text));
  }

  // ---- scales -----------------------------------------------------------------------------------

  const isLog = (axis) => axis.scale === "log2" || axis.scale === "log10";
  const show = (axis) => axis.bytes ? bytes : number;
  // The numbers of an axis: as many decimals in each, and no more than six characters.
  function tickText(axis, scale) {
    if (axis.bytes) return bytes;
    const even = isLog(axis) ? number : scale.tickFormat(6);
    return (value) => Math.abs(value) >= 1e5 ? short(value) : even(value);
  }
  const withUnit = (axis, value) => show(axis)(value) + (axis.unit ? " " + axis.unit : "");

  // The values that an axis must hold; a logarithmic one has none at or below 0.
  function extent(axis, values, padded) {
    values = values.filter((value) => isFinite(value) && (!isLog(axis) || value > 0));
    let low = d3.min(values), high = d3.max(values);
    if (low === undefined) { low = isLog(axis) ? 1 : 0; high = 10; }
    if (padded && !isLog(axis)) {
      const room = 0.06 * (high - Math.min(0, low));
      low = low < 0 ? low - room : 0;
      high += room;
    }
    if (axis.min !== undefined) low = axis.min;
    if (axis.max !== undefined) high = axis.max;
    if (low === high) { low = isLog(axis) ? low / 2 : low - 1; high = isLog(axis) ? high * 2 : high + 1; }
    if (padded && isLog(axis)) { low /= 1.2; high *= 1.2; }
    return [low, high];
  }

  function makeScale(axis, domain, range) {
    if (axis.categories) return d3.scale.ordinal().domain(axis.categories).rangeRoundBands(range, 0.25, 0.15);
    if (axis.scale === "log2") return d3.scale.log().base(2).domain(domain).range(range);
    if (axis.scale === "log10") return d3.scale.log().domain(domain).range(range);
    return d3.scale.linear().domain(domain).range(range);
  }

  // Where an axis has its numbers.
  function ticks(axis, scale, most) {
    if (axis.categories) {
      const step = Math.ceil(axis.categories.length / 14);
      return axis.categories.filter((name, i) => i % step === 0);
    }
    const domain = scale.domain();
    if (!isLog(axis) || domain[1] / domain[0] < 4) return scale.ticks ? d3.scale.linear().domain(domain).ticks(most) : [];
    const base = axis.scale === "log2" ? 2 : 10;
    const first = Math.ceil(Math.log(domain[0]) / Math.log(base) - 1e-9);
    const last = Math.floor(Math.log(domain[1]) / Math.log(base) + 1e-9);
    const step = Math.ceil((last - first + 1) / most);
    const powers = d3.range(first, last + 1, step).map((power) => Math.pow(base, power));
    if (base === 2 || powers.length > 2) return powers;
    return scale.ticks().filter((tick) => /^[125]/.test(tick.toExponential()));
  }

  // ---- a chart ----------------------------------------------------------------------------------

  const sizes = {width: 640, height: 330, left: 64, right: 14, top: 18, bottom: 46};

  // chart(PARENT, SPEC): draws into the element PARENT. SPEC:
  //   label   what the picture shows, for readers who cannot see it
  //   x, y    {title, unit, scale: "linear" (default), "log2" or "log10", bytes: a message's size, min, max};
  //           short: numbers with a prefix at the axis; x may have categories: [name, ...], which its points then name
  //   series  [{name, points: [[x, y], ...], kind: "line" (default), "bars" or "points", colour, dash}]
  //   stacked whether bars stand on each other, not side by side
  //   bands   [{name, y: [low, high]}]  what was published as a range; lines  [{name, y} or {name, x}]
  function chart(parent, spec) {
    const root = d3.select(parent).append("div").attr("class", "chart");
    const x = spec.x, y = spec.y, series = spec.series.map(function (each, i) {
      const cycle = Math.floor(i / colours.length);
      const points = x.categories ? each.points.map((p) => [String(p[0]), p[1]]) : each.points;
      return {name: each.name, kind: each.kind || "line", points: points, hidden: false,
              colour: each.colour || colours[i % colours.length], dash: each.dash || dashes[cycle % dashes.length]};
    });
    const bands = spec.bands || [], lines = spec.lines || [];
    const inner = {width: sizes.width - sizes.left - sizes.right, height: sizes.height - sizes.top - sizes.bottom};
    const all = (pick) => d3.merge(series.map((each) => each.points.map(pick)));
    const sums = () => spec.stacked ? x.categories.map((name) => d3.sum(series, (each) => valueAt(each, name))) : [];
    const whole = {x: extent(x, x.categories ? [] : all((p) => p[0]), false),
                   y: extent(y, all((p) => p[1]).concat(sums()).concat(d3.merge(bands.map((band) => band.y)))
                     .concat(lines.filter((line) => line.y !== undefined).map((line) => line.y)), true)};
    let domain = {x: whole.x, y: whole.y};
    let scales = null;

    drawLegend();
    const svg = root.append("svg").attr({viewBox: "0 0 " + sizes.width + " " + sizes.height, width: sizes.width,
                                         height: sizes.height, role: "img", "aria-label": spec.label || y.title});
    const clip = "clip" + d3.selectAll("clipPath").size();
    svg.append("defs").append("clipPath").attr("id", clip).append("rect")
      .attr({x: -5, y: -5, width: inner.width + 10, height: inner.height + 10});
    const frame = svg.append("g").attr("transform", "translate(" + sizes.left + "," + sizes.top + ")");
    const back = frame.append("g");
    const marks = frame.append("g").attr("clip-path", "url(#" + clip + ")");
    const front = frame.append("g");
    const plane = frame.append("rect").attr({class: "plane", width: inner.width, height: inner.height});
    const reset = root.append("button").attr({type: "button", class: "reset"}).style("display", "none").text("All of it")
      .on("click", showAll);
    draw();
    addTable();
    plane.on("mousemove", follow).on("mouseleave", leave).on("mousedown", startZoom).on("dblclick", showAll);

    function drawLegend() {
      const legend = root.append("div").attr("class", "legend");
      const entries = legend.selectAll("button").data(series).enter().append("button")
        .attr({type: "button", title: "shows or hides it"});
      entries.each(function (each) {
        const sample = d3.select(this).append("svg").attr({width: 24, height: 12});
        if (each.kind === "bars") {
          sample.append("rect").attr({x: 6, width: 12, height: 12, fill: each.colour});
        } else {
          if (each.kind === "line")
            sample.append("line").attr({x2: 24, y1: 6, y2: 6, "stroke-width": 2, stroke: each.colour, "stroke-dasharray": each.dash});
          symbol(sample.append("path").attr("transform", "translate(12,6)"), each);
        }
      });
      entries.append("span").text((each) => each.name);
      entries.on("click", function (each) {
        each.hidden = !each.hidden;
        d3.select(this).classed("off", each.hidden);
        draw();
      });
      bands.forEach(function (band) {
        const entry = legend.append("span");
        entry.append("span").attr("class", "swatch").style("background", "#ffd166");
        entry.append("span").text(band.name);
      });
    }

    // A curve's points are dots; points alone, which are published ones, are empty diamonds.
    function symbol(path, each) {
      const alone = each.kind === "points";
      path.attr("d", d3.svg.symbol().type(alone ? "diamond" : "circle").size(alone ? 70 : 28)())
        .attr({fill: alone ? "#fff" : each.colour, stroke: each.colour, "stroke-width": alone ? 2 : 0});
    }

    function visible(each) {
      return each.points.filter((p) => (!isLog(y) || p[1] > 0) && (!isLog(x) || p[0] > 0));
    }
    function valueAt(each, place) {
      return d3.sum(each.points, (p) => p[0] === place ? p[1] : 0);
    }
    function middle(value) { return x.categories ? scales.x(value) + scales.x.rangeBand() / 2 : scales.x(value); }

    function draw() {
      scales = {x: makeScale(x, domain.x, [0, inner.width]), y: makeScale(y, domain.y, [inner.height, 0])};
      drawAxes();
      marks.selectAll("*").remove();
      front.selectAll("*").remove();
      bands.forEach(function (band) {
        const top = scales.y(band.y[1]), bottom = scales.y(band.y[0]);
        marks.append("rect").attr({class: "band", width: inner.width, y: top, height: Math.max(2, bottom - top)});
      });
      lines.forEach(drawLine);
      const bars = series.filter((each) => each.kind === "bars" && !each.hidden);
      bars.forEach((each, i) => spec.stacked ? drawBars(each, 0, 1, bars.slice(0, i)) : drawBars(each, i, bars.length, []));
      series.filter((each) => each.kind !== "bars" && !each.hidden).forEach(drawCurve);
    }

    function drawAxes() {
      back.selectAll("*").remove();
      const down = ticks(y, scales.y, 6);
      back.append("g").attr("class", "grid").selectAll("line").data(down).enter().append("line")
        .attr({x2: inner.width, y1: scales.y, y2: scales.y});
      const bottom = d3.svg.axis().scale(scales.x).orient("bottom").tickSize(4).tickValues(ticks(x, scales.x, 11));
      if (!x.categories) bottom.tickFormat(tickText(x, scales.x));
      back.append("g").attr({class: "axis", transform: "translate(0," + inner.height + ")"}).call(bottom);
      back.append("g").attr("class", "axis")
        .call(d3.svg.axis().scale(scales.y).orient("left").tickSize(4).tickValues(down)
              .tickFormat(y.short ? (value) => short(value) : tickText(y, scales.y)));
      back.append("text").attr({x: inner.width / 2, y: inner.height + 38, "text-anchor": "middle"})
        .text(x.title + (x.unit ? " (" + x.unit + ")" : ""));
      back.append("text").attr({transform: "translate(-52," + inner.height / 2 + ") rotate(-90)", "text-anchor": "middle"})
        .text(y.title + (y.unit ? " (" + y.unit + ")" : ""));
    }

    function drawLine(line) {
      const upright = line.x !== undefined;
      const at = upright ? middle(line.x) : scales.y(line.y);
      marks.append("line").attr("class", "reference")
        .attr(upright ? {x1: at, x2: at, y2: inner.height} : {x2: inner.width, y1: at, y2: at});
      if (at < 0 || at > (upright ? inner.width : inner.height)) return;
      front.append("text").attr(upright ? {x: at + 3, y: -4} : {x: 6, y: at - 5})
        .text(line.name);
    }

    // `below`: the series on which these bars stand.
    function drawBars(each, place, count, below) {
      const base = (p) => d3.sum(below, (other) => valueAt(other, p[0]));
      const wide = scales.x.rangeBand() / count, zero = Math.min(inner.height, scales.y(isLog(y) ? domain.y[0] : 0));
      marks.append("g").selectAll("rect").data(visible(each)).enter().append("rect")
        .attr({class: "bar mark", width: Math.max(1, wide - 2), fill: each.colour})
        .attr("x", (p) => scales.x(p[0]) + place * wide + 1)
        .attr("y", (p) => below.length > 0 ? scales.y(base(p) + p[1]) : Math.min(zero, scales.y(p[1])))
        .attr("height", (p) => below.length > 0 ? scales.y(base(p)) - scales.y(base(p) + p[1])
                                                : Math.max(1, Math.abs(scales.y(p[1]) - zero)));
    }

    function drawCurve(each) {
      const points = visible(each);
      const group = marks.append("g");
      if (each.kind === "line") {
        group.append("path").attr({class: "curve", stroke: each.colour, "stroke-dasharray": each.dash})
          .attr("d", d3.svg.line().x((p) => middle(p[0])).y((p) => scales.y(p[1]))(points));
      }
      group.selectAll("path.mark").data(points).enter().append("path").attr("class", "mark")
        .attr("transform", (p) => "translate(" + middle(p[0]) + "," + scales.y(p[1]) + ")")
        .each(function () { symbol(d3.select(this), each); });
    }

    // ---- the mouse ------------------------------------------------------------------------------

    function shown() { return series.filter((each) => !each.hidden); }

    // Where x is nearest to the mouse: the values of every series there.
    function follow() {
      const at = d3.mouse(plane.node())[0];
      const places = d3.merge(shown().map((each) => visible(each).map((p) => p[0])));
      if (places.length === 0) return;
      const near = places.reduce((a, b) => Math.abs(middle(b) - at) < Math.abs(middle(a) - at) ? b : a);
      front.selectAll(".cursor").remove();
      front.append("line").attr({class: "cursor", x1: middle(near), x2: middle(near), y2: inner.height});
      const rows = [];
      shown().forEach(function (each) {
        each.points.filter((p) => p[0] === near)
          .forEach((p) => rows.push([each.name, withUnit(y, p[1]), each.colour]));
      });
      tip.show(x.categories ? near : withUnit(x, near), rows);
    }

    function leave() {
      front.selectAll(".cursor").remove();
      tip.hide();
    }

    function startZoom() {
      const from = d3.mouse(plane.node());
      const box = front.append("rect").attr("class", "selection");
      const corner = (at) => [Math.max(0, Math.min(inner.width, at[0])), Math.max(0, Math.min(inner.height, at[1]))];
      let to = from;
      d3.event.preventDefault();
      d3.select(window).on("mousemove.zoom", function () {
        to = corner(d3.mouse(plane.node()));
        box.attr({x: Math.min(from[0], to[0]), y: Math.min(from[1], to[1]),
                  width: Math.abs(to[0] - from[0]), height: Math.abs(to[1] - from[1])});
      }).on("mouseup.zoom", function () {
        d3.select(window).on("mousemove.zoom", null).on("mouseup.zoom", null);
        box.remove();
        zoom(from, to);
      });
    }

    // Between two corners; a flat or a narrow box zooms one way only.
    function zoom(from, to) {
      const wide = Math.abs(to[0] - from[0]), high = Math.abs(to[1] - from[1]);
      if (Math.max(wide, high) < 8) return;
      if (wide >= 8 && !x.categories)
        domain.x = [Math.min(from[0], to[0]), Math.max(from[0], to[0])].map(scales.x.invert);
      if (high >= 8) domain.y = [Math.max(from[1], to[1]), Math.min(from[1], to[1])].map(scales.y.invert);
      reset.style("display", null);
      draw();
    }

    function showAll() {
      domain = {x: whole.x, y: whole.y};
      reset.style("display", "none");
      draw();
    }

    // ---- the values -----------------------------------------------------------------------------

    function addTable() {
      const places = x.categories || d3.set(all((p) => p[0])).values().map(Number).sort(d3.ascending);
      const details = root.append("details");
      details.append("summary").text("Values");
      const columns = [{name: x.title, left: true, text: (place) => x.categories ? place : withUnit(x, place)}];
      series.forEach((each) => columns.push({name: each.name, text: function (place) {
        const found = each.points.filter((p) => p[0] === place);
        return found.length > 0 ? number(found[0][1]) : "";
      }}));
      fillTable(details.append("div").attr("class", "wide").append("table").attr("class", "list").node(), columns, places,
                y.title + (y.unit ? " (" + y.unit + ")" : "") +
                bands.map((band) => "; " + band.name + ": " + band.y.map(show(y)).join(" to ")).join(""));
    }
  }

  return {data: data, short: short, number: number, bytes: bytes, tip: tip, fillTable: fillTable, chart: chart};
})();
