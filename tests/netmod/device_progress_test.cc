// The four progress designs: what each posts, whom it wakes, and that nothing is lost.
#include <random>
#include <regex>

#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

using corespec::Time;

constexpr std::size_t chunk = 524288;

launch::JobRequest reserved(launch::JobRequest request) {
  request.placement.service_cpus = 1;
  return request;
}

/// What the ranks counted during one message of `bytes` from rank 0 to rank 1 over a connection
/// that is there already.
std::vector<Counts> counts_of(Design design, std::size_t bytes) {
  std::vector<Counts> before(2);
  MpiOutcome outcome = run_mpi(with_design(reserved(small_job(2)), design), [&](int rank) {
    one_message(rank, 8);
    before[static_cast<std::size_t>(rank)] = counts_now();
    one_message(rank, bytes);
    if (rank == 0) compute_us(100);  // a thread that is about to wake up does so
    if (rank == 1) compute_us(100);
  });
  for (std::size_t rank = 0; rank < 2; ++rank) {
    netmod::DeviceStatistics& now = outcome.counts[rank].device;
    now.data_descriptors -= before[rank].device.data_descriptors;
    now.cq_writes -= before[rank].device.cq_writes;
    outcome.counts[rank].nic.bte_descriptors -= before[rank].nic.bte_descriptors;
  }
  return outcome.counts;
}

TEST(PhaseOne, AReadIsADataDescriptorAndADummy) {
  const std::vector<Counts> counts = counts_of(Design::phase_one, 65536);
  // Receiver: the GET and the write to self behind it, which the fence holds back once.
  EXPECT_EQ(counts[1].device.reads, 1u);
  EXPECT_EQ(counts[1].device.data_descriptors, 2u);
  EXPECT_EQ(counts[1].device.dummy_writes, 1u);
  EXPECT_EQ(counts[1].nic.bte_descriptors, 2u);
  EXPECT_EQ(counts[1].nic.fence_stalls, 1u);
  EXPECT_GT(counts[1].nic.fence_stalled, Time());
  EXPECT_EQ(counts[0].device.data_descriptors, 0u);
  // A CQ write behind every control message: RTS here, receive done there.
  EXPECT_EQ(counts[0].device.cq_writes, 1u);
  EXPECT_EQ(counts[1].device.cq_writes, 1u);
  EXPECT_EQ(counts[0].nic.cq_writes, 1u);
  EXPECT_EQ(counts[1].nic.cq_writes, 1u);
}

TEST(PhaseOne, AWriteInChunksIsTwiceAsManyDescriptors) {
  for (std::uint64_t k : {1u, 2u, 3u, 7u}) {
    const std::vector<Counts> counts = counts_of(Design::phase_one, k * chunk);
    EXPECT_EQ(counts[1].device.cts_sent, k);
    EXPECT_EQ(counts[0].device.writes, k);
    EXPECT_EQ(counts[0].device.send_dones, k);
    EXPECT_EQ(counts[0].device.data_descriptors, 2 * k);
    EXPECT_EQ(counts[0].device.dummy_writes, k);
    EXPECT_EQ(counts[0].nic.fence_stalls, k);
    EXPECT_EQ(counts[1].device.data_descriptors, 0u);
    // Sender: RTS and k send dones. Receiver: k CTS and the receive done.
    EXPECT_EQ(counts[0].device.cq_writes, k + 1);
    EXPECT_EQ(counts[1].device.cq_writes, k + 1);
  }
}

TEST(PhaseTwo, HalfOfPhaseOnesDescriptorsNoDummyNoFence) {
  for (std::uint64_t k : {1u, 2u, 3u, 7u}) {
    const std::vector<Counts> counts = counts_of(Design::phase_two, k * chunk);
    EXPECT_EQ(counts[0].device.data_descriptors, k);
    EXPECT_EQ(counts[0].device.dummy_writes, 0u);
    EXPECT_EQ(counts[0].nic.fence_stalls, 0u);
    EXPECT_EQ(counts[0].device.events_moved, k);
    EXPECT_EQ(counts[1].device.events_moved, 0u);
    EXPECT_EQ(counts[0].device.cq_writes, k + 1);
    EXPECT_EQ(counts[1].device.cq_writes, k + 1);
  }
  const std::vector<Counts> counts = counts_of(Design::phase_two, 65536);
  EXPECT_EQ(counts[1].device.data_descriptors, 1u);
  EXPECT_EQ(counts[1].nic.bte_descriptors, 1u);
  EXPECT_EQ(counts[1].nic.fence_stalls, 0u);
  EXPECT_EQ(counts[1].device.events_moved, 1u);
  EXPECT_EQ(counts[0].device.events_moved, 0u);
}

