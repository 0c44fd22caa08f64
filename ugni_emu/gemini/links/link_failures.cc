// A schedule of failures: read, drawn, and asked.
#include "ugni_emu/gemini/links/link_failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "corespec/random/random_stream.h"

namespace gemini {
namespace {

using corespec::Statement;
using corespec::Time;

constexpr std::int64_t most_seed = std::int64_t{1} << 53;
constexpr std::uint64_t draw_stream = 0x6C696E6B73;

std::vector<unsigned> numbers_of(std::string_view text) {
  std::vector<unsigned> numbers;
  while (true) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return numbers;
    if (text.front() != ',') return {};
    text.remove_prefix(1);
  }
}

/// `required` is what a statement cannot be without.
template <typename Value>
Value required(Statement& statement, const char* key, std::optional<Value> value) {
  if (!value) statement.refuse(fmt::format("{}= is missing", key));
  return *value;
}

RouterId router_at(Statement& statement, const Topology& topology) {
  const auto place = required(statement, "router", statement.text("router"));
  const std::vector<unsigned> numbers = numbers_of(place);
  if (numbers.size() == 1 && numbers.front() < topology.routers()) return numbers.front();
  for (RouterId router = 0; router < topology.routers() && numbers.size() > 1; ++router) {
    if (topology.position(router) == numbers) return router;
  }
  statement.refuse(fmt::format("router={}: the {} has routers 0 to {}{}", place, topology.title(),
                               topology.routers() - 1,
                               topology.position(0).size() > 1 ? ", or their coordinates" : ""));
}

Port port_at(Statement& statement, const Topology& topology) {
  const RouterId router = router_at(statement, topology);
  const auto name = required(statement, "link", statement.text("link"));
  std::vector<std::string_view> known;
  for (unsigned link = 0; link < topology.links_per_router(); ++link) {
    const Port port{router, static_cast<std::uint8_t>(link)};
    if (!topology.has_link(port)) continue;
    if (topology.link_name(link) == name) return port;
    known.push_back(topology.link_name(link));
  }
  statement.refuse(fmt::format("link={}: router {} has {}", name, router, fmt::join(known, ", ")));
}

/// Each link of a network once, by one of its ends.
std::vector<Port> all_links(const Topology& topology) {
  std::vector<Port> links;
  for (RouterId router = 0; router < topology.routers(); ++router) {
    for (unsigned link = 0; link < topology.links_per_router(); ++link) {
      const Port port{router, static_cast<std::uint8_t>(link)};
      const Port far = topology.far_end(port);
      if (far == port) continue;
      const bool is_first = far.router > router || (far.router == router && far.link > link);
      if (is_first) links.push_back(port);
    }
  }
  return links;
}

}  // namespace

bool LinkFailures::is_statement(std::string_view name) {
  return name == "link-down" || name == "links-down";
}

LinkFailures::LinkFailures(const Topology& topology, const std::string& value, Time reroute)
    : LinkFailures(topology,
                   value.empty() ? std::vector<Statement>()
                                 : corespec::read_statements("CASTOR_LINK_FAILURES", value),
                   reroute) {}

LinkFailures::LinkFailures(const Topology& topology, std::vector<Statement> statements,
                           Time reroute)
    : topology_(topology), reroute_(reroute) {
  for (Statement& statement : statements) {
    if (statement.name() == "link-down") {
      const Port port = port_at(statement, topology);
      const Time at = required(statement, "at", statement.time("at"));
      const Time until = statement.time("until").value_or(Time::max());
      statement.end();
      if (until <= at) statement.refuse("until is not later than at");
      add(port, {at, until});
    } else if (statement.name() == "links-down") {
      std::vector<Port> links = all_links(topology);
      const auto count =
          required(statement, "count",
                   statement.number("count", 0, static_cast<std::int64_t>(links.size())));
      const auto seed = required(statement, "seed", statement.number("seed", 0, most_seed));
      const Time at = statement.time("at").value_or(Time());
      const Time until = required(statement, "until", statement.time("until"));
      const std::optional<Time> lasting = statement.time("for");
      statement.end();
      if (until <= at) statement.refuse("until is not later than at");
      corespec::RandomStream random(static_cast<std::uint64_t>(seed), draw_stream);
      for (std::int64_t drawn = 0; drawn < count; ++drawn) {
        const std::uint64_t which = random.below(links.size());
        const auto ahead = random.below(static_cast<std::uint64_t>((until - at).ps()));
        const Time begin = at + Time::picoseconds(static_cast<std::int64_t>(ahead));
        add(links[which], {begin, lasting ? begin + *lasting : Time::max()});
        links[which] = links.back();
        links.pop_back();
      }
    } else {
      statement.refuse("link-down and links-down are allowed");
    }
  }
  std::sort(any_.begin(), any_.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  Spans apart;
  for (const Span& span : any_) {
    if (apart.empty() || span.begin > apart.back().end) {
      apart.push_back(span);
    } else {
      apart.back().end = std::max(apart.back().end, span.end);
    }
  }
  any_ = std::move(apart);
}

void LinkFailures::add(Port port, Span span) {
  if (spans_of_.empty()) {
    spans_of_.resize(std::size_t{topology_.routers()} * topology_.links_per_router());
  }
  std::uint32_t& place = spans_of_[index_of(port)];
  if (place == 0) {
    spans_.emplace_back();
    place = static_cast<std::uint32_t>(spans_.size());
    spans_of_[index_of(topology_.far_end(port))] = place;
  }
  spans_[place - 1].push_back(span);
  any_.push_back(span);
}

bool LinkFailures::meets(const Spans& spans, Time from, Time until) {
  return std::any_of(spans.begin(), spans.end(),
                     [&](const Span& span) { return span.begin <= until && from < span.end; });
}

bool LinkFailures::down(Port port, Time from, Time until) const {
  if (spans_of_.empty()) return false;
  const std::uint32_t place = spans_of_[index_of(port)];
  return place != 0 && meets(spans_[place - 1], from, until);
}

std::optional<RouteWord> LinkFailures::route(RouterId from, RouterId to, Time now) const {
  const Time known = now - reroute_;
  if (known < Time() || !meets(any_, known, known)) return topology_.route(from, to);
  return topology_.route_around(from, to, [&](Port port) { return !down(port, known, known); });
}

}  // namespace gemini
