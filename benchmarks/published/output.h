// Prints comparisons as text, CSV or JSON.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/published/figure.h"

namespace published {

/// A row that has been judged.
struct Judged {
  const Figure* figure;
  std::vector<Result> results;
};

std::string as_text(const Judged& row);
std::string csv_head();
std::string as_csv(const Judged& row);

/// {"published": [comparisons], "figures": [their charts]}
std::string as_json(const std::vector<Judged>& rows, const Runs& runs);

/// How many are PASS, OUTSIDE and SHOWN.
std::string summary(const std::vector<Judged>& rows);

}  // namespace published