TEST(PhaseTwo, OnlyTheThreadTakesDataEvents) {
  // Both sides sit in MPI_Recv / MPI_Send: nevertheless the thread has to move the event.
  const MpiOutcome outcome = run_mpi(with_design(small_job(2), Design::phase_two), [](int rank) {
    for (int i = 0; i < 10; ++i) one_message(rank, 30000);
  });
  EXPECT_EQ(outcome.counts[1].device.events_moved, 10u);
}

TEST(PhaseOne, ShortTransfersGoByFmaWithoutDummy) {
  for (Design design : {Design::phase_one, Design::phase_two}) {
    const MpiOutcome outcome = run_mpi(with_design(small_job(2), design),
                                       [](int rank) { one_message(rank, 512, 0, 0, true); });
    EXPECT_EQ(outcome.counts[1].device.reads, 1u);
    EXPECT_EQ(outcome.counts[1].device.data_descriptors, 1u);
    EXPECT_EQ(outcome.counts[1].device.dummy_writes, 0u);
    EXPECT_EQ(outcome.counts[1].device.events_moved, 0u);
    EXPECT_EQ(outcome.counts[1].nic.fma_descriptors, 1u);
  }
}

TEST(Active, PostsNothingBesidesAndWakesNoThread) {
  const std::vector<Counts> counts = counts_of(Design::active, 3 * chunk);
  EXPECT_EQ(counts[0].device.data_descriptors, 3u);
  EXPECT_EQ(counts[0].device.cq_writes + counts[1].device.cq_writes, 0u);
  EXPECT_EQ(counts[0].device.thread_wakeups + counts[1].device.thread_wakeups, 0u);
  EXPECT_EQ(counts[0].nic.interrupts + counts[1].nic.interrupts, 0u);
}

TEST(Progress, EagerTrafficWakesNoThread) {
  for (Design design : {Design::phase_one, Design::phase_two}) {
    const MpiOutcome outcome = run_mpi(with_design(small_job(2), design), [](int rank) {
      for (std::size_t bytes : {0, 8, 1024, 1025, 8191}) {
        for (int i = 0; i < 20; ++i) one_message(rank, bytes);
      }
      compute_us(100);
    });
    for (const Counts& counts : outcome.counts) {
      EXPECT_EQ(counts.device.thread_wakeups, 0u) << name_of(design);
      EXPECT_EQ(counts.device.cq_writes, 0u);
      EXPECT_EQ(counts.nic.interrupts, 0u);
    }
  }
}

TEST(Progress, TrafficWithinANodeWakesNoThread) {
  for (Design design : {Design::phase_one, Design::phase_two}) {
    const MpiOutcome outcome = run_mpi(with_design(small_job(2, 2), design), [](int rank) {
      for (std::size_t bytes : {0, 1024, 5000, 8192, 2000000}) one_message(rank, bytes);
      one_message(rank, 100, 0, 0, true);
      compute_us(100);
    });
    for (const Counts& counts : outcome.counts) {
      EXPECT_EQ(counts.device.thread_wakeups, 0u) << name_of(design);
      EXPECT_EQ(counts.nic.interrupts, 0u);
    }
  }
}

