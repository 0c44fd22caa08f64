// The tables of all kinds, as one.
#include "apps/traces/replay/replayed_calls.h"

#include <map>

namespace replay {

Make find_make(dumpi::Label label) {
  static const std::map<dumpi::Label, Make> all = [] {
    std::map<dumpi::Label, Make> made;
    for (const auto& table : {message_calls(), completion_calls(), collective_calls(),
                              object_calls(), one_sided_calls(), local_calls()}) {
      for (const ReplayedCall& each : table) made[each.label] = each.make;
    }
    return made;
  }();
  const auto found = all.find(label);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace replay
