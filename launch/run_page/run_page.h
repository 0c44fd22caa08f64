// The page of HTML about a run: aprun --report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace launch {

/// What the page shows. Sections whose part is null are left out; `profile` always is there.
struct RunPageParts {
  nlohmann::ordered_json profile;     ///< profile_json()
  nlohmann::ordered_json timeline;    ///< TimelineTable::json(), with window_json() as "window"
  nlohmann::ordered_json counters;    ///< "castor counters 1" (docs/counters.md)
  nlohmann::ordered_json rank_calls;  ///< rank_calls_json()
  nlohmann::ordered_json positions;   ///< positions_json(); null: not known
  nlohmann::ordered_json telemetry;   ///< "castor telemetry 1" (docs/telemetry.md)
};

/// The whole page; it needs no other file and no network. The same parts give the same bytes.
std::string run_page(const RunPageParts& parts);

}  // namespace launch
