// Runs MPI jobs on modelled nodes; collects what their devices counted and reported.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "corespec/time/time.h"
#include "netmod/device/messages/device_statistics.h"
#include "netmod/include/mpi.h"
#include "tests/support/virtual_job.h"
#include "ugni_emu/doors/doors.h"

namespace castor_test {

/// Rank `rank`'s element `i`: small whole numbers, so that sums and products are exact.
inline std::int64_t element(int rank, int i) { return (rank * 31 + i * 7) % 10 + 1; }

/// What a rank's device and NIC handle have counted so far.
struct Counts {
  netmod::DeviceStatistics device;
  doors::NicStatistics nic;
};

/// The calling rank's; MPI must be running.
Counts counts_now();

/// Messages sent, between nodes and within.
struct Messages {
  std::uint64_t between = 0;
  std::uint64_t within = 0;
  bool operator==(const Messages&) const = default;
};
void PrintTo(const Messages& messages, std::ostream* out);

/// What all ranks together send in `call`, which each of them calls; each gets the sum. Collective
/// over MPI_COMM_WORLD.
Messages messages_of(const std::function<void()>& call);

struct MpiOutcome {
  JobOutcome job;
  std::string errors;          ///< the job's standard error
  std::vector<Counts> counts;  ///< by rank, when its body had ended
  /// By rank: the numbers of its line of progress statistics (empty without one).
  std::vector<std::map<std::string, double>> report;
};

/// MPI_Init_thread(level), body(rank), MPI_Finalize on every rank. Fails the test on a deadlock,
/// an abort, or a rank that does not reach its end.
MpiOutcome run_mpi(const launch::JobRequest& request, const std::function<void(int rank)>& body,
                   int level = MPI_THREAD_SINGLE);

/// The same for jobs that are expected to abort: nothing is checked.
MpiOutcome run_mpi_unchecked(const launch::JobRequest& request,
                             const std::function<void(int rank)>& body,
                             int level = MPI_THREAD_SINGLE);

/// The progress designs.
enum class Design { none, phase_one, phase_two, active };
inline const std::vector<Design> all_designs{Design::none, Design::phase_one, Design::phase_two,
                                             Design::active};
const char* name_of(Design design);
/// Adds the settings that ask for a design, and for its statistics.
launch::JobRequest with_design(launch::JobRequest request, Design design);
inline launch::JobRequest with(launch::JobRequest request, const std::string& name,
                               const std::string& value) {
  request.settings.emplace_back(name, value);
  return request;
}

/// Bytes that depend on `seed` and position only.
void fill(std::byte* data, std::size_t bytes, std::uint64_t seed);
/// Position of the first byte that is not fill()'s; `bytes` if all are.
std::size_t first_wrong(const std::byte* data, std::size_t bytes, std::uint64_t seed);

/// A buffer at a given distance from a 64-byte boundary, between guard bytes.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes, std::size_t offset = 0);
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(Buffer&&) noexcept = default;
  std::byte* data() { return data_; }
  std::size_t size() const { return bytes_; }
  void fill(std::uint64_t seed) { castor_test::fill(data_, bytes_, seed); }
  /// True if the first `bytes` are fill(seed)'s.
  bool holds(std::uint64_t seed, std::size_t bytes) const {
    return first_wrong(data_, bytes, seed) == bytes;
  }
  bool holds(std::uint64_t seed) const { return holds(seed, bytes_); }
  /// True if nothing was written from `bytes` on, the guards before and behind included.
  bool untouched_from(std::size_t bytes = 0) const;
  bool guards_intact() const { return untouched_from(bytes_); }

 private:
  std::vector<std::byte> storage_;
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

/// On MPI_COMM_WORLD: what each rank gives, by rank.
std::vector<std::int64_t> gathered(std::int64_t own);

/// The calling thread's clock, the same for all ranks of a job; and computing for a while.
corespec::Time clock_now();
void compute(corespec::Time duration);
inline void compute_us(double us) { compute(corespec::Time::microseconds(us)); }

/// One message of `bytes` from rank 0 to rank 1 with tag 5, contents and status checked.
void one_message(int rank, std::size_t bytes, std::size_t send_offset = 0,
                 std::size_t receive_offset = 0, bool synchronous = false);

}  // namespace castor_test
