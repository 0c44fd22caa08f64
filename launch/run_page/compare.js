// Two runs beside each other: what differs between them, and what that did to their times.
(function () {
  "use strict";
  const run = castor.run, colours = {A: "#0072b2", B: "#e69f00"};
  const both = (data) => data;

  run.section({id: "runs", title: "The runs", part: both, draw: function (parent, data) {
    const a = data.first.run, b = data.second.run;
    const text = (value) => Array.isArray(value) ? value.filter((line) => line !== "").join("\n") : String(value);
    const rows = [["Command", a.command.join(" "), b.command.join(" ")]];
    [["Clock", "clock"], ["System", "system"], ["Ranks", "ranks"], ["Nodes", "nodes"], ["Machine", "machine"], ["Time (s)", "seconds"],
     ["Fingerprint", "fingerprint"], ["Measured", "measured"], ["Exit code", "exit_code"]]
      .forEach((each) => rows.push([each[0], text(a[each[1]]), text(b[each[1]])]));
    const inA = new Map(a.parameters.map((each) => [each.name, each])), inB = new Map(b.parameters.map((each) => [each.name, each]));
    const names = Array.from(new Set(a.parameters.concat(b.parameters).map((each) => each.name)));
    names.forEach(function (name) {
      const fallback = (inA.get(name) || inB.get(name)).default;
      const value = (all) => all.has(name) ? all.get(name).value : fallback;
      if (value(inA) !== value(inB)) rows.push([name, value(inA), value(inB)]);
    });
    const table = parent.append("table").attr("class", "list facts");
    table.append("thead").append("tr").selectAll("th").data(["", "A", "B"]).enter().append("th").attr("class", "left").text(String);
    const lines = table.append("tbody").selectAll("tr").data(rows).enter().append("tr").attr("class", (row) => row[1] !== row[2] ? "differs" : null);
    lines.append("th").attr({scope: "row", class: "left"}).text((row) => row[0]);
    // What both have stands there once.
    lines.append("td").attr({class: "left lines", colspan: (row) => row[1] === row[2] ? 2 : 1}).text((row) => row[1]);
    lines.filter((row) => row[1] !== row[2]).append("td").attr("class", "left lines").text((row) => row[2]);
  }});

  const ranks = (profile) => Math.max(1, profile.run.ranks);
  const unitOf = (data) => run.timeUnit(Math.max(data.first.time.whole.mean, data.second.time.whole.mean));

  function picture(parent, label, rows, unit) {
    run.bars(parent, {
      label: label, series: [{name: "A", colour: colours.A}, {name: "B", colour: colours.B}], text: unit.text,
      rows: rows.map((row) => ({name: row.name, values: [row.a, row.b],
        hint: [["A", unit.text(row.a), colours.A], ["B", unit.text(row.b), colours.B], ["B - A", signed(unit, row.b - row.a)],
               ["B / A", ratio(row)]]}))});
  }
  function signed(unit, value) { return (value > 0 ? "+" : "") + unit.text(value); }
  function ratio(row) { return row.a > 0 ? d3.format(".3f")(row.b / row.a) : "-"; }

  function timeColumns(name, unit) {
    return [
      {name: name, left: true, value: (row) => row.name},
      {name: "A (" + unit.name + ")", value: (row) => row.a, text: (row) => unit.of(row.a)},
      {name: "B (" + unit.name + ")", value: (row) => row.b, text: (row) => unit.of(row.b)},
      {name: "B - A (" + unit.name + ")", value: (row) => row.b - row.a, text: (row) => (row.b > row.a ? "+" : "") + unit.of(row.b - row.a)},
      {name: "B / A", value: (row) => row.a > 0 ? row.b / row.a : -1, text: ratio}
    ];
  }

  run.section({id: "groups", title: "A rank's time", part: both, draw: function (parent, data) {
    const a = data.first.time, b = data.second.time, unit = unitOf(data), rows = [{name: "whole", a: a.whole.mean, b: b.whole.mean}];
    const mean = (part, name) => part && part[name] ? part[name].mean : 0;
    [["groups", ""], ["lost_computing", "stolen from USER by "], ["lost_in_calls", "in calls, taken by "]].forEach(function (part) {
      Object.keys(a[part[0]]).forEach(function (name) {
        rows.push({name: part[1] + name, a: a[part[0]][name].mean, b: mean(b[part[0]], name)});
      });
    });
    rows.push({name: "in calls, waiting for locks", a: a.waiting_for_locks.mean, b: b.waiting_for_locks.mean});
    const used = rows.filter((row) => row.a > 0 || row.b > 0);
    run.note(parent, "The mean of the ranks.");
    picture(parent, "A rank's time in both runs", used, unit);
    run.table(parent, {caption: "A rank's time", rows: used, columns: timeColumns("Part", unit)});
  }});

  run.section({id: "functions", title: "Functions", part: both, draw: function (parent, data) {
    const unit = unitOf(data), all = new Map();
    [["a", data.first], ["b", data.second]].forEach((side) => side[1].calls.forEach(function (call) {
      if (!all.has(call.name)) all.set(call.name, {name: call.name, group: call.group, a: 0, b: 0, a_calls: 0, b_calls: 0});
      all.get(call.name)[side[0]] = call.seconds.mean;
      all.get(call.name)[side[0] + "_calls"] = call.calls / ranks(side[1]);
    }));
    const change = (row) => Math.abs(row.b - row.a);
    const rows = Array.from(all.values()).sort((a, b) => change(b) - change(a));
    run.note(parent, "Those that changed most come first; the mean of the ranks.");
    picture(parent, "Functions in both runs", rows.filter((row) => row.a > 0 || row.b > 0).slice(0, 16), unit);
    const columns = timeColumns("Function", unit);
    columns.splice(1, 0, {name: "Group", left: true, value: (row) => row.group});
    columns.push({name: "A calls/rank", value: (row) => row.a_calls, text: (row) => castor.number(row.a_calls)},
                 {name: "B calls/rank", value: (row) => row.b_calls, text: (row) => castor.number(row.b_calls)});
    run.table(parent, {caption: "Functions", rows: rows, columns: columns, filter: "Function or group", most: 40});
  }});

  run.section({id: "protocols", title: "Protocols",
    part: (data) => data.first.protocols.length + data.second.protocols.length > 0 ? data : null,
    draw: function (parent, data) {
      const names = Array.from(new Set(data.first.protocols.concat(data.second.protocols).map((each) => each.name)));
      const of = (profile, name) => profile.protocols.find((each) => each.name === name) || {messages: 0, bytes: 0};
      run.table(parent, {caption: "Messages of all ranks", rows: names, columns: [
        {name: "Protocol", left: true, value: String},
        {name: "A messages", value: (name) => of(data.first, name).messages, text: (name) => run.whole(of(data.first, name).messages)},
        {name: "B messages", value: (name) => of(data.second, name).messages, text: (name) => run.whole(of(data.second, name).messages)},
        {name: "A MB", value: (name) => of(data.first, name).bytes, text: (name) => run.megabytes(of(data.first, name).bytes / 1e6)},
        {name: "B MB", value: (name) => of(data.second, name).bytes, text: (name) => run.megabytes(of(data.second, name).bytes / 1e6)}
      ]});
    }});
})();
