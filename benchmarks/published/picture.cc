// Our curves and bars beside what a figure says, as chart.js draws them.
#include "benchmarks/published/picture.h"

#include <utility>

namespace published {
namespace {

/// Every string of it with its variables filled in.
Json filled(const Json& node, const Scope& scope) {
  if (node.is_string()) return scope.fill(node);
  if (!node.is_structured()) return node;
  Json out = node;
  for (auto& [name, value] : out.items()) value = filled(value, scope);
  return out;
}

/// A number if it is one.
Json number_or_text(const std::string& text) {
  return is_number(text) ? Json(Value(text).number) : Json(text);
}

}  // namespace

Picture::Picture(const Json& node, const Json& definitions, const Scope& scope) {
  for (const char* const name : {"title", "x", "y", "bands", "lines"}) {
    if (node.contains(name)) chart_[name] = filled(node[name], scope);
  }
  for (const Json& each : node.at("series")) {
    scope.for_each(each,
                   [&](const Scope& inner) { add_series(each, definitions, inner.with(each)); });
  }
}

void Picture::add_series(const Json& node, const Json& definitions, const Scope& scope) {
  Series series;
  for (const char* const name : {"name", "kind", "colour", "dash", "points"}) {
    if (node.contains(name)) series.chart[name] = filled(node[name], scope);
  }
  series.x = text_at(node, "x", "msgsize");
  if (node.contains("each")) {
    Json loop = Json::object();
    loop["for"] = node["each"];
    scope.for_each(loop, [&](const Scope& inner) {
      Point point{number_or_text(inner.fill(series.x)), "y", {}};
      if (node.at("y").is_object()) {
        point.values.push_back({"y", "", read_source(node["y"], definitions, inner)});
      } else {
        point.values = read_values(node, definitions, inner);
        point.y = inner.fill(text_at(node, "y"));
      }
      series.points.push_back(std::move(point));
    });
  } else if (!node.contains("points")) {
    Json source = node;
    source.erase("for");
    series.curve = read_source(source, definitions, scope);
  }
  series_.push_back(std::move(series));
}

void Picture::add_commands(std::vector<Command>& commands) const {
  const auto add = [&](const Source& source) {
    for (const SourcePart& part : source.parts) commands.push_back(part.command);
  };
  for (const Series& each : series_) {
    add(each.curve);
    for (const Point& point : each.points) {
      for (const NamedValue& value : point.values) add(value.source);
    }
  }
}

Json Picture::drawn(const Runs& runs) const {
  Json chart = chart_;
  chart["series"] = Json::array();
  for (const Series& each : series_) {
    Json series = each.chart;
    if (!each.curve.parts.empty()) {
      const Values x = values_of(each.curve, runs, each.x), y = values_of(each.curve, runs);
      for (std::size_t i = 0; i < x.size(); ++i) {
        series["points"].push_back({x[i].number, y[i].number});
      }
    }
    for (const Point& point : each.points) {
      const Values y = evaluate(point.y, evaluate(point.values, runs));
      series["points"].push_back({point.x, y.front().number});
    }
    chart["series"].push_back(std::move(series));
  }
  return chart;
}

}  // namespace published
