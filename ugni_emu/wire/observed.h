// What an observer is told of a transaction.
#pragma once

#include <cstdint>

#include "corespec/events/observer.h"
#include "ugni_emu/wire/wire.h"

namespace ugni {

/// A piece of `bytes` bytes of it, or all of it, at `place`; service from `begin` to `end`.
inline corespec::Occurrence observed(corespec::Occurrence::Kind kind,
                                     const Transaction& transaction, std::uint32_t place,
                                     std::uint64_t bytes, corespec::Time begin,
                                     corespec::Time end) {
  corespec::Occurrence made{kind};
  made.place = place;
  made.begin = begin;
  made.end = end;
  made.source = transaction.source;
  made.target = transaction.target;
  made.key = transaction.initiator_key;
  made.bytes = bytes;
  return made;
}

}  // namespace ugni