TEST(Progress, RendezvousWakesTheThreadOfARankThatComputes) {
  for (Design design : {Design::phase_one, Design::phase_two}) {
    const MpiOutcome outcome = run_mpi(with_design(reserved(small_job(2)), design), [](int rank) {
      one_message(rank, 8);
      MPI_Request request;
      Buffer buffer(65536);
      if (rank == 0) {
        MPI_Isend(buffer.data(), 65536, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
      } else {
        MPI_Irecv(buffer.data(), 65536, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
      }
      compute_us(1000);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
    // Receiver: woken by the RTS' CQ write and by the end of the GET. Sender: by receive done's.
    EXPECT_EQ(outcome.counts[1].device.thread_wakeups, 2u) << name_of(design);
    EXPECT_EQ(outcome.counts[0].device.thread_wakeups, 1u) << name_of(design);
    EXPECT_EQ(outcome.counts[0].device.immediate_resleeps, 0u);
    EXPECT_EQ(outcome.counts[1].device.immediate_resleeps, 0u);
  }
}

TEST(Progress, AThreadGoesBackToSleepWhereTheApplicationPolls) {
  for (Design design : {Design::phase_one, Design::phase_two}) {
    const MpiOutcome outcome = run_mpi(with_design(reserved(small_job(2)), design), [](int rank) {
      one_message(rank, 8);
      // A last, late message keeps rank 1 in the engine for all of the transfer.
      Buffer buffer(65536);
      int last = 0;
      if (rank == 0) {
        compute_us(100);
        MPI_Send(buffer.data(), 65536, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        compute_us(300);
        MPI_Send(&last, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
      } else {
        MPI_Request requests[2];
        MPI_Irecv(buffer.data(), 65536, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&last, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      }
    });
    const netmod::DeviceStatistics& receiver = outcome.counts[1].device;
    EXPECT_EQ(receiver.thread_wakeups, 2u) << name_of(design);
    EXPECT_EQ(receiver.immediate_resleeps, 2u) << name_of(design);
  }
}

TEST(Progress, NoWakeUpIsLostWhateverTheTiming) {
  const std::vector<std::size_t> sizes{4, 1500, 8192, 10001, 65536, 600000};
  for (Design design : all_designs) {
    for (int service : {0, 1}) {
      for (int per_node : {1, 2}) {
        launch::JobRequest request = with_design(small_job(4, per_node), design);
        request.placement.service_cpus = service;
        SCOPED_TRACE(testing::Message()
                     << name_of(design) << " -r " << service << " -N " << per_node);
        run_mpi(request, [&](int rank) {
          std::mt19937 random(static_cast<unsigned>(rank) + 5);  // each rank its own delays
          std::mt19937 shared(99);                               // and all the same sizes
          for (std::uint64_t round = 0; round < 25; ++round) {
            const std::size_t bytes = sizes[shared() % sizes.size()];
            const int step = static_cast<int>(shared() % 3) + 1;
            const int to = (rank + step) % 4, from = (rank + 4 - step) % 4;
            Buffer out(bytes), in(bytes);
            out.fill(round * 4 + static_cast<std::uint64_t>(rank));
            MPI_Request requests[2];
            compute(Time::nanoseconds(random() % 40000));
            MPI_Irecv(in.data(), static_cast<int>(bytes), MPI_BYTE, from, 0, MPI_COMM_WORLD,
                      &requests[0]);
            compute(Time::nanoseconds(random() % 9000));
            MPI_Isend(out.data(), static_cast<int>(bytes), MPI_BYTE, to, 0, MPI_COMM_WORLD,
                      &requests[1]);
            compute(Time::nanoseconds(random() % 120000));
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            EXPECT_TRUE(in.holds(round * 4 + static_cast<std::uint64_t>(from)))
                << "rank " << rank << " round " << round << " bytes " << bytes;
          }
        });
      }
    }
  }
}

TEST(Progress, TheWakeUpWindowIsSweptNanosecondByNanosecond) {
  // Whatever the moment at which rank 1 enters and leaves MPI_Wait: the transfer must end soon
  // after the computing, or within it.
  for (Design design : {Design::phase_one, Design::phase_two}) {
    for (int delay = 0; delay < 30000; delay += 487) {
      Time end;
      run_mpi(with_design(reserved(small_job(2)), design), [&](int rank) {
        one_message(rank, 8);
        one_message(rank, 16384);
        Buffer buffer(16384);
        MPI_Request request;
        const Time start = clock_now();
        if (rank == 0) {
          MPI_Isend(buffer.data(), 16384, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        } else {
          MPI_Irecv(buffer.data(), 16384, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
          compute(Time::nanoseconds(delay));
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1) end = clock_now() - start;
      });
      EXPECT_LT(end.ns(), delay + 40000.0) << name_of(design) << " " << delay;
    }
  }
}

TEST(Active, WorksAndEndsWithAndWithoutASpareCpu) {
  for (const char* spare : {"1", "0"}) {
    const auto request =
        with(with_design(small_job(4, 2), Design::active), "MPICH_GNI_USE_UNASSIGNED_CPUS", spare);
    run_mpi(request, [](int rank) {
      for (std::size_t bytes : {std::size_t{8}, std::size_t{5000}, std::size_t{70000}}) {
        one_message(rank, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
      }
      int sum = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(sum, 6);
    });
  }
}

TEST(Progress, WithoutThreadSafetyMultipleTheJobGoesOnWithoutAThread) {
  for (const auto& [name, value] :
       std::vector<corespec::Setting>{{"MPICH_NEMESIS_ASYNC_PROGRESS", "1"},
                                      {"MPICH_NEMESIS_ASYNC_PROGRESS", "MC"},
                                      {"MPICH_ASYNC_PROGRESS", "1"}}) {
    const MpiOutcome outcome =
        run_mpi(with(small_job(4), name, value), [](int rank) { one_message(rank, 65536); });
    EXPECT_EQ(outcome.errors, "");  // aprun has warned
    EXPECT_EQ(outcome.counts[1].device.data_descriptors, 1u);
    EXPECT_EQ(outcome.counts[0].device.cq_writes, 0u);
  }
}

TEST(Progress, OfTwoVariablesTheNemesissOneDecides) {
  const auto fingerprint = [](const std::string& nemesis, const std::string& stock) {
    launch::JobRequest request = with(small_job(2), "MPICH_MAX_THREAD_SAFETY", "multiple");
    request =
        with(with(request, "MPICH_NEMESIS_ASYNC_PROGRESS", nemesis), "MPICH_ASYNC_PROGRESS", stock);
    return run_mpi(request, [](int rank) { one_message(rank, 65536); }).job.machine.fingerprint;
  };
  EXPECT_EQ(fingerprint("MC", "1"), fingerprint("MC", "0"));
  EXPECT_EQ(fingerprint("SC", "1"), fingerprint("SC", "0"));
  EXPECT_NE(fingerprint("disabled", "1"), fingerprint("disabled", "0"));
}

TEST(Progress, WithThreadSafetyMultipleNothingIsSaid) {
  launch::JobRequest request = with(small_job(2), "MPICH_MAX_THREAD_SAFETY", "multiple");
  request = with(request, "MPICH_NEMESIS_ASYNC_PROGRESS", "1");
  EXPECT_EQ(run_mpi(request, [](int rank) { one_message(rank, 65536); }).errors, "");
}

TEST(Progress, StatisticsAreOneLinePerRank) {
  const std::regex line(
      R"(MPICH progress stats rank \d+: interrupts \d+ empty_wakeups \d+ )"
      R"(threads_woken \d+ immediate_resleeps \d+ )"
      R"(events_moved \d+ descriptors \d+ dummies \d+ fence_stalls \d+ fence_stall_us \d+\.\d{3} )"
      R"(cq_writes \d+ lock_waits \d+ lock_wait_us \d+\.\d{3} stolen_us \d+\.\d{3} rts \d+ reads \d+ )"
      R"(cts \d+ writes \d+ send_dones \d+ receive_dones \d+ e0 \d+ e1 \d+ intra_node \d+)");
  for (Design design : all_designs) {
    const MpiOutcome outcome = run_mpi(with_design(small_job(3), design), [](int rank) {
      one_message(rank, 4);
      one_message(rank, 4000);
      one_message(rank, 65536);
      one_message(rank, 2 * chunk);
    });
    std::istringstream lines(outcome.errors);
    int count = 0;
    for (std::string text; std::getline(lines, text); ++count) {
      EXPECT_TRUE(std::regex_match(text, line)) << text;
    }
    EXPECT_EQ(count, 3);
    ASSERT_EQ(outcome.report.size(), 3u);
    auto sender = outcome.report[0], receiver = outcome.report[1], idle = outcome.report[2];
    EXPECT_EQ(sender["rts"], 2);
    EXPECT_EQ(sender["e0"], 1);
    EXPECT_EQ(sender["e1"], 1);
    EXPECT_EQ(sender["writes"], 2);
    EXPECT_EQ(sender["send_dones"], 2);
    EXPECT_EQ(receiver["reads"], 1);
    EXPECT_EQ(receiver["cts"], 2);
    EXPECT_EQ(receiver["receive_dones"], 2);
    EXPECT_EQ(idle["rts"] + idle["e0"] + idle["e1"], 0);
    const int each = design == Design::phase_one ? 2 : 1;
    EXPECT_EQ(sender["descriptors"], 2 * each);
    EXPECT_EQ(receiver["descriptors"], each);
    EXPECT_EQ(receiver["dummies"], each - 1);
    EXPECT_EQ(receiver["fence_stalls"], each - 1);
    EXPECT_EQ(receiver["events_moved"], design == Design::phase_two ? 1 : 0);
  }
}

TEST(Progress, ReservedCpusKeepTheApplicationsTime) {
  // Interrupts steal from the rank's CPU without core specialization, from no rank with it.
  for (Design design : {Design::phase_one, Design::phase_two}) {
    const auto stolen = [&](int service) {
      launch::JobRequest request = with_design(small_job(2), design);
      request.placement.service_cpus = service;
      MpiOutcome outcome = run_mpi(request, [](int rank) { one_message(rank, 2 * chunk); });
      return outcome.report[0]["stolen_us"];
    };
    EXPECT_EQ(stolen(1), 0.0);
    EXPECT_GT(stolen(0), 0.0);
  }
}

}  // namespace
}  // namespace castor_test
