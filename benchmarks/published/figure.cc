// A published figure or table: a data file's comparisons and charts.
#include "benchmarks/published/figure.h"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <utility>

namespace published {
namespace {

Json merged(const Json& common, const Json& own, const char* name) {
  Json all = common.value(name, Json::object());
  all.update(own.value(name, Json::object()));
  return all;
}

/// Calls `leaf` for every node of a list, with the values of those around it.
using Leaf = std::function<void(const Json&, const Scope&, const std::vector<NamedValue>&)>;
void walk(const Json& list, const Json& definitions, const Scope& scope,
          const std::vector<NamedValue>& outer, const Leaf& leaf) {
  for (const Json& node : list) {
    scope.for_each(node, [&](const Scope& inner) {
      const Scope own = inner.with(node);
      std::vector<NamedValue> values = outer;
      for (NamedValue& each : read_values(node, definitions, own)) {
        values.push_back(std::move(each));
      }
      if (node.contains("do")) {
        walk(node["do"], definitions, own, values, leaf);
      } else {
        leaf(node, own, values);
      }
    });
  }
}

}  // namespace

Json read_json(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw DataError(fmt::format("{} cannot be read", file.string()));
  return Json::parse(stream);
}

Figure::Figure(const std::filesystem::path& file, const Json& common) try {
  const Json node = read_json(file);
  row = node.at("row");
  title = node.at("title");
  source = node.at("source");
  group = node.value("group", "");
  says = node.value("says", "");
  setup = node.value("setup", "");
  together = node.value("together", std::size_t{0});
  sets = merged(common, node, "sets");
  definitions = merged(common, node, "definitions");
  const Scope scope(sets);
  const Json made = node.value("files", Json::object());
  for (const auto& [name, command] : made.items()) {
    files.emplace_back(name, command);
  }
  walk(node.at("comparisons"), definitions, scope, {},
       [&](const Json& each, const Scope& own, const std::vector<NamedValue>& values) {
         comparisons.emplace_back(each, own, values);
       });
  walk(node.value("charts", Json::array()), definitions, scope, {},
       [&](const Json& each, const Scope& own, const std::vector<NamedValue>&) {
         charts.emplace_back(each, definitions, own);
       });
} catch (const std::exception& error) {
  throw DataError(fmt::format("{}: {}", file.filename().string(), error.what()));
}

}  // namespace published
