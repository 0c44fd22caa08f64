// What the sections of pages about runs share: their list, tables that sort and filter, texts of numbers.
castor.run = (function () {
  "use strict";
  // CrayPat's groups, what is taken from ranks, and what is left: the same colours in all pictures.
  const colours = {
    "USER": "#0072b2", "MPI": "#e69f00", "ARMCI": "#009e73", "DMAPP": "#cc79a7", "uGNI": "#56b4e9", "PMI": "#8c6d31",
    "SYSTEM": "#9aa3ae", "interrupts": "#d6006c", "progress threads": "#d55e00", "noise": "#7b3294",
    "other threads": "#a6761d", "locks": "#1c2430", "rest": "#dfe3e8"
  };
  const whole = d3.format(",");
  const sections = [];

  // SECTION: {id, title, part: (data) => what it draws, or null, draw: (parent, part, data) => ...}.
  function section(each) { sections.push(each); }

  function draw(data) {
    const parent = d3.select("#sections");
    sections.forEach(function (each) {
      const part = each.part(data);
      if (part === null || part === undefined) return;
      const box = parent.append("section").attr("id", each.id);
      box.append("h2").text(each.title);
      each.draw(box, part, data);
    });
    const links = parent.insert("p", "*").attr("class", "contents");
    parent.selectAll("section").each(function () {
      links.append("a").attr("href", "#" + this.id).text(d3.select(this).select("h2").text());
    });
  }

  // ---- numbers ----------------------------------------------------------------------------------

  // Seconds in one unit for a whole table or picture: "s", "ms" or "µs" by the greatest of them.
  function timeUnit(most) {
    const unit = most >= 1 ? ["s", 1] : most >= 1e-3 ? ["ms", 1e3] : ["\u00b5s", 1e6];
    const digits = d3.format(",." + (most * unit[1] >= 100 ? 2 : 3) + "f");
    return {name: unit[0], tick: (seconds) => String(+(seconds * unit[1]).toPrecision(6)), of: (seconds) => digits(seconds * unit[1]),
            text: (seconds) => digits(seconds * unit[1]) + " " + unit[0]};
  }

  const percent = (share) => d3.format(share > 0 && share < 0.01 ? ".2f" : ".1f")(100 * share) + " %";
  const megabytes = d3.format(",.3f");

  // Like 0-3, 8: of numbers in order.
  function ranges(numbers) {
    const parts = [];
    for (let i = 0; i < numbers.length; ++i) {
      const first = i;
      while (i + 1 < numbers.length && numbers[i + 1] === numbers[i] + 1) ++i;
      parts.push(first === i ? "" + numbers[i] : numbers[first] + "-" + numbers[i]);
    }
    return parts.join(", ");
  }

  // ---- tables -----------------------------------------------------------------------------------

  // table(PARENT, SPEC): SPEC has columns {name, left, value: (row) => what is shown and sorted by, text: (row) =>
  // text, if not the value, title: what the column means}, rows, caption, most: rows shown at first,
  // filter: its hint if readers may filter by text. Returns refresh(rows).
  function table(parent, spec) {
    const most = spec.most || 50;
    let rows = spec.rows, sorted = null, falling = true, shown = most, wanted = "";
    const text = (column, row) => column.text ? column.text(row) : String(column.value(row));
    if (spec.filter) {
      parent.append("input").attr({type: "search", placeholder: spec.filter, "aria-label": spec.filter, class: "filter"})
        .on("input", function () { wanted = this.value.toLowerCase(); fill(); });
    }
    const box = parent.append("div").attr("class", "wide");
    const list = box.append("table").attr("class", "list sortable");
    list.append("caption").attr("class", "left");
    const heads = list.append("thead").append("tr").selectAll("th").data(spec.columns).enter().append("th")
      .attr({scope: "col", class: (column) => column.left ? "left" : null, title: (column) => column.title || null});
    heads.append("button").attr("type", "button").text((column) => column.name).on("click", function (column) {
      falling = sorted === column ? !falling : !column.left;
      sorted = column;
      fill();
    });
    const body = list.append("tbody");
    const more = parent.append("button").attr({type: "button", class: "more"}).on("click", function () {
      shown = Infinity;
      fill();
    });
    fill();
    return function (fresh) { rows = fresh; fill(); };

    function fill() {
      let chosen = rows;
      if (wanted !== "")
        chosen = rows.filter((row) => spec.columns.some((column) => text(column, row).toLowerCase().includes(wanted)));
      if (sorted !== null) {
        const order = falling ? d3.descending : d3.ascending;
        chosen = chosen.slice().sort((a, b) => order(sorted.value(a), sorted.value(b)));
      }
      heads.attr("aria-sort", (column) => column !== sorted ? null : falling ? "descending" : "ascending");
      list.select("caption").text(spec.caption + (wanted !== "" ? ": " + whole(chosen.length) + " of " + whole(rows.length) : ""));
      body.selectAll("*").remove();
      const lines = body.selectAll("tr").data(chosen.slice(0, shown)).enter().append("tr");
      spec.columns.forEach(function (column) {
        lines.append("td").attr("class", column.left ? "left" : null).text((row) => text(column, row));
      });
      more.style("display", chosen.length > shown ? null : "none").text("All " + whole(chosen.length) + " rows");
    }
  }

  // A table that is shown when it is wanted.
  function folded(parent, title, spec) {
    const details = parent.append("details");
    details.append("summary").text(title);
    return table(details, spec);
  }

  const note = (parent, text) => parent.append("p").attr("class", "note").text(text);

  function pairs(parent, rows) {
    const lines = parent.append("table").attr("class", "list facts").selectAll("tr").data(rows).enter().append("tr");
    lines.append("th").attr({scope: "row", class: "left"}).text((row) => row[0]);
    lines.append("td").attr("class", "left").text((row) => row[1]);
  }

  return {colours: colours, whole: whole, section: section, draw: draw, timeUnit: timeUnit, percent: percent,
          megabytes: megabytes, ranges: ranges, table: table, folded: folded, note: note, pairs: pairs};
})();
