// Telemetry's part that libraries of messages take: which message a command is for.
#pragma once

#include "ugni_emu/telemetry/endpoint_log.h"

namespace doors {

using telemetry::EndpointLog;
using telemetry::Operation;

}  // namespace doors
