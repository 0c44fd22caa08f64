// The timeline's data by rows: what a row is, and what is in a piece of it.
castor.run.tracks = (function () {
  "use strict";
  const kinds = [["rank", "ranks"], ["thread", "their other threads"], ["service", "progress and helper threads"], ["cpu", "CPUs"],
                 ["kernel", "interrupts and noise"], ["nic", "NICs"]];

  // `place`: the how manieth of its like; a rank's first thread is its main thread.
  function kindOf(track, place) {
    if (track.kind !== "thread") return track.kind;
    if (track.role !== "application") return "service";
    return place === 0 ? "rank" : "thread";
  }

  function titleOf(track, place) {
    if (track.kind === "cpu") return "node " + track.nid + " CPU " + track.number;
    if (track.kind === "kernel") return "node " + track.nid + " CPU " + track.number + " kernel";
    if (track.kind === "nic") return "node " + track.nid + (track.number === 0 ? " FMA" : " BTE " + track.number);
    const owner = track.rank >= 0 ? "rank " + track.rank : "node " + track.nid;
    const what = track.role === "application" ? "" : " " + (track.role === "daemon" ? "daemon" : track.role + " thread");
    return owner + what + (place === 0 ? "" : what === "" ? " thread " + place : " " + (place + 1));
  }

  // DATA: "castor timeline 1". Rows keep their spans by begin; reach[i] is the latest end of spans 0 to i.
  function load(data) {
    const counts = new Uint32Array(data.tracks.length), before = new Map();
    data.spans.forEach((span) => { ++counts[span[0]]; });
    const place = function (track) {
      const like = [track.kind, track.role, track.rank, track.nid].join(), found = before.get(like) || 0;
      before.set(like, found + 1);
      return found;
    };
    const rows = data.tracks.map(function (track, i) {
      const count = counts[i], like = place(track);
      return {track: track, number: i, kind: kindOf(track, like), title: titleOf(track, like), filled: 0, count: count,
              begin: new Float64Array(count), end: new Float64Array(count), reach: new Float64Array(count),
              name: new Uint32Array(count), category: new Uint32Array(count), peer: new Int32Array(count), bytes: new Float64Array(count)};
    });
    data.spans.forEach(function (span) {
      const row = rows[span[0]], at = row.filled++;
      row.begin[at] = span[1];
      row.end[at] = span[2];
      row.name[at] = span[3];
      row.category[at] = span[4];
      row.peer[at] = span[5];
      row.bytes[at] = span[6];
      row.reach[at] = at > 0 ? Math.max(row.reach[at - 1], span[2]) : span[2];
    });
    return rows;
  }

  // Calls f(number) for the spans of a row that are between two times.
  function within(row, from, to, f) {
    let low = 0, high = row.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row.reach[middle] < from) low = middle + 1; else high = middle;
    }
    for (let i = low; i < row.count && row.begin[i] <= to; ++i) if (row.end[i] >= from) f(i);
  }

  // What the names of spans look like: calls by the group of their function, the others by what they are.
  function palette(data, profile) {
    const groups = new Map(profile.calls.map((call) => [call.name, call.group]));
    const colours = castor.run.colours;
    const fixed = {"interrupt handler": colours.interrupts, "waits for a lock": colours.locks, "progress thread": colours["progress threads"],
                   "helper thread": "#8c510a", "daemon": colours.noise, "rank": "#7ab8d9", "FMA": "#66a61e", "BTE": "#1b7837"};
    const calls = ["#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#b8a000", "#8c6d31", "#80cdc1", "#f4a582", "#7570b3", "#a6d854", "#e7298a", "#666666"];
    const categories = new Map(data.names.map((name, i) => [i, name]));
    const names = data.names.map((name, i) => ({name: name, number: i, time: 0, count: 0, noise: false, hidden: false}));
    data.spans.forEach(function (span) {
      const name = names[span[3]];
      name.time += span[2] - span[1];
      ++name.count;
      name.noise = name.noise || categories.get(span[4]) === "noise";
    });
    let next = 0;
    names.slice().sort((a, b) => b.time - a.time || a.number - b.number).forEach(function (each) {
      if (each.name === "") {
        each.colour = "#c9d0d8";
      } else if (each.noise) {
        each.colour = colours.noise;
      } else if (fixed[each.name]) {
        each.colour = fixed[each.name];
      } else if (groups.get(each.name) === "USER") {
        each.colour = colours.USER;
      } else if (each.count > 0) {
        each.colour = calls[Math.min(next++, calls.length - 1)];
      }
    });
    return names;
  }

  // "0-3, 8" as a test of numbers; nothing: all. Null if it is no such text.
  function numbers(text) {
    if (text.trim() === "") return () => true;
    const parts = text.split(",").map((part) => /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part));
    if (parts.some((part) => part === null)) return null;
    const pairs = parts.map((part) => [+part[1], part[2] === undefined ? +part[1] : +part[2]]);
    return (number) => pairs.some((pair) => number >= pair[0] && number <= pair[1]);
  }

  return {kinds: kinds, load: load, within: within, palette: palette, numbers: numbers};
})();
