// What the links have carried: the busiest ones, and link_map's heat maps.
castor.run.section({
  id: "links", title: "Links",
  part: (data) => data.links && data.links.samples.length > 0 ? data.links : null,
  draw: function (parent, data) {
    "use strict";
    const run = castor.run, ways = ["X+", "X-", "Y+", "Y-", "Z+", "Z-", "HH"], shown = 12;
    const seconds = d3.sum(data.samples, (sample) => sample.to - sample.from);
    const links = data.links.map((row) => ({way: row[0], from: row.slice(1, 4), speed: row[4], phits: 0, packets: 0}));
    data.samples.forEach((sample) => sample.counts.forEach(function (row) {
      links[row[0]].phits += row[1] + (row[2] || 0);
      links[row[0]].packets += (row[3] || 0) + (row[4] || 0);
    }));
    const share = (link) => seconds > 0 ? 3 * link.phits / seconds / 1e9 / link.speed : 0;
    const name = (link) => (link.way === 6 ? "hosts of (" : ways[link.way] + " from (") + link.from.join(", ") + ")";
    const used = links.filter((link) => link.phits > 0).sort((a, b) => share(b) - share(a));

    run.note(parent, run.whole(links.length) + " links counted, " + run.whole(used.length) + " used, in " + castor.short(seconds, "s") +
      ". Share is the mean rate of both channels, of the link's bandwidth, over the whole run.");
    if (used.length > 0) {
      run.bars(parent, {
        label: "The busiest links; the table of link_map below has more", series: [{name: "share", colour: "#932667"}],
        text: run.percent, rows: used.slice(0, shown).map((link) => ({
          name: name(link), values: [share(link)],
          hint: [["share of " + d3.format(".2f")(link.speed) + " GB/s", run.percent(share(link))],
                 ["bytes", run.whole(3 * link.phits)], ["packets", run.whole(link.packets)]]}))});
    }
    const details = parent.append("details").attr("id", "all_links");
    details.append("summary").text("Map and tables of all links");
    const box = details.append("div");
    details.on("toggle", function () {
      if (!this.open || !box.select("*").empty()) return;
      box.node().appendChild(document.getElementById("link_map").content.cloneNode(true));
      castor.drawLinks(data);
    });
    run.note(parent, "The program link_map draws the same from a file of --counters.");
  }
});
