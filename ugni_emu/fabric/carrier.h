// What the two sides of the wire, initiator and target, work with.
#pragma once

#include "corespec/events/event_domain.h"
#include "ugni_emu/fabric/acknowledgements.h"
#include "ugni_emu/fabric/delays.h"
#include "ugni_emu/fabric/domain_table.h"
#include "ugni_emu/fabric/links.h"
#include "ugni_emu/fabric/region_owners.h"
#include "ugni_emu/fabric/validate.h"
#include "ugni_emu/wire/wire.h"

namespace ugni::fabric {

/// One process's end of the wire: what its parts share.
struct Carrier {
  corespec::EventDomain& domain;
  corespec::EventSource& source;
  PayloadPool& payloads;
  Links& links;
  Delays& delays;
  DomainTable& domains;
  RegionOwners& regions;
  Acknowledgements& acknowledgements;
  FaultClient& faults;
  WireClient* client = nullptr;  ///< the process's NIC

  /// The time of something that happens now. Where nothing is held for its modelled time it is all
  /// the same, and costs no look at the clock: zero.
  corespec::Time now() const { return delays.modelled() ? domain.now() : corespec::Time(); }
  bool has_come(corespec::Time due) const { return due <= corespec::Time() || due <= domain.now(); }

  int rank() const { return links.layout().rank; }
  NicAddress nid() const { return static_cast<NicAddress>(links.layout().nid_of(rank())); }
};

/// Data that is worth an RMA of its own; less goes in messages.
inline constexpr std::uint64_t direct_from = 8192 + 1;

}  // namespace ugni::fabric
