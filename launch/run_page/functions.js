// The profile by function: CrayPat's table, a picture of it, and what was taken from ranks.
castor.run.section({
  id: "functions", title: "Profile by function",
  part: (data) => data.profile,
  draw: function (parent, profile) {
    "use strict";
    const run = castor.run, time = profile.time, count = Math.max(1, profile.run.ranks);
    const all = time.whole.mean || 1, unit = run.timeUnit(time.whole.max);
    const share = (seconds) => run.percent(seconds / all);
    const perRank = (number) => castor.number(number / count);
    const service = profile.service;

    run.note(parent, "Times are the mean of the " + run.whole(profile.ranks.rows.length) + " ranks' main threads, " + unit.text(time.whole.mean) +
      " each. A whisker goes from the least to the most of a rank. Imbalance is the most less the mean; in percent, the share" +
      " of the slowest rank's time that would be saved if all ranks took the same (100: one rank does it all).");
    drawFunctions();
    addGroups();
    addFunctions();
    if (service.turns > 0 || service.sent > 0 || service.received > 0) {
      run.note(parent, "Progress and helper threads of all ranks: " + run.whole(service.turns) + " turns on a CPU, " +
        unit.text(service.seconds.total) + " of CPU time, " + run.whole(service.sent) + " messages sent, " +
        run.whole(service.received) + " received.");
    }

    function drawFunctions() {
      const rows = profile.calls.filter((call) => call.seconds.mean > 0 && call.group !== "OTHER THREADS")
        .sort((a, b) => b.seconds.mean - a.seconds.mean).slice(0, 16);
      if (rows.length === 0) return;
      run.bars(parent, {
        label: "Time of functions; the tables below have the values", series: [{name: "mean", colour: "#e69f00"}], text: (value) => unit.text(value),
        rows: rows.map((call) => ({
          name: call.name, values: [call.seconds.mean], low: call.seconds.min, high: call.seconds.max, colour: run.colours[call.group],
          hint: [["of the time", share(call.seconds.mean)], ["mean of ranks", unit.text(call.seconds.mean)],
                 ["least of a rank", unit.text(call.seconds.min)],
                 ["most, rank " + call.seconds.slowest_rank, unit.text(call.seconds.max)], ["calls of a rank", perRank(call.calls)],
                 ["longest call", unit.text(call.longest_call)]]
        }))});
    }

    function addGroups() {
      const rows = [{name: "Total", time: time.whole}];
      const add = (prefix, parts) => Object.keys(parts).forEach(function (name) {
        if (parts[name].total > 0) rows.push({name: prefix + name, time: parts[name]});
      });
      add("", time.groups);
      add("STOLEN from USER by ", time.lost_computing);
      add("of which within calls: taken by ", time.lost_in_calls);
      if (time.waiting_for_locks.total > 0) rows.push({name: "of which within calls: waiting for locks", time: time.waiting_for_locks});
      run.table(parent, {caption: "Where a rank's time went", rows: rows, columns: timeColumns("Part")});
    }

    function timeColumns(name) {
      return [
        {name: name, left: true, value: (row) => row.name},
        {name: "Time %", value: (row) => row.time.mean, text: (row) => share(row.time.mean)},
        {name: "Time (" + unit.name + ")", value: (row) => row.time.mean, text: (row) => unit.of(row.time.mean)},
        {name: "Min", value: (row) => row.time.min, text: (row) => unit.of(row.time.min)},
        {name: "Max", value: (row) => row.time.max, text: (row) => unit.of(row.time.max)},
        {name: "Slowest rank", value: (row) => row.time.slowest_rank},
        {name: "Imb. (" + unit.name + ")", value: imbalance, text: (row) => unit.of(imbalance(row)), title: "most less mean"},
        {name: "Imb. %", value: imbalanceShare, text: (row) => d3.format(".1f")(imbalanceShare(row))}
      ];
    }
    function imbalance(row) { return row.time.max - row.time.mean; }
    function imbalanceShare(row) {
      return count < 2 || !(row.time.max > 0) ? 0 : 100 * imbalance(row) / row.time.max * count / (count - 1);
    }

    function addFunctions() {
      const rows = profile.calls.map((call) => ({name: call.name, group: call.group, time: call.seconds, call: call}));
      const columns = timeColumns("Function");
      columns.splice(1, 0, {name: "Group", left: true, value: (row) => row.group});
      columns.push(
        {name: "Calls/rank", value: (row) => row.call.calls, text: (row) => perRank(row.call.calls)},
        {name: "Longest (" + unit.name + ")", value: (row) => row.call.longest_call, text: (row) => unit.of(row.call.longest_call)},
        {name: "Messages/rank", value: (row) => row.call.messages, text: (row) => perRank(row.call.messages)},
        {name: "MB/rank", value: (row) => row.call.bytes, text: (row) => run.megabytes(row.call.bytes / 1e6 / count)});
      run.table(parent, {caption: "Functions", rows: rows, columns: columns, filter: "Function or group", most: 40});
    }
  }
});
