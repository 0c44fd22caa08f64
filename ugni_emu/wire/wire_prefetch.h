// What a wire tells its client of an arrival ahead of time, so that the client can prefetch.
#pragma once

#include <cstdint>

#include "corespec/events/prefetch.h"
#include "ugni_emu/wire/wire.h"

namespace ugni {

/// WireClient::request_arrived() or response_arrived() of a segment of `transaction`.
struct UpcomingArrival {
  const Transaction& transaction;
  bool request;

  explicit UpcomingArrival(const Transaction& of, bool is_request)
      : transaction(of), request(is_request) {}
  explicit UpcomingArrival(corespec::Upcoming what)
      : transaction(*reinterpret_cast<const Transaction*>(what.arg & ~std::uint64_t{1})),
        request((what.arg & 1) != 0) {}

  corespec::Upcoming upcoming() const {
    static_assert(alignof(Transaction) > 1);
    return {corespec::Upcoming::Kind::arrival,
            reinterpret_cast<std::uint64_t>(&transaction) | (request ? 1 : 0)};
  }
};

}  // namespace ugni
