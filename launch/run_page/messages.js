// Messages: by size, by what they are part of, and by protocol.
castor.run.section({
  id: "messages", title: "Messages",
  part: (data) => Object.keys(data.profile.sizes).some((kind) => data.profile.sizes[kind].length > 0) ? data.profile : null,
  draw: function (parent, profile) {
    "use strict";
    const run = castor.run, count = Math.max(1, profile.run.ranks);
    const colours = {"point to point": "#0072b2", "collective": "#e69f00", "one-sided": "#009e73"};
    const kinds = Object.keys(profile.sizes).filter((kind) => profile.sizes[kind].length > 0);
    const begins = d3.set(d3.merge(kinds.map((kind) => profile.sizes[kind].map((row) => row[0])))).values()
      .map(Number).sort(d3.ascending);
    // All classes from the first to the last: a class begins where the one before it ends.
    const classes = [];
    for (let at = begins[0]; at <= begins[begins.length - 1]; at = at === 0 ? 1 : 2 * at) classes.push(at);

    run.note(parent, "What all ranks have sent. A class holds sizes from the one that it is named by to below the next.");
    const both = parent.append("div").attr("class", "pictures");
    picture("Messages", "messages", 1);
    picture("Bytes", "bytes", 2);
    addSizes();
    addProtocols();
    addFunctions();

    function rowOf(kind, at) { return profile.sizes[kind].find((row) => row[0] === at) || [at, 0, 0]; }
    function name(at) {
      let unit = 0;
      while (at >= 1024) { at /= 1024; ++unit; }
      return at + " " + ["B", "KB", "MB", "GB", "TB"][unit];
    }

    function picture(title, what, part) {
      castor.chart(both.append("div").attr("id", "sizes_" + what).node(), {
        label: title + " by size", stacked: true, x: {title: "size from", categories: classes.map(name)}, y: {title: what, short: true},
        series: kinds.map((kind) => ({name: kind, kind: "bars", colour: colours[kind],
                                      points: classes.map((at) => [name(at), rowOf(kind, at)[part]]).filter((point) => point[1] > 0)}))});
    }

    function addSizes() {
      const rows = begins.map((at) => ({at: at, of: kinds.map((kind) => rowOf(kind, at))}));
      const columns = [{name: "Size from", value: (row) => row.at, text: (row) => name(row.at)}];
      kinds.forEach((kind, i) => columns.push({name: kind, value: (row) => row.of[i][1], text: (row) => run.whole(row.of[i][1])}));
      const messages = (row) => d3.sum(row.of, (each) => each[1]), bytes = (row) => d3.sum(row.of, (each) => each[2]);
      columns.push({name: "per rank", value: messages, text: (row) => castor.number(messages(row) / count)},
                   {name: "MB", value: bytes, text: (row) => run.megabytes(bytes(row) / 1e6)});
      run.table(parent, {caption: "Messages by size", rows: rows, columns: columns});
    }

    function addProtocols() {
      if (profile.protocols.length === 0) return;
      const meanings = {E0: "eager, in the mailbox", E1: "eager, through DMA buffers", R0: "rendezvous: the receiver reads",
                        R1: "rendezvous: a cooperative write in chunks", node: "within a node"};
      const all = d3.sum(profile.protocols, (each) => each.messages);
      run.table(parent, {caption: "Protocols", rows: profile.protocols, columns: [
        {name: "Protocol", left: true, value: (row) => row.name},
        {name: "Messages", value: (row) => row.messages, text: (row) => run.whole(row.messages)},
        {name: "of all", value: (row) => row.messages / all, text: (row) => run.percent(row.messages / all)},
        {name: "MB", value: (row) => row.bytes, text: (row) => run.megabytes(row.bytes / 1e6)},
        {name: "", left: true, value: (row) => meanings[row.name] || ""}
      ]});
    }

    function addFunctions() {
      const rows = d3.merge(profile.calls.map((call) => call.sizes.map((row) => ({name: call.name, at: row[0], messages: row[1], bytes: row[2]}))));
      run.folded(parent, "By function and size", {caption: "Messages that set out from within a function", rows: rows, filter: "Function", columns: [
        {name: "Function", left: true, value: (row) => row.name},
        {name: "Size from", value: (row) => row.at, text: (row) => name(row.at)},
        {name: "Messages", value: (row) => row.messages, text: (row) => run.whole(row.messages)},
        {name: "per rank", value: (row) => row.messages, text: (row) => castor.number(row.messages / count)},
        {name: "MB", value: (row) => row.bytes, text: (row) => run.megabytes(row.bytes / 1e6)}
      ]});
    }
  }
});
