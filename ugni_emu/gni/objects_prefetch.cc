// What each GNI call touches of a rank's objects, prefetched.
#include "corespec/events/prefetch_lines.h"
#include "ugni_emu/gni/objects.h"

namespace gni {

bool Objects::prefetch(corespec::Upcoming, unsigned, corespec::LineRequests& lines) const {
  lines.add(this, 2);
  return false;
}

}  // namespace gni
