// How far this host's clock is from the first host's.
#pragma once

#include "corespec/events/event_domain.h"
#include "corespec/job/job.h"
#include "ugni_emu/fabric/links.h"

namespace ugni::fabric {

/// The result of an agreement.
struct ClockAgreement {
  corespec::Time correction;  ///< to be added to this process's clock
  corespec::Time error;       ///< how wrong the worst of all hosts may still be
};

/// Collective. The first process of each host asks that of the first host many times what time it
/// is; of the quickest answers the middle counts, half the round trip is the error. Nothing is
/// asked on one host.
ClockAgreement agree_on_time(corespec::Process& process, corespec::EventDomain& domain,
                             Links& links);

}  // namespace ugni::fabric
