// The profile by rank: where each rank's time went.
castor.run.section({
  id: "ranks", title: "Profile by rank",
  part: (data) => data.profile.ranks.rows.length > 0 ? data.profile : null,
  draw: function (parent, profile, data) {
    "use strict";
    const run = castor.run, columns = profile.ranks.columns, groups = Object.keys(profile.time.groups);
    const losses = Object.keys(profile.time.lost_computing);
    const items = profile.ranks.rows.map(function (row) {
      const item = {};
      columns.forEach((name, i) => { item[name] = row[i]; });
      item.name = String(item.rank);
      item.hint = [["node", String(item.nid)]];
      item.whole = item.end - item.begin;
      return item;
    });
    const known = (item) => d3.sum(groups, (name) => item[name]) + d3.sum(losses, (name) => item["lost_computing: " + name]);
    items.forEach((item) => { item.rest = Math.max(0, item.whole - known(item)); });
    const unit = run.timeUnit(d3.max(items, (item) => item.whole));
    const functions = functionLayers();
    const pictures = [
      {name: "Time", unit: "time (" + unit.name + ")", text: unit.text, tick: unit.tick, layers: timeLayers()},
      {name: "Time by function", unit: "time (" + unit.name + ")", text: unit.text, tick: unit.tick, layers: functions},
      {name: "Messages sent", unit: "messages", text: castor.number, tick: (value) => castor.short(value),
       layers: [{name: "messages", colour: "#0072b2", value: (item) => item.messages}]},
      {name: "Bytes sent", unit: "bytes", text: (value) => castor.short(value, "B"), tick: (value) => castor.short(value, "B"),
       layers: [{name: "bytes", colour: "#009e73", value: (item) => item.bytes}]},
      {name: "CPU time", unit: "time (" + unit.name + ")", text: unit.text, tick: unit.tick,
       layers: [{name: "main thread on a CPU", colour: "#0072b2", value: (item) => item.cpu},
                {name: "main thread ready, without a CPU", colour: "#d6006c", value: (item) => item.without_cpu},
                {name: "progress and helper threads on a CPU", colour: "#d55e00", value: (item) => item.service_cpu}]}
    ].filter((picture) => picture.layers.some((layer) => items.some((item) => layer.value(item) > 0)));

    // The longest functions; each has the seconds of all ranks, in the order of the profile's.
    function functionLayers() {
      const palette = ["#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#b8a000", "#8c6d31", "#80cdc1", "#f4a582", "#7570b3", "#a6d854"];
      if (!data.rank_calls) return [];
      items.forEach((item, i) => { item.functions = data.rank_calls.seconds.map((seconds) => seconds[i]); });
      return data.rank_calls.names.map((name, number) => ({name: name, colour: palette[number % palette.length],
                                                          value: (item) => item.functions[number]}));
    }

    function timeLayers() {
      const layers = groups.map((name) => ({name: name, colour: run.colours[name], value: (item) => item[name]}));
      const stolen = losses.map((name) => ({name: "stolen from USER by " + name, colour: run.colours[name],
                                            value: (item) => item["lost_computing: " + name]}));
      const inside = losses.map((name) => ({name: "within calls: taken by " + name, colour: run.colours[name], beside: true,
                                            value: (item) => item["lost_in_calls: " + name]}));
      inside.push({name: "within calls: waiting for locks", colour: run.colours.locks, beside: true, value: (item) => item.waiting_for_locks});
      // What stands beside belongs to calls: these are lowest.
      return layers.slice(1).concat(layers.slice(0, 1), stolen,
        [{name: "nothing of these", colour: run.colours.rest, value: (item) => item.rest > 1e-9 * item.whole ? item.rest : 0}], inside);
    }

    run.note(parent, "A bar is a rank's main thread. Its right half says what of the calls' time was taken from it or went by waiting for locks. " +
      "The legend hides and shows; dragging zooms, a double click shows all.");
    const offer = parent.append("label").attr("class", "choice").text("Show ").append("select").attr("id", "rank_picture");
    offer.selectAll("option").data(pictures).enter().append("option").text((picture) => picture.name);
    const box = parent.append("div");
    offer.on("change", function () { show(pictures[this.selectedIndex]); });
    if (pictures.length > 0) show(pictures[0]);
    addTable();

    function show(picture) {
      box.selectAll("*").remove();
      run.stacks(box, {label: picture.name + " of each rank; the table below has the values", thing: "rank", items: items,
                       unit: picture.unit, text: picture.text, tick: picture.tick, layers: picture.layers});
    }

    function addTable() {
      const shown = [{name: "Rank", value: (item) => item.rank}, {name: "Node", value: (item) => item.nid},
                     {name: "Whole", value: (item) => item.whole, text: (item) => unit.of(item.whole)}];
      const times = groups.map((name) => [name, name]).concat(
        losses.map((name) => ["stolen by " + name, "lost_computing: " + name]),
        losses.map((name) => ["in calls: " + name, "lost_in_calls: " + name]),
        [["in calls: locks", "waiting_for_locks"], ["on a CPU", "cpu"], ["without a CPU", "without_cpu"],
         ["progress threads", "service_cpu"]]);
      times.filter((each) => items.some((item) => item[each[1]] > 0)).forEach(function (each) {
        shown.push({name: each[0], value: (item) => item[each[1]], text: (item) => unit.of(item[each[1]])});
      });
      shown.push({name: "messages", value: (item) => item.messages, text: (item) => run.whole(item.messages)},
                 {name: "MB", value: (item) => item.bytes, text: (item) => run.megabytes(item.bytes / 1e6)});
      run.folded(parent, "Ranks as a table", {caption: "Times in " + unit.name, rows: items, columns: shown, most: 64});
    }
  }
});
