// The main job's page: availability and overhead by message size, without progression and in both phases.
(function () {
  "use strict";
  const data = castor.data();
  const designs = [["none", "no progression"], ["phase_one", "phase one"], ["phase_two", "phase two"]];
  const sides = [["send", "sender", 83], ["recv", "receiver", 20]];  // with what S4 has published for 16 KB

  d3.select("#about").text("Sandia's SMB overhead benchmark on two modelled XE6 nodes, one rank each; with progression a CPU of " +
    "each node is reserved (-r 1). Drag over a part of a picture to see it closer; a click on a name hides its curve.");
  // What lies between two sizes where the protocol changes.
  const lines = data.protocols.map((each) => ({name: each.name, x: each.from}));

  function draw(column, title, axis) {
    sides.forEach(function (side) {
      const box = d3.select("#charts").append("div");
      box.append("h2").text(title + " of the " + side[1]);
      castor.chart(box.node(), {
        label: title + " of the " + side[1] + "; the table of its values stands below it",
        x: {title: "Message size", scale: "log2", bytes: true}, y: axis, lines: lines,
        series: designs.map((design) => ({
          name: design[1],
          points: data.rows.filter((row) => row.design === design[0] && row.side === side[0])
            .map((row) => [row.msgsize, row[column]])
        })).concat(column === "avail" ? [{name: "published, no progression", kind: "points", colour: "#1c2430", points: [[16384, side[2]]]}] : [])
      });
    });
  }

  draw("avail", "Availability", {title: "Availability", unit: "%", max: 100});
  draw("overhead", "Overhead", {title: "Overhead", unit: "us", scale: "log10"});
})();
