// Draws the links of a torus as heat maps, with D3 (version 3), into the elements of page.html. link_page.h
// says what the data are.
castor.drawLinks = function (data) {
  "use strict";
  const short = castor.short, fillTable = castor.fillTable;
  const ways = ["X+", "X-", "Y+", "Y-", "Z+", "Z-", "HH"];
  const axes = ["x", "y", "z"];
  const hosts = 6;
  const mostSquares = 60000;  // with more, one dimension is shown at a time
  const panelWidth = 640, sliceGap = 10, labelHeight = 15;
  const nothing = "#e4e7eb";
  // Matplotlib's inferno, dark for much: it can be told apart without colour vision, too.
  const colours = ["#fcffa4", "#f6d746", "#fca50a", "#f37819", "#dd513a", "#bc3754", "#932667",
                   "#6a176e", "#420a68"];
  const whole = d3.format(",");

  // In each panel: which coordinate runs to the right, which upwards, and which one has a grid for
  // each of its values. A ring's links are a row.
  const layouts = [[0, 1, 2], [1, 0, 2], [2, 0, 1], [0, 1, 2]];

  // Of a link: its six counts (see page_data), its bandwidth, and the seconds that are shown.
  const bytes = (counts) => 3 * (counts[0] + counts[1]);
  const rate = (counts, speed, seconds) => seconds > 0 ? bytes(counts) / seconds / 1e9 : 0;
  const share = (counts, speed, seconds) => rate(counts, speed, seconds) / speed;
  const percent = (value) => value === 0 ? "0 %" : d3.format(value < 0.1 ? ".2f" : ".1f")(100 * value) + " %";
  const gigabytes = (value) => value === 0 ? "0 GB/s" : d3.format(value < 0.1 ? ".4f" : ".3f")(value) + " GB/s";
  const inBytes = (value) => short(value, "B");
  const measures = [
    {name: "Share of bandwidth", value: share, show: percent, sums: false},
    {name: "Mean rate", value: rate, show: gigabytes, sums: true},
    {name: "Bytes, both channels", value: bytes, show: inBytes, sums: true},
    {name: "Bytes of requests (VC0)", value: (counts) => 3 * counts[0], show: inBytes, sums: true},
    {name: "Bytes of responses (VC1)", value: (counts) => 3 * counts[1], show: inBytes, sums: true},
    {name: "Packets, both channels", value: (counts) => counts[2] + counts[3], show: (value) => short(value), sums: true},
    {name: "Packets of requests (VC0)", value: (counts) => counts[2], show: (value) => short(value), sums: true},
    {name: "Packets of responses (VC1)", value: (counts) => counts[3], show: (value) => short(value), sums: true},
    {name: "Input stalls (cycles)", value: (counts) => counts[4], show: (value) => short(value), sums: true},
    {name: "Output stalls (cycles)", value: (counts) => counts[5], show: (value) => short(value), sums: true}
  ];

  function neighbour(place, way) {
    const other = place.slice();
    if (way === hosts) return other;
    const d = way >> 1, size = data.size[d];
    other[d] = (place[d] + (way % 2 === 0 ? 1 : size - 1)) % size;
    return other;
  }

  const links = data.links.map(function (row) {
    const from = row.slice(1, 4);
    return {way: row[0], from: from, to: neighbour(from, row[0]), speed: row[4]};
  });

  const state = {measure: measures[0], log: false, shown: "all", time: "all"};
  let seconds = 0;  // of what is shown

  // ---- values -----------------------------------------------------------------------------------

  function chosenSamples() {
    return state.time === "all" ? data.samples : [data.samples[+state.time]];
  }

  // Gives each link the counts and the value that are shown.
  function choose() {
    links.forEach((link) => { link.counts = [0, 0, 0, 0, 0, 0]; });
    seconds = 0;
    chosenSamples().forEach(function (sample) {
      seconds += sample.to - sample.from;
      sample.counts.forEach(function (row) {
        const counts = links[row[0]].counts;
        for (let i = 1; i < row.length; ++i) counts[i - 1] += row[i];
      });
    });
    links.forEach((link) => { link.value = state.measure.value(link.counts, link.speed, seconds); });
  }

  function shownLinks() {
    if (state.shown === "all") return links;
    return links.filter((link) => (link.way >> 1) === +state.shown);
  }

  // ---- colours ----------------------------------------------------------------------------------

  function colourScale() {
    const values = shownLinks().map((link) => link.value).filter((value) => value > 0);
    const high = d3.max(values) || 1;
    const low = state.log ? Math.min(d3.min(values) || high, high / 10) : 0;
    const place = state.log ? d3.scale.log().domain([low, high]) : d3.scale.linear().domain([low, high]);
    const ramp = d3.scale.linear().domain(d3.range(colours.length).map((i) => i / (colours.length - 1)))
      .range(colours).interpolate(d3.interpolateLab);
    const unit = place.copy().range([0, 1]);
    return {place: place, of: (value) => value > 0 ? ramp(unit(value)) : nothing};
  }

  function drawLegend(scale) {
    const svg = d3.select("#legend"), width = 300, left = 14;
    svg.selectAll("*").remove();
    const gradient = svg.append("defs").append("linearGradient").attr("id", "ramp");
    colours.forEach(function (colour, i) {
      gradient.append("stop").attr("offset", i / (colours.length - 1)).attr("stop-color", colour);
    });
    svg.append("rect").attr({x: left, y: 2, width: width, height: 14, fill: "url(#ramp)"});
    const axis = d3.svg.axis().scale(scale.place.copy().range([left, left + width])).orient("bottom")
      .tickSize(4, 4);
    const domain = scale.place.domain();
    const few = state.log ? [domain[0], Math.sqrt(domain[0] * domain[1]), domain[1]] : scale.place.ticks(4);
    axis.tickValues(few).tickFormat(state.measure.show);
    svg.append("g").attr("transform", "translate(0,16)").call(axis);
  }

  // ---- panels -----------------------------------------------------------------------------------

  // How many grids stand side by side, and the side of a square.
  function fit(columns, rows, slices) {
    let best = null;
    for (let across = 1; across <= slices; ++across) {
      const wide = across * columns, high = Math.ceil(slices / across) * (rows + 2);
      const unused = Math.ceil(slices / across) * across - slices;
      const far = Math.abs(Math.log(wide / high / 2)) + 2 * unused / slices;
      if (best === null || far < best.far) best = {across: across, far: far};
    }
    const room = panelWidth - (best.across - 1) * sliceGap;
    best.cell = Math.max(2, Math.min(36, Math.floor(room / (best.across * columns))));
    return best;
  }

  function heading(way) {
    if (way === hosts) return "HH: hosts to router";
    return ways[way] + ": towards " + (way % 2 === 0 ? "greater " : "smaller ") + axes[way >> 1];
  }

  function drawPanel(way) {
    const mine = links.filter((link) => link.way === way);
    const panel = d3.select("#panels").append("section").attr("class", "panel");
    panel.append("h2").text(heading(way));
    if (mine.length === 0) {
      panel.append("p").attr("class", "note").text("No such link is in the file.");
      return;
    }
    const layout = layouts[way >> 1];
    const columns = data.size[layout[0]], rows = data.size[layout[1]], slices = data.size[layout[2]];
    const shape = fit(columns, rows, slices);
    const width = columns * shape.cell, height = rows * shape.cell;
    panel.append("p").attr("class", "note").text(
      axes[layout[0]] + " to the right, " + axes[layout[1]] + " upwards" +
      (slices > 1 ? ", a grid for each " + axes[layout[2]] : ""));
    const all = {width: shape.across * (width + sliceGap) - sliceGap + 2,
                 height: Math.ceil(slices / shape.across) * (height + labelHeight + 5)};
    const svg = panel.append("svg").attr({width: all.width, height: all.height, role: "img",
                                         viewBox: "-1 0 " + all.width + " " + all.height,
                                         "aria-label": heading(way) + "; the tables below have the values"});
    const grids = svg.selectAll("g").data(d3.range(slices)).enter().append("g").attr("class", "slice")
      .attr("transform", (i) => "translate(" + (i % shape.across) * (width + sliceGap) + "," +
                         Math.floor(i / shape.across) * (height + labelHeight + 5) + ")");
    grids.append("text").attr("y", labelHeight - 4)
      .text((i) => slices > 1 ? axes[layout[2]] + " " + i : "");
    grids.append("rect").attr({class: "ground", x: -0.5, y: labelHeight - 0.5, width: width + 1, height: height + 1});
    const bySlice = d3.range(slices).map(() => []);
    mine.forEach((link) => bySlice[link.from[layout[2]]].push(link));
    const gap = shape.cell > 7 ? 1 : 0;
    grids.selectAll("rect.link").data((i) => bySlice[i]).enter().append("rect")
      .attr({class: "link", width: shape.cell - gap, height: shape.cell - gap})
      .attr("x", (link) => link.from[layout[0]] * shape.cell)
      .attr("y", (link) => labelHeight + (rows - 1 - link.from[layout[1]]) * shape.cell);
  }

  function drawPanels() {
    d3.select("#panels").selectAll("*").remove();
    ways.forEach(function (name, way) {
      const size = way === hosts ? 2 : data.size[way >> 1];
      if (size > 1 && (state.shown === "all" || +state.shown === (way >> 1))) drawPanel(way);
    });
  }

  // ---- what a square says -----------------------------------------------------------------------

  const placeText = (place) => "(" + place.join(", ") + ")";

  function linkTitle(link) {
    return link.way === hosts ? "HH, hosts of " + placeText(link.from)
                              : ways[link.way] + ", " + placeText(link.from) + " to " + placeText(link.to);
  }

  function showTip(link) {
    const counts = link.counts;
    const rows = [
      ["bytes", whole(bytes(counts))], ["of requests (VC0)", whole(3 * counts[0])],
      ["of responses (VC1)", whole(3 * counts[1])], ["packets", whole(counts[2] + counts[3])],
      ["of requests (VC0)", whole(counts[2])], ["of responses (VC1)", whole(counts[3])],
      ["mean rate", gigabytes(rate(counts, link.speed, seconds))],
      ["share of " + d3.format(".2f")(link.speed) + " GB/s", percent(share(counts, link.speed, seconds))],
      ["input, output stalls", whole(counts[4]) + ", " + whole(counts[5])]
    ];
    castor.tip.show(linkTitle(link), rows);
  }

  function followMouse() {
    const target = d3.select(d3.event.target);
    if (target.classed("link")) {
      showTip(target.datum());
    } else {
      castor.tip.hide();
    }
  }

  // ---- tables -----------------------------------------------------------------------------------

  function fillSums() {
    const rows = ways.map(function (name, way) {
      const mine = links.filter((link) => link.way === way);
      const most = mine.reduce((a, b) => b.value > a.value ? b : a, mine[0]);
      return {name: name, mine: mine, most: most, sum: d3.sum(mine, (link) => link.value)};
    }).filter((row) => row.mine.length > 0);
    const show = state.measure.show;
    fillTable("#sums", [
      {name: "Direction", left: true, text: (row) => row.name},
      {name: "Links", text: (row) => whole(row.mine.length)},
      {name: "Used", text: (row) => whole(row.mine.filter((link) => link.value > 0).length)},
      {name: "Sum", text: (row) => state.measure.sums ? show(row.sum) : ""},
      {name: "Mean", text: (row) => show(row.sum / row.mine.length)},
      {name: "Most", text: (row) => show(row.most.value)},
      {name: "Where", left: true, text: (row) => row.most.value > 0 ? linkTitle(row.most) : ""}
    ], rows, state.measure.name);
  }

  function fillMost() {
    const rows = links.filter((link) => link.value > 0).sort((a, b) => b.value - a.value).slice(0, 40);
    fillTable("#most", [
      {name: "Link", left: true, text: linkTitle},
      {name: "GB/s", text: (link) => d3.format(".2f")(link.speed)},
      {name: "Bytes", text: (link) => whole(bytes(link.counts))},
      {name: "of VC0", text: (link) => whole(3 * link.counts[0])},
      {name: "of VC1", text: (link) => whole(3 * link.counts[1])},
      {name: "Packets", text: (link) => whole(link.counts[2] + link.counts[3])},
      {name: "Rate", text: (link) => gigabytes(rate(link.counts, link.speed, seconds))},
      {name: "Share", text: (link) => percent(share(link.counts, link.speed, seconds))},
      {name: "Input stalls", text: (link) => whole(link.counts[4])},
      {name: "Output stalls", text: (link) => whole(link.counts[5])}
    ], rows, "By " + state.measure.name.toLowerCase() + ": the " + rows.length + " links with the most");
  }

  // ---- the page ---------------------------------------------------------------------------------

  function colour() {
    const scale = colourScale();
    d3.selectAll("rect.link").attr("fill", (link) => scale.of(link.value));
    drawLegend(scale);
  }

  function refresh() {
    choose();
    colour();
    fillSums();
    fillMost();
  }

  const timeText = (sample) => short(sample.from, "s") + " to " + short(sample.to, "s");

  function offer(name, options, change) {
    const select = d3.select(name);
    select.selectAll("option").data(options).enter().append("option")
      .attr("value", (option) => option.value).text((option) => option.text);
    select.on("change", function () { change(this.value); });
  }

  function start() {
    const last = data.samples[data.samples.length - 1];
    d3.select("#about").text(data.size.join(" x ") + " torus, " + whole(links.length) +
      " links counted, " + timeText({from: data.samples[0].from, to: last.to}));
    offer("#measure", measures.map((measure, i) => ({value: i, text: measure.name})),
          function (value) { state.measure = measures[+value]; refresh(); });
    d3.select("#scale").on("change", function () { state.log = this.value === "log"; colour(); });
    offer("#shown", [["all", "all"], ["0", "X"], ["1", "Y"], ["2", "Z"], ["3", "hosts"]]
      .map((each) => ({value: each[0], text: each[1]})),
          function (value) { state.shown = value; drawPanels(); colour(); });
    offer("#time", [{value: "all", text: "all of it"}].concat(
      data.samples.map((sample, i) => ({value: i, text: timeText(sample)}))),
          function (value) { state.time = value; refresh(); });
    d3.select("#time_label").style("display", data.samples.length > 1 ? null : "none");
    d3.select("#panels").on("mousemove", followMouse).on("mouseleave", castor.tip.hide);
    if (links.length > mostSquares) state.shown = "0";
    d3.select("#shown").property("value", state.shown);
    drawPanels();
    refresh();
  }

  start();
};
