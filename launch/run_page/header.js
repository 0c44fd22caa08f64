// Which run it was: command, machine, figures, parameters that differ from their defaults.
castor.run.section({
  id: "run", title: "The run",
  part: (data) => data.profile.run,
  draw: function (parent, run) {
    "use strict";
    const whole = castor.run.whole;
    // As a shell would take it.
    const word = (text) => /^[\w@%+=:,.\/-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
    const live = run.clock === "live";
    const rows = [
      ["Command", run.command.map(word).join(" ")],
      ["Program", run.program],
      ["Clock", live ? "live: the time of the host" : "virtual: the modelled machine's time"],
      ["System", run.system],
      ["Ranks", whole(run.ranks) + " on " + whole(run.nodes) + (run.nodes === 1 ? " node" : " nodes")],
      [live ? "Time" : "Virtual time", d3.format(".9f")(run.seconds).replace(/0+$/, "").replace(/\.$/, "") + " s"]
    ];
    if (run.fingerprint)
      rows.push(["Fingerprint", run.fingerprint + (run.measured ? " (measured)" : "")]);
    rows.push(["Computing", run.measured ? "measured on the host: this run does not repeat exactly"
                          : live ? "the program's own" : "modelled: this run repeats exactly"]);
    rows.push(["Exit code", String(run.exit_code)]);
    castor.run.pairs(parent, rows);
    if (run.exit_code !== 0) parent.select("table").selectAll("tr").filter((row) => row[0] === "Exit code").attr("class", "bad");
    const machine = run.machine.filter((line) => line !== "");
    if (machine.length > 0) {
      const details = parent.append("details").attr("open", "");
      details.append("summary").text("Machine");
      details.append("ul").attr("class", "machine").selectAll("li").data(machine).enter().append("li").text(String);
    }
    const details = parent.append("details").attr("open", run.parameters.length <= 20 ? "" : null);
    details.append("summary").text("Parameters that differ from their defaults (" + run.parameters.length + ")");
    castor.run.table(details, {
      caption: "The system and the launcher set some of them",
      columns: [
        {name: "Variable", left: true, value: (row) => row.name},
        {name: "Value", left: true, value: (row) => row.value},
        {name: "Default", left: true, value: (row) => row.default}
      ], rows: run.parameters});
  }
});
