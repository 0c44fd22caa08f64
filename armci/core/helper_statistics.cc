// What a helper thread counts.
#include "armci/core/helper_statistics.h"

#include <fmt/format.h>

namespace armci {

void HelperStatistics::count(const RequestHeader& header, std::int64_t bytes) {
  ++requests;
  const bool eager = (header.flags & request_flag::eager) != 0;
  switch (header.kind) {
    case Kind::put:
      ++(eager ? eager_puts : rendezvous_puts);
      bytes_in += static_cast<std::uint64_t>(bytes);
      break;
    case Kind::accumulate:
      ++(eager ? eager_accumulates : rendezvous_accumulates);
      bytes_in += static_cast<std::uint64_t>(bytes);
      break;
    case Kind::get:
      ++gets;
      bytes_out += static_cast<std::uint64_t>(bytes);
      break;
    case Kind::read_modify_write:
      ++read_modify_writes;
      break;
    case Kind::lock:
    case Kind::unlock:
      ++locks;
      break;
    case Kind::stop:
      break;
  }
}

std::string HelperStatistics::text() const {
  return fmt::format(
      "requests {} puts_eager {} puts_rendezvous {} accumulates_eager {} accumulates_rendezvous {} "
      "gets {} read_modify_writes {} locks {} bytes_in {} bytes_out {} wake_ups {} busy_us {:.3f} "
      "waiting_us {:.3f} cpu_us {:.3f}",
      requests, eager_puts, rendezvous_puts, eager_accumulates, rendezvous_accumulates, gets,
      read_modify_writes, locks, bytes_in, bytes_out, wake_ups, (ended - begun - waited).us(),
      waited.us(), cpu_time.us());
}

}  // namespace armci
