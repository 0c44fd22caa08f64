// What telemetry has found, as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "launch/telemetry/telemetry_data.h"

namespace launch {

/// Counts; the call sites whose commands took longest; the components where marked packets waited;
/// the path with the longest delay, step by step.
std::string telemetry_text(const TelemetryData& data);

/// A line for each path (docs/telemetry.md).
std::string telemetry_csv(const TelemetryData& data);

/// "castor telemetry 1" (docs/telemetry.md).
nlohmann::ordered_json telemetry_json(const TelemetryData& data);

}  // namespace launch
