// What a helper thread counts, for CASTOR_ARMCI_CHT_STATS.
#pragma once

#include <cstdint>
#include <string>

#include "armci/core/helper_request.h"
#include "corespec/time/time.h"

namespace armci {

struct HelperStatistics {
  std::uint64_t requests = 0;
  std::uint64_t eager_puts = 0;       ///< the data came along ...
  std::uint64_t rendezvous_puts = 0;  ///< ... or were fetched
  std::uint64_t eager_accumulates = 0;
  std::uint64_t rendezvous_accumulates = 0;
  std::uint64_t gets = 0;
  std::uint64_t read_modify_writes = 0;
  std::uint64_t locks = 0;      ///< and unlocks
  std::uint64_t bytes_in = 0;   ///< of puts and accumulates
  std::uint64_t bytes_out = 0;  ///< of gets
  std::uint64_t wake_ups = 0;   ///< from sleep
  corespec::Time begun, ended;
  corespec::Time waited;    ///< asleep, or polling in vain; of a shared CPU others' turns, too
  corespec::Time cpu_time;  ///< used, polling included

  /// A request that is about to be done, with so many bytes of data.
  void count(const RequestHeader& header, std::int64_t bytes);
  /// One line: words and numbers.
  std::string text() const;
};

}  // namespace armci
