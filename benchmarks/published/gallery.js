// The gallery: every published figure and table beside ours. The data are those of published --json.
(function () {
  "use strict";
  const data = castor.data();
  const verdicts = ["PASS", "OUTSIDE", "SHOWN"];
  const linesOf = (row) => data.published.filter((line) => line.row === row);
  const count = (lines, verdict) => lines.filter((line) => line.verdict === verdict).length;
  const most = 12;  // a longer table is closed at first

  const gallery = d3.select("#gallery");
  gallery.append("p").attr("class", "note").text(verdicts.map((verdict) =>
    castor.number(count(data.published, verdict)) + " " + verdict).join(", ") +
    ". PASS: within the limit, or the published shape holds. OUTSIDE: not. SHOWN: not judged, as nothing was published or no limit was set. " +
    "All our values and curves come from runs of this tree, in virtual time, and repeat bit for bit.");
  addIndex();
  addChoice();
  data.figures.forEach(addFigure);

  function chip(cell, verdict, text) {
    cell.append("span").attr("class", "verdict " + verdict).text(text);
  }

  function addIndex() {
    const table = gallery.append("div").attr("class", "wide").append("table").attr({class: "list", id: "index"});
    const head = table.append("thead").append("tr");
    ["Figure or table", "Published in"].concat(verdicts).forEach(function (name, i) {
      head.append("th").attr({scope: "col", class: i < 2 ? "left" : null}).text(name);
    });
    const lines = table.append("tbody").selectAll("tr").data(data.figures).enter().append("tr");
    lines.append("td").attr("class", "left title").append("a").attr("href", (figure) => "#" + figure.row).text((figure) => figure.title);
    lines.append("td").attr("class", "left title").text((figure) => figure.source);
    verdicts.forEach(function (verdict) {
      lines.append("td").each(function (figure) {
        const found = count(linesOf(figure.row), verdict);
        if (found > 0) chip(d3.select(this), verdict, found);
      });
    });
  }

  // Which comparisons the tables show.
  function addChoice() {
    const label = gallery.append("label").attr("id", "choice").text("Show ");
    const select = label.append("select");
    ["all comparisons"].concat(verdicts).forEach((each, i) => select.append("option").attr("value", i === 0 ? "" : each)
      .text(each));
    select.on("change", function () {
      const wanted = this.value;
      d3.selectAll(".judged tbody tr").style("display", (line) => wanted === "" || line.verdict === wanted ? null : "none");
      if (wanted !== "") d3.selectAll("details.table").attr("open", "");
    });
  }

  function addFigure(figure) {
    const section = gallery.append("section").attr({class: "figure", id: figure.row});
    section.append("h2").text(figure.title);
    section.append("p").attr("class", "note").text(figure.source + ". By itself: ./castor.sh published --row " + figure.row);
    if (figure.says) section.append("p").attr("class", "says").text("Published: " + figure.says);
    const charts = section.append("div").attr("class", "charts");
    figure.charts.forEach(function (chart) {
      const box = charts.append("div");
      box.append("h3").text(chart.title);
      chart.label = chart.title + "; the table of its values stands below it";
      castor.chart(box.node(), chart);
    });
    addTable(section, linesOf(figure.row));
  }

  function addTable(section, lines) {
    const details = section.append("details").attr({class: "table", open: lines.length <= most ? "" : null});
    details.append("summary").text(lines.length === 1 ? "1 comparison" : lines.length + " comparisons");
    const table = details.append("div").attr("class", "wide").append("table").attr("class", "list judged");
    const head = table.append("thead").append("tr");
    ["Verdict", "What", "Published", "Ours", "Off", "Command"].forEach((name) => head.append("th").attr("scope", "col").text(name));
    const rows = table.append("tbody").selectAll("tr").data(lines).enter().append("tr");
    rows.append("td").each(function (line) { chip(d3.select(this), line.verdict, line.verdict); });
    rows.append("td").text((line) => line.quantity);
    rows.append("td").text((line) => line.published);
    rows.append("td").text((line) => line.ours);
    rows.append("td").attr("class", "off").text((line) => line.deviation === "0" ? "" : line.deviation);
    rows.append("td").each(function (line) {
      const more = d3.select(this).append("details");
      more.append("summary").text("command");
      more.append("code").text(line.command);
      if (line.setup) more.append("p").attr("class", "note").text(line.setup);
    });
  }
})();
