// Pictures of pages about runs: stacked bars of many things, and bars beside names.
(function () {
  "use strict";
  const run = castor.run;

  // ---- a stacked bar to each of many things -----------------------------------------------------

  const sizes = {width: 1100, height: 300, left: 66, right: 10, top: 8, bottom: 40};
  const most = 256;  // bars; with more things, neighbours share one

  // stacks(PARENT, SPEC): SPEC has label, thing: what a bar is ("rank"), items: [{name, ...}], unit: a title
  // for the axis, text: (value) => text, and layers: [{name, colour, value: (item) => number, beside: whether it is a
  // part of layers below it, and stands in the right half of the bar}].
  // Order is by the items' own or by a layer; dragging zooms.
  run.stacks = function (parent, spec) {
    const root = parent.append("div").attr("class", "chart stacks");
    const inner = {width: sizes.width - sizes.left - sizes.right, height: sizes.height - sizes.top - sizes.bottom};
    const layers = spec.layers.filter((layer) => spec.items.some((item) => layer.value(item) > 0));
    layers.forEach((layer) => { layer.hidden = false; });
    let items = spec.items, window = [0, items.length], bars = [];

    const controls = root.append("div").attr("class", "controls");
    if (items.length > 1) addOrder();
    const legend = root.append("div").attr("class", "legend");
    const svg = root.append("svg").attr({viewBox: "0 0 " + sizes.width + " " + sizes.height, width: sizes.width,
                                         height: sizes.height, role: "img", "aria-label": spec.label});
    const frame = svg.append("g").attr("transform", "translate(" + sizes.left + "," + sizes.top + ")");
    const back = frame.append("g"), marks = frame.append("g"), front = frame.append("g");
    const plane = frame.append("rect").attr({class: "plane", width: inner.width, height: inner.height});
    const reset = controls.append("button").attr({type: "button", class: "reset"}).style("display", "none")
      .text("All of them").on("click", showAll);
    const about = root.append("p").attr("class", "note");
    let place = null, tall = null;
    addLegend();
    draw();
    plane.on("mousemove", follow).on("mouseleave", leave).on("mousedown", startZoom).on("dblclick", showAll);

    function addOrder() {
      const select = controls.append("label").text("Order ").append("select").attr("class", "order");
      const orders = [{name: "by " + spec.thing, value: null}]
        .concat(layers.map((layer) => ({name: "by " + layer.name, value: layer})));
      select.selectAll("option").data(orders).enter().append("option").text((order) => order.name);
      select.on("change", function () {
        const layer = orders[this.selectedIndex].value;
        items = layer === null ? spec.items : spec.items.slice().sort((a, b) => layer.value(b) - layer.value(a));
        draw();
      });
    }

    function addLegend() {
      const entries = legend.selectAll("button").data(layers).enter().append("button")
        .attr({type: "button", title: "shows or hides it"});
      entries.append("span").attr("class", (layer) => layer.beside ? "swatch half" : "swatch").style("background", (layer) => layer.colour);
      entries.append("span").text((layer) => layer.name);
      entries.on("click", function (layer) {
        layer.hidden = !layer.hidden;
        d3.select(this).classed("off", layer.hidden);
        draw();
      });
    }

    // Neighbours share a bar: their mean.
    function gather() {
      const count = window[1] - window[0], each = Math.ceil(count / most);
      bars = [];
      for (let at = window[0]; at < window[1]; at += each) {
        const own = items.slice(at, Math.min(at + each, window[1]));
        bars.push({at: at, items: own, values: layers.map((layer) => d3.mean(own, layer.value))});
      }
      about.text(each > 1 ? "Each bar is the mean of " + each + " " + spec.thing + "s. Drag over some to see them singly." : "");
      return each;
    }

    function draw() {
      const each = gather();
      const height = (bar) => d3.sum(layers, (layer, i) => layer.hidden || layer.beside ? 0 : bar.values[i]);
      const beside = (bar) => d3.sum(layers, (layer, i) => layer.hidden || !layer.beside ? 0 : bar.values[i]);
      const top = d3.max(bars, (bar) => Math.max(height(bar), beside(bar))) || 1;
      place = d3.scale.linear().domain([window[0], window[0] + bars.length * each]).range([0, inner.width]);
      tall = d3.scale.linear().domain([0, top * 1.03]).range([inner.height, 0]);
      drawAxes();
      marks.selectAll("*").remove();
      const wide = inner.width / bars.length, gap = wide > 6 ? Math.min(wide * 0.2, 12) : wide > 3 ? 0.6 : 0;
      const drawn = [];
      bars.forEach(function (bar, number) {
        const levels = [0, 0];
        layers.forEach(function (layer, i) {
          if (layer.hidden || !(bar.values[i] > 0)) return;
          const side = layer.beside ? 1 : 0, from = levels[side];
          levels[side] += bar.values[i];
          const full = wide - gap;
          drawn.push({colour: layer.colour, from: from, to: levels[side], beside: layer.beside,
                      x: number * wide + gap / 2 + (side ? full / 2 : 0), width: side ? full / 2 : full});
        });
      });
      marks.selectAll("rect").data(drawn).enter().append("rect")
        .attr({class: (piece) => piece.beside ? "piece beside mark" : "piece mark", fill: (piece) => piece.colour, x: (piece) => piece.x,
               width: (piece) => piece.width, y: (piece) => tall(piece.to), height: (piece) => tall(piece.from) - tall(piece.to)});
      root.attr("data-bars", bars.length);
    }

    function drawAxes() {
      back.selectAll("*").remove();
      back.append("g").attr("class", "grid").selectAll("line").data(tall.ticks(5)).enter().append("line")
        .attr({x2: inner.width, y1: tall, y2: tall});
      back.append("g").attr("class", "axis").call(d3.svg.axis().scale(tall).orient("left").tickSize(4).ticks(5).tickFormat(spec.tick));
      const wide = inner.width / bars.length, step = Math.max(1, Math.ceil(bars.length / 16));
      const names = back.append("g").attr("class", "names").attr("transform", "translate(0," + (inner.height + 15) + ")");
      names.selectAll("text").data(bars.filter((bar, i) => i % step === 0)).enter().append("text")
        .attr({"text-anchor": "middle", x: (bar, i) => (i * step + 0.5) * wide}).text((bar) => bar.items[0].name);
      back.append("text").attr({x: inner.width / 2, y: inner.height + 34, "text-anchor": "middle"}).text(spec.thing);
      back.append("text").attr({transform: "translate(-54," + inner.height / 2 + ") rotate(-90)", "text-anchor": "middle"}).text(spec.unit);
    }

    function barAt(x) {
      return bars[Math.max(0, Math.min(bars.length - 1, Math.floor(x / inner.width * bars.length)))];
    }

    function follow() {
      const bar = barAt(d3.mouse(plane.node())[0]), wide = inner.width / bars.length;
      if (!bar) return;
      front.selectAll(".cursor").remove();
      front.append("rect").attr({class: "cursor", x: bars.indexOf(bar) * wide, width: wide, height: inner.height, fill: "none"});
      const rows = [];
      layers.forEach(function (layer, i) {
        if (layer.hidden || !(bar.values[i] > 0)) return;
        const range = bar.items.length < 2 ? "" : " (" + spec.text(d3.min(bar.items, layer.value)) + " to " + spec.text(d3.max(bar.items, layer.value)) + ")";
        rows.push([layer.name, spec.text(bar.values[i]) + range, layer.colour]);
      });
      const first = bar.items[0], last = bar.items[bar.items.length - 1];
      castor.tip.show(spec.thing + (bar.items.length > 1 ? "s " + first.name + " to " + last.name + ": mean (least to most)" : " " + first.name),
                      (first.hint && bar.items.length === 1 ? first.hint : []).concat(rows.reverse()));
    }

    function leave() {
      front.selectAll(".cursor").remove();
      castor.tip.hide();
    }

    function startZoom() {
      const from = d3.mouse(plane.node())[0], box = front.append("rect").attr({class: "selection", height: inner.height});
      let to = from;
      d3.event.preventDefault();
      d3.select(globalThis).on("mousemove.stacks", function () {
        to = Math.max(0, Math.min(inner.width, d3.mouse(plane.node())[0]));
        box.attr({x: Math.min(from, to), width: Math.abs(to - from)});
      }).on("mouseup.stacks", function () {
        d3.select(globalThis).on("mousemove.stacks", null).on("mouseup.stacks", null);
        box.remove();
        if (Math.abs(to - from) < 8) return;
        const ends = [barAt(Math.min(from, to)), barAt(Math.max(from, to))];
        window = [ends[0].at, ends[1].at + ends[1].items.length];
        reset.style("display", null);
        draw();
      });
    }

    function showAll() {
      window = [0, items.length];
      reset.style("display", "none");
      draw();
    }
  };

  // ---- bars beside names ------------------------------------------------------------------------

  // bars(PARENT, SPEC): SPEC has label, series: [{name, colour}], rows: [{name, values: one for each series, low,
  // high: a whisker, if any, hint: [[name, value], ...]}], text: (value) => text.
  run.bars = function (parent, spec) {
    const count = spec.series.length, high = count === 1 ? 15 : 11, step = count * high + 7;
    const left = 40 + 7 * d3.max(spec.rows, (row) => row.name.length), width = 1100, right = 110;
    const root = parent.append("div").attr("class", "chart bars");
    if (count > 1) {
      const entries = root.append("div").attr("class", "legend").selectAll("span").data(spec.series).enter().append("span");
      entries.append("span").attr("class", "swatch").style("background", (each) => each.colour);
      entries.append("span").text((each) => each.name);
    }
    const most = d3.max(spec.rows, (row) => Math.max(d3.max(row.values), row.high || 0)) || 1;
    const scale = d3.scale.linear().domain([0, most]).range([0, width - left - right]);
    const svg = root.append("svg").attr({viewBox: "0 0 " + width + " " + spec.rows.length * step, width: width,
                                         height: spec.rows.length * step, role: "img", "aria-label": spec.label});
    const lines = svg.selectAll("g").data(spec.rows).enter().append("g")
      .attr("transform", (row, i) => "translate(" + left + "," + i * step + ")");
    lines.append("text").attr({x: -8, y: count * high / 2 + 5, "text-anchor": "end"}).text((row) => row.name);
    spec.series.forEach(function (series, i) {
      lines.append("rect").attr({class: "bar mark", y: i * high, height: high - 1, fill: (row) => row.colour || series.colour})
        .attr("width", (row) => Math.max(row.values[i] > 0 ? 1 : 0, scale(row.values[i])));
      lines.append("text").attr({y: i * high + high / 2 + 4, class: "value"})
        .attr("x", (row) => scale(Math.max(row.values[i], count === 1 ? row.high || 0 : 0)) + 5).text((row) => spec.text(row.values[i]));
    });
    const ranged = lines.filter((row) => row.high > row.low);
    ranged.append("path").attr("class", "whisker").attr("d", function (row) {
      const from = scale(row.low), to = scale(row.high), middle = (high - 1) / 2;
      return "M" + from + "," + middle + "H" + to + "M" + from + ",3V" + (high - 4) + "M" + to + ",3V" + (high - 4);
    });
    lines.append("rect").attr({class: "plane", x: -left, width: width, height: step}).on("mousemove", function (row) {
      castor.tip.show(row.name, row.hint);
    }).on("mouseleave", castor.tip.hide);
  };
})();
