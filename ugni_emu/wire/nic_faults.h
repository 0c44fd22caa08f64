// What goes wrong at a NIC's own resources, where a wire around the network says so.
#pragma once

#include "ugni_emu/wire/wire.h"

namespace ugni {

/// Asked by one NIC, from within its domain: once each time such a thing happens.
class NicFaults {
 public:
  virtual ~NicFaults() = default;

  /// A post or message to `target`: for how long the NIC has no room for it; 0: it has.
  virtual corespec::Time refuses_post(TransactionKind kind, NicAddress target) = 0;
  /// A message (SMSG, MSGQ), or its next try: it is lost on its way.
  virtual bool loses_message(NicAddress target) = 0;
  /// False: it never does, nor do messages fail.
  virtual bool may_lose_messages() const = 0;
  /// A registration of memory: as if there were no MDH left.
  virtual bool refuses_registration() = 0;
  /// An event from `source` for a queue: as if that were full.
  virtual bool drops_event(NicAddress source) = 0;
};

}  // namespace ugni
