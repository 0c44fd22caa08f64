// Our curves and bars beside what a figure says, as chart.js draws them.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/published/comparison.h"

namespace published {

/// One chart's description: title, x and y (axes of chart.js), bands, lines, and series. A series
/// has a name, kind and colour of chart.js and
///
///   a source      its column over another, x (msgsize), row by row
///   points        what was published: [[x, y], ...]
///   each          {variable: [word, ...]}: a point each, at the text x; its y is an expression of
///   values,
///                 or a source
class Picture {
 public:
  Picture(const Json& node, const Json& definitions, const Scope& scope);

  /// Its runs, added to others.
  void add_commands(std::vector<Command>& commands) const;

  /// As chart.js takes it.
  [[nodiscard]] Json drawn(const Runs& runs) const;

 private:
  struct Point {
    Json x;
    std::string y;
    std::vector<NamedValue> values;
  };
  struct Series {
    Json chart;  ///< name, kind, colour and published points
    std::string x;
    Source curve;
    std::vector<Point> points;
  };
  void add_series(const Json& node, const Json& definitions, const Scope& scope);

  Json chart_;
  std::vector<Series> series_;
};

}  // namespace published
