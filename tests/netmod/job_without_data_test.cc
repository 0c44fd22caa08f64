// Memory without data: messages of it are those of ordinary memory but for the bytes; what would
// look at them is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>
#include <tuple>

#include "corespec/host/without_data.h"
#include "tests/netmod/job_support.h"
#include "tests/support/test_clock.h"

namespace castor_test {
namespace {

enum class Kind { with_data, without_data };

/// MPI_Alloc_mem's, of either kind.
class AllocatedMemory {
 public:
  AllocatedMemory(std::size_t bytes, Kind kind) {
    MPI_Info info;  // for both: calls take time
    MPI_Info_create(&info);
    MPI_Info_set(info, kind == Kind::without_data ? "castor_data" : "another", "none");
    EXPECT_EQ(MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), info, &base_), MPI_SUCCESS);
    MPI_Info_free(&info);
    if (kind == Kind::with_data) std::memset(base_, 0x5A, bytes);  // nothing that compresses
    EXPECT_EQ(corespec::without_data::holds(base_), kind == Kind::without_data && !live_clock());
  }
  AllocatedMemory(const AllocatedMemory&) = delete;
  AllocatedMemory& operator=(const AllocatedMemory&) = delete;
  ~AllocatedMemory() { MPI_Free_mem(base_); }
  std::byte* at(std::size_t offset = 0) const { return base_ + offset; }

 private:
  std::byte* base_ = nullptr;
};

const std::vector<std::size_t> sizes{1,    16,    100,   1024,   1025,   4000,   8191,
                                     8192, 20000, 65535, 416160, 524287, 524288, 1100001};

