// Telemetry: which messages were late, where each of them waited, behind what, and which lines called for it.
castor.run.section({
  id: "telemetry", title: "Telemetry",
  part: (data) => data.telemetry || null,
  draw: function (parent, telemetry) {
    "use strict";
    const run = castor.run, us = (value) => d3.format(",.3f")(value);
    const site = (number) => telemetry.sites[number].length > 0 ? telemetry.sites[number][0] : "not known";
    const paths = telemetry.paths.map(function (path, number) {
      const own = Object.assign({number: number}, path);
      own.stays = path.stays.map((row) => ({where: row[0], component: row[1], response: row[2] === 1, begin: row[3], time: row[4],
                                            waited: row[5], link: row[6], behind: row[7], gap: row[8] === 1}));
      own.waited = d3.sum(own.stays, (stay) => stay.waited);
      own.who = path.rank >= 0 ? "rank " + path.rank : "nid " + path.source;
      return own;
    });
    const place = (path, stay) => stay.where === 1 ? telemetry.components[stay.component].name
      : "CPU of rank " + (stay.where === 0 || stay.response ? path.rank : path.peer);
    const kind = (path, stay) => stay.where === 0 ? "the issuing CPU" : stay.where === 2 ? "the taking CPU"
      : telemetry.components[stay.component].name;

    run.note(parent, "Of " + run.whole(telemetry.commands) + " commands " + run.whole(telemetry.marked) + " were marked (" + telemetry.choice + "). " +
      "The components that they passed have written " + run.whole(telemetry.records) + " records; " + run.whole(telemetry.lost) + " found no room.");
    if (paths.length === 0) return;
    const bars = heatMap();
    addSites();
    addComponents();
    addPaths();
    const longest = paths.reduce((a, b) => b.total_us > a.total_us ? b : a);
    choose(longest);

    // ---- the heat map: a point for each path, by when it began and what sent it -----------------

    function heatMap() {
      const most = 20000;
      const shown = paths.slice().sort((a, b) => b.total_us - a.total_us).slice(0, most);
      if (shown.length < paths.length) run.note(parent, "The picture has the " + run.whole(most) + " longest of " + run.whole(paths.length) + " paths.");
      const size = {width: 1100, height: 420, left: 66, right: 120, top: 10, bottom: 42};
      const inner = {width: size.width - size.left - size.right, height: size.height - size.top - size.bottom};
      const x = d3.scale.linear().domain(d3.extent(shown, (path) => path.issued_us)).nice().range([0, inner.width]);
      const y = d3.scale.linear().domain([0, Math.max(1, d3.max(shown, from))]).range([inner.height, 0]);
      const unit = run.timeUnit(x.domain()[1] * 1e-6);
      // Delays differ by orders of magnitude.
      const least = Math.max(1e-3, d3.min(shown, (path) => path.total_us)), top = Math.max(least * 1.001, d3.max(shown, (path) => path.total_us));
      const shade = d3.scale.log().domain([least, Math.sqrt(least * top), top]).range(["#cfe4f5", "#e07b39", "#4a0d2b"]).interpolate(d3.interpolateLab).clamp(true);
      const svg = parent.append("div").attr("class", "chart heat").append("svg")
        .attr({id: "heat_map", viewBox: "0 0 " + size.width + " " + size.height, width: size.width, height: size.height, role: "img",
               "aria-label": "Delay of each marked command by its start and its rank; the table of paths has the values"});
      const frame = svg.append("g").attr("transform", "translate(" + size.left + "," + size.top + ")");
      frame.append("g").attr({class: "axis", transform: "translate(0," + inner.height + ")"})
        .call(d3.svg.axis().scale(x).orient("bottom").ticks(8).tickFormat((value) => unit.tick(value * 1e-6)));
      frame.append("g").attr("class", "axis").call(d3.svg.axis().scale(y).orient("left").ticks(8).tickFormat(d3.format("d")));
      frame.append("text").attr({class: "title", x: inner.width / 2, y: inner.height + 36, "text-anchor": "middle"}).text("begun at (" + unit.name + ")");
      frame.append("text").attr({class: "title", transform: "rotate(-90)", x: -inner.height / 2, y: -50, "text-anchor": "middle"}).text("rank");
      // The longest on top.
      frame.append("g").selectAll("circle").data(shown.slice().reverse()).enter().append("circle")
        .attr({class: "path", r: shown.length > 3000 ? 2.2 : 3.5, cx: (path) => x(path.issued_us), cy: (path) => y(from(path))})
        .attr("id", (path) => "path_" + path.number).style("fill", (path) => shade(path.total_us))
        .on("mousemove", function (path) {
          castor.tip.show(path.who + (path.peer >= 0 ? " to rank " + path.peer : ""),
            [["delay", us(path.total_us) + " \u00b5s"], ["waiting", us(path.waited) + " \u00b5s"], [path.kind, castor.bytes(path.bytes)],
             ["called at", site(path.site)], ["other end", site(path.far_site)]]);
        })
        .on("mouseleave", castor.tip.hide).on("click", choose);
      const key = frame.append("g").attr("transform", "translate(" + (inner.width + 16) + ",10)");
      key.append("text").attr({class: "title", y: 0}).text("delay (\u00b5s)");
      d3.range(6).forEach(function (i) {
        const value = least * Math.pow(top / least, 1 - i / 5);
        key.append("rect").attr({y: 10 + 22 * i, width: 16, height: 16}).style("fill", shade(value));
        key.append("text").attr({class: "title", x: 22, y: 22 + 22 * i}).text(castor.number(value));
      });
      run.note(parent, "A point is a marked command: when it was issued, by which rank, and how long it took until a CPU at its end had what it " +
        "brought. A click shows all of that rank's commands below.");
      return parent.append("div").attr("id", "telemetry_rank");
    }

    function from(path) { return path.rank >= 0 ? path.rank : path.source; }

    // ---- one rank's paths as stacked bars, and one path step by step -----------------------------

    function choose(path) {
      bars.selectAll("*").remove();
      d3.selectAll("#heat_map .path").classed("chosen", (each) => from(each) === from(path));
      const own = paths.filter((each) => from(each) === from(path));
      bars.append("h3").text("Commands of " + path.who);
      const names = d3.map();
      own.forEach((each) => each.stays.forEach(function (stay) {
        const name = kind(each, stay);
        names.set(name, (names.get(name) || 0) + stay.time);
      }));
      const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7570b3"];
      const order = names.keys().sort((a, b) => names.get(b) - names.get(a));
      const separate = order.slice(0, palette.length);
      const layers = separate.map((name, i) => ({name: name, colour: palette[i],
                                                 value: (item) => d3.sum(item.stays.filter((stay) => kind(item, stay) === name), (stay) => stay.time) * 1e-6}));
      layers.push({name: "other components", colour: "#c9d0d8",
                   value: (item) => d3.sum(item.stays.filter((stay) => !separate.includes(kind(item, stay))), (stay) => stay.time) * 1e-6});
      const begun = run.timeUnit(d3.max(own, (each) => each.issued_us) * 1e-6);
      const items = own.map((each) => Object.assign({}, each, {
        name: begun.of(each.issued_us * 1e-6),
        hint: [["to", each.peer >= 0 ? "rank " + each.peer : "nid " + each.target], [each.kind, castor.bytes(each.bytes)], ["called at", site(each.site)]]}));
      const unit = run.timeUnit(d3.max(items, (item) => d3.sum(item.stays, (stay) => stay.time)) * 1e-6);
      run.note(bars, "Numbers below the bars are the commands' begins in " + begun.name + ".");
      run.stacks(bars.append("div"), {label: "Where the commands of " + path.who + " spent their time", thing: "command", items: items,
                                      unit: "time (" + unit.name + ")", text: unit.text, tick: unit.tick, layers: layers});
      const steps = bars.append("div").attr("id", "telemetry_path");
      steps.append("h3").text("Its " + (path.kind || "packet") + " of " + castor.bytes(path.bytes) + ", issued at " + us(path.issued_us) + " \u00b5s" +
        (path.peer >= 0 ? ", for rank " + path.peer : ""));
      run.pairs(steps, [["called at", telemetry.sites[path.site].join(" \u2190 ") || "not known"],
                        ["other end", telemetry.sites[path.far_site].join(" \u2190 ") || "not known"],
                        ["completed in", path.wait_call ? path.wait_call + ", " + site(path.wait_site) : "not known"],
                        ["delay", us(path.total_us) + " \u00b5s, of which waiting " + us(path.waited) + " \u00b5s"],
                        ["records missing of", path.missing.map((each) => telemetry.components[each].name).join(", ") || "none"]]);
      run.table(steps, {caption: "Step by step", rows: path.stays, most: 100, columns: [
        {name: "Component", left: true, value: (stay) => place(path, stay)},
        {name: "Way", left: true, value: (stay) => stay.response ? "back" : "there"},
        {name: "Leaves by", left: true, value: (stay) => stay.link},
        {name: "Reached after (\u00b5s)", value: (stay) => stay.begin, text: (stay) => us(stay.begin)},
        {name: "Stay (\u00b5s)", value: (stay) => stay.time, text: (stay) => us(stay.time)},
        {name: "of it waiting", value: (stay) => stay.waited, text: (stay) => us(stay.waited)},
        {name: "behind", left: true, value: (stay) => stay.behind + (stay.gap ? " (records before it are missing)" : "")}]});
    }

    // ---- tables ---------------------------------------------------------------------------------

    function addSites() {
      const rows = d3.nest().key((path) => site(path.site) + " " + path.call).entries(paths.filter((path) => path.rank >= 0)).map(function (group) {
        const own = group.values;
        return {site: own[0].site, call: own[0].call || "no call", count: own.length, mean: d3.mean(own, (path) => path.total_us),
                longest: d3.max(own, (path) => path.total_us), waited: d3.mean(own, (path) => path.waited)};
      }).sort((a, b) => b.mean * b.count - a.mean * a.count);
      run.table(parent, {caption: "Marked commands by where they were called for", rows: rows, most: 20, columns: [
        {name: "Called at", left: true, value: (row) => site(row.site)}, {name: "issued in", left: true, value: (row) => row.call},
        {name: "Commands", value: (row) => row.count, text: (row) => run.whole(row.count)},
        {name: "Mean delay (\u00b5s)", value: (row) => row.mean, text: (row) => us(row.mean)},
        {name: "Longest (\u00b5s)", value: (row) => row.longest, text: (row) => us(row.longest)},
        {name: "Mean waiting (\u00b5s)", value: (row) => row.waited, text: (row) => us(row.waited)}]});
      const waits = d3.nest().key((path) => site(path.wait_site) + " " + path.wait_call).entries(paths.filter((path) => path.wait_call))
        .map((group) => ({site: group.values[0].wait_site, call: group.values[0].wait_call, own: group.values}));
      if (waits.length === 0) return;
      run.folded(parent, "By the calls that completed them", {caption: "The same delays, booked to the call in which the command's end was taken", rows: waits, columns: [
        {name: "Call", left: true, value: (row) => row.call}, {name: "at", left: true, value: (row) => site(row.site)},
        {name: "Commands", value: (row) => row.own.length, text: (row) => run.whole(row.own.length)},
        {name: "Mean delay (\u00b5s)", value: (row) => d3.mean(row.own, (path) => path.total_us), text: (row) => us(d3.mean(row.own, (path) => path.total_us))},
        {name: "Longest (\u00b5s)", value: (row) => d3.max(row.own, (path) => path.total_us), text: (row) => us(d3.max(row.own, (path) => path.total_us))}]});
    }

    function addComponents() {
      const rows = telemetry.components.slice().sort((a, b) => b.waited_us - a.waited_us);
      run.table(parent, {caption: "Components: where marked packets waited", rows: rows, most: 10, filter: "Component", columns: [
        {name: "Component", left: true, value: (row) => row.name},
        {name: "Waited (\u00b5s)", value: (row) => row.waited_us, text: (row) => us(row.waited_us)},
        {name: "Longest (\u00b5s)", value: (row) => row.longest_wait_us, text: (row) => us(row.longest_wait_us)},
        {name: "Records", value: (row) => row.records, text: (row) => run.whole(row.records)},
        {name: "Lost", value: (row) => row.lost, text: (row) => run.whole(row.lost)}]});
    }

    function addPaths() {
      const rows = paths.slice().sort((a, b) => b.total_us - a.total_us);
      run.folded(parent, "All paths", {caption: "Paths of marked packets", rows: rows, filter: "Rank, call or kind", columns: [
        {name: "Rank", value: (path) => path.rank}, {name: "Peer", value: (path) => path.peer}, {name: "Kind", left: true, value: (path) => path.kind},
        {name: "Bytes", value: (path) => path.bytes, text: (path) => run.whole(path.bytes)},
        {name: "Begun (\u00b5s)", value: (path) => path.issued_us, text: (path) => us(path.issued_us)},
        {name: "Delay (\u00b5s)", value: (path) => path.total_us, text: (path) => us(path.total_us)},
        {name: "Waiting (\u00b5s)", value: (path) => path.waited, text: (path) => us(path.waited)},
        {name: "Called at", left: true, value: (path) => site(path.site)}, {name: "Other end", left: true, value: (path) => site(path.far_site)},
        {name: "Path", left: true, value: (path) => path.missing.length > 0 ? "with gaps" : path.whole ? "whole" : "without an end"}]});
    }
  }
});
