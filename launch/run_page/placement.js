// Which ranks were on which node, and where the nodes are in the network.
castor.run.section({
  id: "placement", title: "Placement",
  part: (data) => data.profile.run,
  draw: function (parent, run, data) {
    "use strict";
    const mostSquares = 20000;
    const network = data.positions || {shape: "", router: "router", axes: [], nodes: []};
    const positions = new Map(network.nodes.map((row) => [row[0], row[1]]));
    const nodes = gather();
    // Nodes of one router share its place.
    const mates = d3.nest().key((node) => node.place ? node.place.join() : node.nid).map(nodes, d3.map);
    mates.forEach(function (key, all) {
      all.sort((a, b) => a.nid - b.nid).forEach(function (node, i) { node.part = i; node.parts = all.length; });
    });

    const most = d3.max(nodes, (node) => node.ranks.length), least = d3.min(nodes, (node) => node.ranks.length);
    castor.run.note(parent, nodes.length + (nodes.length === 1 ? " node with " : " nodes with ") +
      (most === least ? most : least + " to " + most) + (most === 1 ? " rank" : " ranks") +
      (nodes.length > 1 ? " each. A square is a node, its colour the lowest rank on it." : "."));
    if (nodes.length > mostSquares) {
      castor.run.note(parent, "There are too many nodes for a picture.");
    } else if (nodes.length > 1) {
      drawPicture();
    }
    castor.run.folded(parent, "Nodes and their ranks", {
      caption: "Nodes", filter: "Node or rank", most: 50,
      columns: [
        {name: "Node (nid)", value: (node) => node.nid},
        {name: network.router[0].toUpperCase() + network.router.slice(1) + " (" + network.axes.join(", ") + ")", left: true, value: (node) => node.place ? "(" + node.place.join(", ") + ")" : ""},
        {name: "Ranks", value: (node) => node.ranks.length},
        {name: "Which", left: true, value: (node) => castor.run.ranges(node.ranks)}
      ], rows: nodes});

    function gather() {
      const byNid = new Map();
      run.nid_of_rank.forEach(function (nid, rank) {
        if (!byNid.has(nid)) byNid.set(nid, {nid: nid, place: positions.get(nid), ranks: []});
        byNid.get(nid).ranks.push(rank);
      });
      return Array.from(byNid.values()).sort((a, b) => a.nid - b.nid);
    }

    // A place for each node: [column, row, slice]. Without coordinates the nodes stand in order.
    function grid() {
      if (nodes.every((node) => node.place && node.place.length === 3)) {
        const low = [0, 1, 2].map((d) => d3.min(nodes, (node) => node.place[d]));
        const high = [0, 1, 2].map((d) => d3.max(nodes, (node) => node.place[d]));
        return {slices: d3.range(low[2], high[2] + 1), low: low, columns: high[0] - low[0] + 1, rows: high[1] - low[1] + 1,
                at: (node) => [node.place[0] - low[0], high[1] - node.place[1], node.place[2] - low[2]], placed: true};
      }
      const columns = Math.min(nodes.length, 64);
      nodes.forEach(function (node, i) { node.order = i; node.part = 0; node.parts = 1; });
      return {slices: [0], columns: columns, rows: Math.ceil(nodes.length / columns), low: [0, 0, 0],
              at: (node) => [node.order % columns, Math.floor(node.order / columns), 0], placed: false};
    }

    function drawPicture() {
      const shape = grid(), gap = 14, label = 15, room = 1100;
      const cell = Math.max(6, Math.min(26, Math.floor(room / (shape.columns * Math.min(shape.slices.length, 6)) - 2)));
      const width = Math.max(34, shape.columns * cell), height = shape.rows * cell;
      const across = Math.max(1, Math.min(shape.slices.length, Math.floor((room + gap) / (width + gap))));
      const all = {width: across * (width + gap), height: Math.ceil(shape.slices.length / across) * (height + label + 6)};
      if (shape.placed) {
        castor.run.note(parent, "Their places in the " + network.shape + ": " + network.axes[0] + " to the right from " + shape.low[0] + ", " +
                        network.axes[1] + " upwards from " + shape.low[1] + ", a grid for each " + network.axes[2] +
                        ". The nodes of one " + network.router + " share a cell.");
      }
      const colour = d3.scale.linear().domain([0, Math.max(1, run.ranks - 1) / 2, Math.max(1, run.ranks - 1)])
        .range(["#0072b2", "#7fcdbb", "#e69f00"]).interpolate(d3.interpolateLab);
      const svg = parent.append("svg").attr({class: "places", width: all.width, height: all.height, role: "img",
        viewBox: "-1 0 " + (all.width + 2) + " " + all.height, "aria-label": "Where the ranks are; the table below says the same"});
      const slices = svg.selectAll("g").data(shape.slices).enter().append("g")
        .attr("transform", (z, i) => "translate(" + (i % across) * (width + gap) + "," + Math.floor(i / across) * (height + label + 6) + ")");
      if (shape.placed) slices.append("text").attr("y", label - 4).text((z) => network.axes[2] + " " + z);
      slices.append("rect").attr({class: "ground", y: label, width: shape.columns * cell, height: height});
      const bySlice = shape.slices.map(() => []);
      nodes.forEach((node) => bySlice[shape.at(node)[2]].push(node));
      const squares = slices.selectAll("rect.node").data((z, i) => bySlice[i]).enter().append("rect");
      squares.attr({class: "node mark", height: cell - 1, fill: (node) => colour(node.ranks[0])})
        .attr("width", (node) => cell / node.parts - 1)
        .attr("x", (node) => shape.at(node)[0] * cell + node.part * cell / node.parts)
        .attr("y", (node) => label + shape.at(node)[1] * cell);
      squares.on("mousemove", function (node) {
        const rows = [["ranks", short(castor.run.ranges(node.ranks))], ["how many", castor.run.whole(node.ranks.length)]];
        if (node.place) rows.unshift([network.router, "(" + node.place.join(", ") + ")"]);
        castor.tip.show("Node " + node.nid, rows);
      }).on("mouseleave", castor.tip.hide);
    }

    function short(text) { return text.length > 60 ? text.slice(0, 57) + "..." : text; }
  }
});
