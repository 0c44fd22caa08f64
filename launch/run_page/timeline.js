// The timeline of a run: rows of spans on a canvas, arrows for messages, zoom, a hint, tables.
castor.run.section({
  id: "timeline", title: "Timeline",
  part: (data) => data.timeline,
  draw: function (parent, data, all) {
    "use strict";
    const run = castor.run, tracks = run.tracks, labels = 190, tall = 620, mostArrows = 4000, tableRows = 200, noName = "(a call without a name)";
    const window = data.window || {}, ranks = all.profile.run.ranks;
    const rows = tracks.load(data), names = tracks.palette(data, all.profile);
    const arrows = data.arrows;
    // Times are in microseconds.
    const first = window.from_us || 0;
    const last = Math.max(first + 1e-3, Math.min(window.to_us || Infinity, d3.max(rows, (row) => row.count > 0 ? row.reach[row.count - 1] : 0) || 1));
    const state = {from: first, to: last, shown: [], height: 18, arrows: true, kinds: {}, ranks: () => true, nodes: () => true};
    const few = rows.length <= 80;
    tracks.kinds.forEach((kind) => { state.kinds[kind[0]] = few || (kind[0] !== "cpu" && kind[0] !== "thread"); });

    explain();
    const root = parent.append("div").attr("class", "chart timeline");
    const controls = root.append("div").attr("class", "controls");
    const legend = root.append("div").attr("class", "legend");
    const axis = root.append("svg").attr({height: 24, class: "scale"}).append("g").attr("class", "axis");
    const box = root.append("div").attr("class", "rows");
    const spacer = box.append("div"), canvas = spacer.append("canvas").attr("tabindex", 0);
    const pen = canvas.node().getContext("2d");
    const status = run.note(root, "");
    let width = 0, view = 0, ratio = 1, place = null;
    const onRow = new Int32Array(rows.length);
    addControls();
    addLegend();
    const spanTable = addTable("Spans of this window", "spans", [
      {name: "Row", left: true, value: (each) => each.row.title},
      {name: "Name", left: true, value: nameOf},
      {name: "Begin (\u00b5s)", value: (each) => each.row.begin[each.i], text: (each) => micro(each.row.begin[each.i])},
      {name: "Duration (\u00b5s)", value: length, text: (each) => micro(length(each))},
      {name: "Bytes", value: (each) => each.row.bytes[each.i], text: (each) => each.row.bytes[each.i] > 0 ? run.whole(each.row.bytes[each.i]) : ""},
      {name: "", left: true, value: whose}
    ], visibleSpans);
    const arrowTable = addTable("Messages of this window", "messages", [
      {name: "From", left: true, value: (arrow) => rows[arrow[0]].title},
      {name: "To", left: true, value: (arrow) => rows[arrow[1]].title},
      {name: "Sent (\u00b5s)", value: (arrow) => arrow[2], text: (arrow) => micro(arrow[2])},
      {name: "Complete (\u00b5s)", value: (arrow) => arrow[3], text: (arrow) => micro(arrow[3])},
      {name: "Bytes", value: (arrow) => arrow[5], text: (arrow) => run.whole(arrow[5])},
      {name: "Protocol", left: true, value: (arrow) => data.names[arrow[4]]}
    ], visibleArrows);
    chooseRows();
    box.on("scroll", draw);
    d3.select(globalThis).on("resize.timeline", draw);
    canvas.on("mousemove", follow).on("mouseleave", castor.tip.hide).on("mousedown", startDrag).on("dblclick", showAll)
      .on("wheel", turn).on("keydown", press);

    // ---- what it says beside it -----------------------------------------------------------------

    function explain() {
      const choice = "Choose with aprun --timeline-from, --timeline-to and --timeline-ranks.";
      const part = window.to_us || window.from_us || (window.ranks || []).length > 0;
      run.note(parent, "From " + time(first) + " to " + time(last) + (all.profile.run.clock === "live" ? "" : " of virtual time") +
        ", " + run.whole(data.spans.length) + " spans, " + run.whole(arrows.length) + " messages" +
        ((window.ranks || []).length > 0 ? ", ranks " + run.ranges(window.ranks) : "") + (part || window.left_out > 0 ? ". " : ": the whole run. ") + choice);
      if (window.left_out > 0) {
        parent.append("p").attr("class", "note left_out").append("b").text(run.whole(window.left_out) + " spans and messages from " +
          time(window.left_out_from_us) + " on are left out: a page has room for " + run.whole(data.spans.length + arrows.length) + ".");
      }
      run.note(parent, "The wheel zooms, so does dragging; a double click shows all; Shift and dragging, a wheel to the side, or the arrow keys move. " +
        "In a rank's row a gap is the program's own computing. A dark upper edge: several spans share a pixel.");
    }

    function time(us) { return castor.short(us / 1e6, "s"); }
    function micro(us) { return d3.format(",.3f")(us); }
    function length(each) { return each.row.end[each.i] - each.row.begin[each.i]; }

    function whose(each) {
      const peer = each.row.peer[each.i];
      if (peer < 0) return "";
      return each.row.kind === "nic" ? "to node " + peer : "";
    }

    // On a CPU: rank 3, progress thread of rank 3.
    function nameOf(each) {
      const name = names[each.row.name[each.i]].name || noName, peer = each.row.peer[each.i];
      if (each.row.kind !== "cpu" || peer < 0) return name;
      return name === "rank" ? "rank " + peer : name + " of rank " + peer;
    }

    // ---- controls -------------------------------------------------------------------------------

    function addControls() {
      const button = (text, title, act) => controls.append("button").attr({type: "button", title: title}).text(text).on("click", act);
      button("\u2212", "zoom out", () => zoom((state.from + state.to) / 2, 2));
      button("+", "zoom in", () => zoom((state.from + state.to) / 2, 0.5));
      button("\u2190", "earlier", () => move(-0.25));
      button("\u2192", "later", () => move(0.25));
      button("All of it", "the whole window", showAll);
      tracks.kinds.filter((kind) => rows.some((row) => row.kind === kind[0])).forEach(function (kind) {
        tick(kind[1], "rows_" + kind[0], state.kinds[kind[0]], function (on) { state.kinds[kind[0]] = on; chooseRows(); });
      });
      if (arrows.length > 0) tick("messages", "arrows", true, function (on) { state.arrows = on; draw(); });
      [["ranks", 0, ranks - 1], ["nodes", 0, null]].forEach(function (each) {
        const label = controls.append("label").text(each[0] + " ");
        label.append("input").attr({type: "text", placeholder: "all, or 0-3, 8", id: "only_" + each[0]}).on("input", function () {
          const test = tracks.numbers(this.value);
          this.setCustomValidity(test === null ? "numbers and ranges, like 0-3, 8" : "");
          if (test === null) return;
          state[each[0]] = test;
          chooseRows();
        });
      });
      const heights = controls.append("label").text("row height ").append("select").attr("id", "row_height");
      heights.selectAll("option").data([18, 12, 6, 3]).enter().append("option").attr("value", String).text(String);
      heights.on("change", function () { state.chosenHeight = +this.value; chooseRows(); });
    }

    function tick(text, id, on, act) {
      const label = controls.append("label");
      label.append("input").attr({type: "checkbox", id: id}).property("checked", on).on("change", function () { act(this.checked); });
      label.append("span").text(" " + text);
    }

    function addLegend() {
      const used = names.filter((name) => name.count > 0).sort((a, b) => b.time - a.time || a.number - b.number);
      const entries = legend.selectAll("button").data(used).enter().append("button")
        .attr({type: "button", title: (name) => run.whole(name.count) + " spans; shows or hides them"});
      entries.append("span").attr("class", "swatch").style("background", (name) => name.colour);
      entries.append("span").text((name) => name.name || noName);
      entries.on("click", function (name) {
        name.hidden = !name.hidden;
        d3.select(this).classed("off", name.hidden);
        draw();
      });
    }

    function addTable(title, id, columns, gather) {
      const details = root.append("details").attr("id", "timeline_" + id);
      details.append("summary").text(title);
      let fill = null;
      const refresh = function () {
        if (!details.property("open")) return;
        const found = gather();
        if (fill === null) fill = run.table(details, {caption: "The first " + tableRows + " at most", rows: [], columns: columns, most: tableRows});
        fill(found);
      };
      details.on("toggle", refresh);
      return refresh;
    }

    // ---- what is shown --------------------------------------------------------------------------

    function chooseRows() {
      state.shown = rows.filter(function (row) {
        if (!state.kinds[row.kind]) return false;
        const owned = row.track.kind === "thread" && row.track.rank >= 0;
        return owned ? state.ranks(row.track.rank) && state.nodes(row.track.nid) : state.nodes(row.track.nid);
      });
      const count = state.shown.length;
      state.height = state.chosenHeight || (count <= 60 ? 18 : count <= 300 ? 12 : 6);
      d3.select("#row_height").property("value", String(state.height));
      onRow.fill(-1);
      state.shown.forEach((row, i) => { onRow[row.number] = i; });
      draw();
    }

    function visibleSpans() {
      const found = [];
      for (const row of state.shown) {
        tracks.within(row, state.from, state.to, (i) => { if (found.length < tableRows && !names[row.name[i]].hidden) found.push({row: row, i: i}); });
        if (found.length >= tableRows) break;
      }
      return found;
    }

    function isVisible(arrow) {
      return arrow[2] <= state.to && arrow[3] >= state.from && onRow[arrow[0]] >= 0 && onRow[arrow[1]] >= 0;
    }
    function visibleArrows() {
      const found = [];
      for (let i = 0; i < arrows.length && found.length < tableRows; ++i) if (isVisible(arrows[i])) found.push(arrows[i]);
      return found;
    }

    // ---- the picture ----------------------------------------------------------------------------

    function fit() {
      width = Math.max(400, root.node().clientWidth - 18);
      view = Math.min(tall, Math.max(state.height, state.shown.length * state.height));
      ratio = globalThis.devicePixelRatio || 1;
      spacer.style("height", Math.max(view, state.shown.length * state.height) + "px");
      canvas.style({width: width + "px", height: view + "px"});
      canvas.attr({width: Math.round(width * ratio), height: Math.round(view * ratio)});
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      place = d3.scale.linear().domain([state.from, state.to]).range([labels, width - 4]);
    }

    function draw() {
      fit();
      drawAxis();
      const counts = {spans: 0, drawn: 0, merged: 0, arrows: 0};
      const scroll = box.node().scrollTop;
      pen.clearRect(0, 0, width, view);
      pen.font = Math.min(12, state.height) + "px sans-serif";
      pen.textBaseline = "middle";
      const top = Math.max(0, Math.floor(scroll / state.height));
      const bottom = Math.min(state.shown.length, Math.ceil((scroll + view) / state.height));
      for (let i = top; i < bottom; ++i) drawRow(state.shown[i], i, i * state.height - scroll, counts);
      for (let i = top; i < bottom; ++i) drawTitle(state.shown[i], i, i * state.height - scroll);
      if (state.arrows) drawArrows(scroll, counts);
      root.attr({"data-rows": state.shown.length, "data-spans": counts.spans, "data-drawn": counts.drawn, "data-merged": counts.merged,
                 "data-arrows": counts.arrows, "data-from": state.from, "data-to": state.to});
      status.text(time(state.from) + " to " + time(state.to) + ": " + run.whole(counts.spans) + " spans in " + run.whole(bottom - top) + " of " +
        run.whole(state.shown.length) + " rows" + (counts.merged > 0 ? "; " + run.whole(counts.merged) + " of them share pixels" : "") +
        (counts.arrows > mostArrows ? "; " + run.whole(counts.arrows) + " messages: too many to draw, zoom in or choose ranks" : ""));
      spanTable();
      arrowTable();
    }

    function drawAxis() {
      d3.select(axis.node().parentNode).attr("width", width);
      const unit = state.to >= 1e6 ? [1e6, "s"] : state.to >= 1e3 ? [1e3, "ms"] : [1, "\u00b5s"];
      const scale = place.copy().domain(place.domain().map((value) => value / unit[0]));
      axis.attr("transform", "translate(0,20)")
        .call(d3.svg.axis().scale(scale).orient("top").tickSize(4).ticks(8).tickFormat((value) => +value.toPrecision(10) + " " + unit[1]));
    }

    // Spans narrower than a pixel are gathered by pixel: the longest gives the colour, a dark edge says that they
    // are several. Waiting for a lock stands in the lower half, over the call that it is a part of.
    function drawRow(row, number, y, counts) {
      const high = state.height > 6 ? state.height - 2 : state.height;
      pen.fillStyle = number % 2 === 0 ? "#f7f9fb" : "#ffffff";
      pen.fillRect(0, y, width, state.height);
      const lanes = [{y: y, high: high, pixel: -1}, {y: y + high / 2, high: high / 2, pixel: -1}];
      tracks.within(row, state.from, state.to, function (i) {
        const name = names[row.name[i]];
        if (name.hidden) return;
        ++counts.spans;
        const lane = lanes[data.names[row.category[i]] === "lock" ? 1 : 0];
        const x = Math.max(labels, place(row.begin[i])), end = Math.min(width - 4, place(row.end[i]));
        if (end - x < 1) {
          const pixel = Math.floor(x), long = row.end[i] - row.begin[i];
          if (lane.pixel !== pixel) {
            flush(lane, counts);
            Object.assign(lane, {pixel: pixel, count: 0, longest: -1});
          }
          ++lane.count;
          if (long > lane.longest) Object.assign(lane, {longest: long, colour: name.colour});
        } else {
          flush(lane, counts);
          pen.fillStyle = name.colour;
          pen.fillRect(x, lane.y, end - x > 3 ? end - x - 0.5 : end - x, lane.high);
          ++counts.drawn;
          if (state.height >= 12 && lane.high === high) writeName(name, nameOf({row: row, i: i}), x, end, y + high / 2);
        }
      });
      lanes.forEach((lane) => flush(lane, counts));
    }

    // Of low rows not each one has room for it.
    function drawTitle(row, number, y) {
      if (state.height < 12 && number % Math.ceil(12 / state.height) !== 0) return;
      pen.font = "11px sans-serif";
      pen.fillStyle = "#3b4552";
      pen.fillText(row.title, 4, y + Math.max(state.height, 11) / 2, labels - 8);
    }

    function flush(lane, counts) {
      if (lane.pixel < 0) return;
      pen.fillStyle = lane.colour;
      pen.fillRect(lane.pixel, lane.y, 1, lane.high);
      if (lane.count > 1) {
        pen.fillStyle = "#1c2430";
        pen.fillRect(lane.pixel, lane.y, 1, Math.min(2, lane.high / 3));
        counts.merged += lane.count;
      }
      ++counts.drawn;
      lane.pixel = -1;
    }

    function writeName(name, text, x, end, y) {
      if (end - x < 40) return;
      pen.font = "10.5px sans-serif";
      if (pen.measureText(text).width > end - x - 6) return;
      pen.fillStyle = d3.lab(name.colour).l < 62 ? "#ffffff" : "#1c2430";
      pen.fillText(text, x + 3, y + 0.5);
    }

    function drawArrows(scroll, counts) {
      const visible = [];
      for (const arrow of arrows) {
        if (!isVisible(arrow)) continue;
        ++counts.arrows;
        if (visible.length <= mostArrows) visible.push(arrow);
      }
      if (counts.arrows > mostArrows) return;
      const middle = (track) => (onRow[track] + 0.5) * state.height - scroll;
      pen.save();
      pen.beginPath();
      pen.rect(labels, 0, width - labels, view);
      pen.clip();
      pen.strokeStyle = visible.length > 500 ? "rgba(28,36,48,0.3)" : "rgba(28,36,48,0.75)";
      pen.fillStyle = pen.strokeStyle;
      pen.lineWidth = 1;
      visible.forEach(function (arrow) {
        const from = [place(arrow[2]), middle(arrow[0])], to = [place(arrow[3]), middle(arrow[1])];
        pen.beginPath();
        pen.moveTo(from[0], from[1]);
        pen.lineTo(to[0], to[1]);
        pen.stroke();
        const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
        pen.beginPath();
        pen.moveTo(to[0], to[1]);
        [-0.4, 0.4].forEach((turn) => pen.lineTo(to[0] - 6 * Math.cos(angle + turn), to[1] - 6 * Math.sin(angle + turn)));
        pen.fill();
      });
      pen.restore();
    }

    // ---- the mouse and the keys -----------------------------------------------------------------

    function follow() {
      const at = d3.mouse(canvas.node()), row = state.shown[Math.floor((at[1] + box.node().scrollTop) / state.height)];
      if (at[0] < labels || !row) return castor.tip.hide();
      const found = [], pixel = (state.to - state.from) / (width - labels - 4), now = place.invert(at[0]);
      tracks.within(row, now - pixel / 2, now + pixel / 2, (i) => { if (!names[row.name[i]].hidden) found.push({row: row, i: i}); });
      const hit = found.filter((each) => each.row.begin[each.i] <= now && each.row.end[each.i] >= now && length(each) >= pixel);
      if (hit.length > 0) {
        showSpans(row, hit);
      } else if (found.length === 1) {
        showSpans(row, found);
      } else if (found.length > 1) {
        showMerged(row, found);
      } else {
        castor.tip.show(row.title, [["at", micro(now) + " \u00b5s"], [row.kind === "rank" || row.kind === "thread" ? "computing" : "nothing", ""]]);
      }
    }

    function showSpans(row, found) {
      const lines = [["row", row.title]];
      found.forEach(function (each, i) {
        const name = names[row.name[each.i]];
        if (i > 0) lines.push([nameOf(each), "", name.colour]);
        lines.push(["begin", micro(row.begin[each.i]) + " \u00b5s"], ["duration", micro(length(each)) + " \u00b5s"]);
        if (row.bytes[each.i] > 0) lines.push(["bytes", run.whole(row.bytes[each.i])]);
        if (whose(each) !== "") lines.push(["", whose(each)]);
      });
      castor.tip.show(nameOf(found[0]), lines);
    }

    function showMerged(row, found) {
      const sums = new Map();
      found.forEach(function (each) {
        const sum = sums.get(row.name[each.i]) || {count: 0, time: 0};
        ++sum.count;
        sum.time += length(each);
        sums.set(row.name[each.i], sum);
      });
      const lines = Array.from(sums).sort((a, b) => b[1].time - a[1].time).slice(0, 8)
        .map((each) => [names[each[0]].name || noName, run.whole(each[1].count) + ", " + micro(each[1].time) + " \u00b5s", names[each[0]].colour]);
      castor.tip.show(row.title + ": " + run.whole(found.length) + " spans in this pixel", lines);
    }

    function show(from, to) {
      const span = Math.max(1e-3, Math.min(to - from, last - first));
      state.from = Math.max(first, Math.min(from, last - span));
      state.to = state.from + span;
      draw();
    }
    function showAll() { show(first, last); }
    function zoom(about, factor) { show(about - (about - state.from) * factor, about + (state.to - about) * factor); }
    function move(share) { show(state.from + share * (state.to - state.from), state.to + share * (state.to - state.from)); }

    function turn() {
      const event = d3.event;
      if (event.shiftKey) return;
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return move(event.deltaX / 1000);
      zoom(place.invert(Math.max(labels, d3.mouse(canvas.node())[0])), Math.pow(1.0025, Math.max(-300, Math.min(300, event.deltaY))));
    }

    function press() {
      const acts = {ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25), "+": () => zoom((state.from + state.to) / 2, 0.5),
                    "-": () => zoom((state.from + state.to) / 2, 2), Escape: showAll};
      if (!acts[d3.event.key]) return;
      d3.event.preventDefault();
      acts[d3.event.key]();
    }

    function startDrag() {
      const from = d3.mouse(canvas.node())[0], moves = d3.event.shiftKey, begin = state.from, span = state.to - state.from;
      if (from < labels) return;
      d3.event.preventDefault();
      canvas.node().focus({preventScroll: true});
      const chosen = moves ? null : spacer.append("div").attr("class", "box");
      let to = from;
      d3.select(globalThis).on("mousemove.timeline", function () {
        to = Math.max(labels, Math.min(width - 4, d3.mouse(canvas.node())[0]));
        if (moves) return show(begin - (to - from) / (width - labels - 4) * span, begin - (to - from) / (width - labels - 4) * span + span);
        chosen.style({left: Math.min(from, to) + "px", width: Math.abs(to - from) + "px"});
      }).on("mouseup.timeline", function () {
        d3.select(globalThis).on("mousemove.timeline", null).on("mouseup.timeline", null);
        if (moves) return;
        chosen.remove();
        if (Math.abs(to - from) >= 4) show(place.invert(Math.min(from, to)), place.invert(Math.max(from, to)));
      });
    }
  }
});