struct Print {
  std::uint64_t fingerprint = 0, events = 0;
  std::int64_t time = 0;
  bool operator==(const Print&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Print& print) {
  return out << std::hex << print.fingerprint << std::dec << ", " << print.events << " events, "
             << print.time << " ps";
}

/// Every size by blocking, non-blocking and synchronous sends, to the next rank and to itself,
/// expected and not, with and without an address that a GET can read.
Print exchange_of(const launch::JobRequest& request, Kind kind) {
  const MpiOutcome outcome = run_mpi(request, [kind](int rank) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const AllocatedMemory out(sizes.back() + 4, kind);
    const AllocatedMemory in(sizes.back() + 4, kind);
    for (const std::size_t bytes : sizes) {
      const int count = static_cast<int>(bytes);
      for (const int step : {1, 0}) {
        for (const bool expected : {true, false}) {
          const int to = (rank + step) % ranks;
          const int from = (rank + ranks - step) % ranks;
          const std::size_t shift = bytes % 3 == 0 ? 1 : 0;
          MPI_Request requests[2];
          const auto receive = [&] {
            MPI_Irecv(in.at(), count, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[0]);
          };
          if (expected) receive();
          (bytes % 2 == 0 ? MPI_Isend : MPI_Issend)(out.at(shift), count, MPI_BYTE, to, 0,
                                                    MPI_COMM_WORLD, &requests[1]);
          compute_us(200);
          if (!expected) receive();
          MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
      }
      if (rank % 2 == 0 && rank + 1 < ranks) {
        MPI_Send(out.at(), count, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD);
      } else if (rank % 2 == 1) {
        MPI_Status status;
        MPI_Recv(in.at(), count, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, &status);
        int received = 0;
        MPI_Get_count(&status, MPI_BYTE, &received);
        EXPECT_EQ(received, count);
      }
    }
  });
  return {outcome.job.machine.fingerprint, outcome.job.machine.events,
          outcome.job.machine.time.ps()};
}

void expect_equal_exchanges(const launch::JobRequest& request) {
  const Print print = exchange_of(request, Kind::without_data);
  if (live_clock()) return;
  EXPECT_EQ(print, exchange_of(request, Kind::with_data));
}

TEST(WithoutData, MessagesAreThoseOfOrdinaryMemory) {
  for (const Design design : all_designs) {
    for (const int per_node : {1, 2, 4}) {
      SCOPED_TRACE(testing::Message() << name_of(design) << " -N " << per_node);
      expect_equal_exchanges(with_design(small_job(4, per_node), design));
    }
  }
}

TEST(WithoutData, ProtocolsHaveTheirLimits) {
  for (const int per_node : {1, 2}) {
    for (const std::vector<corespec::Setting>& settings :
         std::vector<std::vector<corespec::Setting>>{
             {{"MPICH_GNI_MAX_EAGER_MSG_SIZE", "131072"}, {"MPICH_GNI_RDMA_THRESHOLD", "4096"}},
             {{"MPICH_GNI_NDREG_MAXSIZE", "16384"}, {"CASTOR_SEGMENT_BYTES", "1024"}},
             {{"CASTOR_COMPRESSION", "runs"}},
             {{"MPICH_GNI_MAX_EAGER_MSG_SIZE", "0"}, {"MPICH_GNI_RDMA_THRESHOLD", "65536"}}}) {
      launch::JobRequest request = small_job(4, per_node);
      for (const auto& [name, value] : settings) request = with(request, name, value);
      SCOPED_TRACE(testing::Message()
                   << "-N " << per_node << ' ' << testing::PrintToString(settings));
      expect_equal_exchanges(request);
    }
  }
}

// Every rank has the whole range for itself, and what was given back is given again.
TEST(WithoutData, RanksHaveMoreOfItThanTheHostHasMemory) {
  if (live_clock()) GTEST_SKIP() << "live, it is ordinary memory";
  run_mpi(small_job(8, 2), [](int) {
    constexpr std::size_t large = std::size_t{400} << 30;
    std::byte* first = nullptr;
    for (int round = 0; round < 5; ++round) {
      const AllocatedMemory one(large, Kind::without_data);
      const AllocatedMemory two(large, Kind::without_data);
      const AllocatedMemory three(1, Kind::without_data);
      const AllocatedMemory four(1, Kind::without_data);
      EXPECT_EQ(two.at(), one.at(large));
      EXPECT_EQ(four.at(), three.at(4096));
      if (round == 0) first = one.at();
      EXPECT_EQ(one.at(), first);
    }
  });
}

std::string error_of(const std::function<void(int rank)>& body, int per_node = 1) {
  const MpiOutcome outcome = run_mpi_unchecked(small_job(2, per_node), body);
  EXPECT_TRUE(outcome.job.end.aborted);
  return outcome.errors;
}

TEST(WithoutData, AMessageBetweenItAndOrdinaryMemoryEndsTheJob) {
  if (live_clock()) GTEST_SKIP() << "live, it is ordinary memory";
  for (const auto& [bytes, sender, receiver, why] :
       {std::tuple(100, Kind::without_data, Kind::with_data,
                   "has no data, but the memory that receives it is for data"),
        std::tuple(100, Kind::with_data, Kind::without_data,
                   "has data, but the memory that receives it is without data"),
        std::tuple(6000, Kind::without_data, Kind::with_data,
                   "has no data, but the memory that receives it is for data"),
        std::tuple(416160, Kind::without_data, Kind::with_data,
                   "has no data, but the memory that receives it is for data"),
        std::tuple(416160, Kind::with_data, Kind::without_data,
                   "has data, but the memory that receives it is without data"),
        std::tuple(3000000, Kind::with_data, Kind::without_data,
                   "has data, but the memory that receives it is without data")}) {
    for (const int per_node : {1, 2}) {
      for (const bool late : {false, true}) {
        SCOPED_TRACE(testing::Message() << bytes << " bytes, -N " << per_node << ' ' << late);
        const auto exchange = [&, bytes = bytes, sender = sender, receiver = receiver](int rank) {
          const AllocatedMemory memory(static_cast<std::size_t>(bytes),
                                       rank == 0 ? sender : receiver);
          if (rank == 0) MPI_Send(memory.at(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
          if (rank == 1 && late) compute_us(1000);
          if (rank == 1) {
            MPI_Recv(memory.at(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          }
        };
        EXPECT_THAT(error_of(exchange, per_node),
                    testing::HasSubstr(fmt::format(
                        "rank 1: MPI_Recv: the message of {} bytes from rank 0 {} (allowed: both "
                        "buffers from MPI_Alloc_mem with castor_data=none, or neither)\n",
                        bytes, why)));
      }
    }
  }
}

// Its root combines what comes.
TEST(WithoutData, AReductionRefusesIt) {
  if (live_clock()) GTEST_SKIP() << "live, it is ordinary memory";
  for (const int per_node : {1, 2}) {
    const auto reduce = [](int rank) {
      const AllocatedMemory own(800, rank == 1 ? Kind::without_data : Kind::with_data);
      const AllocatedMemory sum(800, Kind::with_data);
      MPI_Reduce(own.at(), sum.at(), 100, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    };
    EXPECT_THAT(
        error_of(reduce, per_node),
        testing::HasSubstr("rank 0: MPI_Reduce: the message of 800 bytes from rank 1 has no"));
  }
}

TEST(WithoutData, MessagesWithoutBytesHaveNoKind) {
  run_mpi(small_job(2), [](int rank) {
    const AllocatedMemory memory(1, rank == 0 ? Kind::without_data : Kind::with_data);
    if (rank == 0) MPI_Send(memory.at(), 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(memory.at(), 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
}

TEST(WithoutData, ArgumentsAreChecked) {
  run_mpi(small_job(1), [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    void* memory = nullptr;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "castor_data", "some");
    EXPECT_EQ(MPI_Alloc_mem(1, info, &memory), MPI_ERR_INFO_VALUE);
    MPI_Info_set(info, "castor_data", "none");
    if (!live_clock()) {
      EXPECT_EQ(MPI_Alloc_mem((MPI_Aint{1} << 40) + 1, info, &memory), MPI_ERR_NO_MEM);
      ASSERT_EQ(MPI_Alloc_mem(MPI_Aint{1} << 40, info, &memory), MPI_SUCCESS);
      void* more = nullptr;
      EXPECT_EQ(MPI_Alloc_mem(1, info, &more), MPI_ERR_NO_MEM);
      EXPECT_EQ(MPI_Free_mem(static_cast<std::byte*>(memory) + 4096), MPI_ERR_BASE);
      EXPECT_EQ(MPI_Free_mem(memory), MPI_SUCCESS);
      EXPECT_EQ(MPI_Free_mem(memory), MPI_ERR_BASE);
    }
    MPI_Info_free(&info);
  });
}

}  // namespace
}  // namespace castor_test
