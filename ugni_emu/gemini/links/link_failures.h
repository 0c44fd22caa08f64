// Which links of a network fail when, and the routes that are left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/config/statements.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// A schedule of failures. A link fails as a whole, in both directions, and comes back or not. What
/// the schedule says is known before the run, so that each router reads from it how its own links
/// are. Never changed after the constructor.
///
/// Statements (corespec/config/statements.h):
///
///   link-down router=PLACE link=NAME at=TIME [until=TIME]
///   links-down count=NUMBER seed=NUMBER [at=TIME] until=TIME [for=TIME]
///
/// PLACE is a router's number or its coordinates with commas between them, NAME as link_name()
/// says. The second one draws so many links, and for each when it fails, from `at` (0) to `until`;
/// it comes back after `for`, or not at all.
class LinkFailures {
 public:
  /// `statements`: none: no failure. `reroute`: how long after a failure or a repair the NICs'
  /// routes follow. Throws std::invalid_argument.
  LinkFailures(const Topology& topology, std::vector<corespec::Statement> statements,
               corespec::Time reroute);
  /// The same of a value of CASTOR_LINK_FAILURES: statements or the name of a file.
  LinkFailures(const Topology& topology, const std::string& value, corespec::Time reroute);

  /// True of the names of these statements.
  static bool is_statement(std::string_view name);

  bool none() const { return spans_.empty(); }

  /// Whether the link, which there is, is down at some time from `from` to `until`.
  bool down(Port port, corespec::Time from, corespec::Time until) const;

  /// The way that a NIC's packet takes which leaves at `now`; nothing: there is none.
  std::optional<RouteWord> route(RouterId from, RouterId to, corespec::Time now) const;

 private:
  struct Span {
    corespec::Time begin, end;
  };
  using Spans = std::vector<Span>;
  std::size_t index_of(Port port) const {
    return std::size_t{port.router} * topology_.links_per_router() + port.link;
  }
  void add(Port port, Span span);
  static bool meets(const Spans& spans, corespec::Time from, corespec::Time until);

  const Topology& topology_;
  corespec::Time reroute_;
  std::vector<std::uint32_t> spans_of_;  ///< by port: a place in spans_, from 1; 0: it never fails
  std::vector<Spans> spans_;             ///< of a link
  Spans any_;                            ///< when some link is down, in order and apart
};

}  // namespace gemini
