// An observer hears of a whole job what its statistics count, in order, and changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "corespec/events/observer.h"
#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

using corespec::Occurrence;
using Kind = Occurrence::Kind;

class Recorder final : public corespec::Observer {
 public:
  void observe(const Occurrence& occurrence) override { all.push_back(occurrence); }
  std::vector<Occurrence> of(Kind kind) const {
    std::vector<Occurrence> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [kind](const Occurrence& each) { return each.kind == kind; });
    return found;
  }
  std::vector<Occurrence> all;
};

struct ObservedRun {
  corespec::VirtualMachine::Result machine;
  std::uint64_t switches = 0, interrupts = 0;
};

/// Of the ranks; where it lies moves times, as on the real machine.
using Memory = std::vector<std::vector<std::byte>>;

Memory memory_of_ranks() { return Memory(4, std::vector<std::byte>(400000)); }

/// Four ranks on two nodes of different Geminis send each other what takes each protocol, with
/// progress threads that sleep.
ObservedRun run_observed(corespec::Observer* observer, Memory& all) {
  launch::JobRequest request = small_job(4, 2);
  request.nids = {0, 21};
  request = with_design(std::move(request), Design::phase_two);
  launch::VirtualRun run(request);
  run.machine().set_observer(observer);
  run.start([&all](corespec::Process& process) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SINGLE, &provided);
    std::byte* const memory = all[static_cast<std::size_t>(process.rank())].data();
    for (const int bytes : {8, 3000, 200000}) {
      MPI_Request requests[2];
      MPI_Irecv(memory, bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(memory + 200000, bytes, MPI_BYTE, (process.rank() + 1) % 4, 0, MPI_COMM_WORLD,
                &requests[1]);
      compute_us(100);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
  });
  ObservedRun counted;
  counted.machine = run.run();
  for (const corespec::VirtualNode* node : run.own_nodes()) {
    counted.switches += node->statistics().context_switches;
    counted.interrupts += node->statistics().interrupts;
  }
  return counted;
}

TEST(Observer, ChangesNothing) {
  Recorder recorder;
  Memory memory = memory_of_ranks();
  const ObservedRun heard = run_observed(&recorder, memory);
  const ObservedRun alone = run_observed(nullptr, memory);
  EXPECT_EQ(heard.machine.fingerprint, alone.machine.fingerprint);
  EXPECT_EQ(heard.machine.events, alone.machine.events);
  EXPECT_EQ(heard.machine.time, alone.machine.time);
  EXPECT_FALSE(recorder.all.empty());
}

ObservedRun run_observed(corespec::Observer& observer) {
  Memory memory = memory_of_ranks();
  return run_observed(&observer, memory);
}

TEST(Observer, HearsWhatStatisticsCount) {
  Recorder recorder;
  const ObservedRun counted = run_observed(recorder);
  EXPECT_EQ(recorder.of(Kind::thread_switched).size(), counted.switches);
  EXPECT_EQ(recorder.of(Kind::interrupt_raised).size(), counted.interrupts);
  EXPECT_GT(counted.interrupts, 0U);
  EXPECT_FALSE(recorder.of(Kind::event_queued).empty());
}

TEST(Observer, HearsOfEachTransactionInOrder) {
  Recorder recorder;
  run_observed(recorder);
  using Name = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
  std::map<Name, std::vector<Occurrence>> under_way;
  std::size_t whole = 0;
  for (const Occurrence& each : recorder.all) {
    if (each.key == 0) continue;
    std::vector<Occurrence>& way = under_way[{each.source, each.target, each.key}];
    switch (each.kind) {
      case Kind::posted:  // its number may have been another's before
        way = {each};
        EXPECT_EQ(each.place, each.source);
        break;
      case Kind::delivered: {
        ++whole;
        ASSERT_FALSE(way.empty());
        EXPECT_EQ(each.place, each.target);
        std::uint64_t injected = 0;
        std::size_t links = 0;
        corespec::Time at = way.front().begin;
        for (const Occurrence& step : way) {
          if (step.kind == Kind::injected) {
            injected += step.bytes;
            EXPECT_GE(step.begin, at);
            EXPECT_GE(each.begin, step.begin);
          }
          EXPECT_LE(step.begin, step.end);
          links += step.kind == Kind::link_passed ? 1 : 0;
        }
        EXPECT_EQ(injected, each.bytes);
        EXPECT_EQ(links > 0, each.source != each.target);
        break;
      }
      default:
        way.push_back(each);
        break;
    }
  }
  EXPECT_EQ(whole, std::count_if(recorder.all.begin(), recorder.all.end(), [](const auto& each) {
              return each.kind == Kind::posted && each.key != 0;
            }));
  EXPECT_GT(whole, 10U);
}

TEST(Observer, HearsOfLibraryCallsWithTheirThreadsTime) {
  Recorder recorder;
  run_observed(recorder);
  std::vector<std::string> calls;
  corespec::Time last;
  for (const Occurrence& each : recorder.all) {
    const bool own = each.role == static_cast<std::uint8_t>(corespec::ThreadRole::application);
    if (each.rank != 0 || !own || each.call == nullptr) continue;
    EXPECT_GE(each.begin, last) << each.call;
    last = each.begin;
    if (each.kind == Kind::call_ended) calls.emplace_back(each.call);
  }
  const std::vector<std::string> round = {"MPI_Irecv", "MPI_Isend", "MPI_Waitall"};
  std::vector<std::string> expected = {"MPI_Init_thread"};
  for (int i = 0; i < 3; ++i) expected.insert(expected.end(), round.begin(), round.end());
  expected.emplace_back("MPI_Finalize");
  EXPECT_EQ(calls, expected);
}

/// Each message's two ends are told, with its protocol: E0, E1 and R0 go round, 8 to 200,000 bytes.
TEST(Observer, HearsOfBothEndsOfEachMessage) {
  Recorder recorder;
  run_observed(recorder);
  using Name = std::tuple<int, int, std::uint64_t>;  // sender, receiver, key
  std::map<Name, Occurrence> sent;
  std::map<std::string, int> received;
  for (const Occurrence& each : recorder.all) {
    if (each.kind == Kind::message_sent) sent[{each.rank, each.peer, each.key}] = each;
    if (each.kind != Kind::message_received) continue;
    const auto found = sent.find({each.peer, each.rank, each.key});
    ASSERT_NE(found, sent.end());
    EXPECT_EQ(found->second.bytes, each.bytes);
    EXPECT_LE(found->second.begin, each.begin);
    if (each.bytes == 200000 && std::string("R0") == each.protocol) {
      EXPECT_STREQ(found->second.protocol, "R");
    } else {
      EXPECT_STREQ(found->second.protocol, each.protocol);
    }
    const bool program = each.bytes == 8 || each.bytes == 3000 || each.bytes == 200000;
    if (program) ++received[std::to_string(each.bytes) + " " + each.protocol];
  }
  // Of the four ranks in a ring, two send within their node.
  const std::map<std::string, int> expected = {{"8 E0", 2},      {"8 node", 2},
                                               {"3000 E1", 2},   {"3000 node", 2},
                                               {"200000 R0", 2}, {"200000 node", 2}};
  for (const auto& [name, count] : expected) EXPECT_GE(received[name], count) << name;
  EXPECT_EQ(received["3000 E1"], 2);
  EXPECT_EQ(received["200000 R0"], 2);
}

/// What a CPU runs is told without a gap: one thread at a time gets it and gives it up.
TEST(Observer, HearsWhenThreadsGetAndLeaveTheirCpus) {
  Recorder recorder;
  run_observed(recorder);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> running;  // by node and CPU
  std::size_t left = 0;
  for (const Occurrence& each : recorder.all) {
    const std::pair cpu(each.place, each.part);
    if (each.kind == Kind::thread_switched) {
      EXPECT_EQ(running.count(cpu), 0U);
      running[cpu] = each.thread;
    } else if (each.kind == Kind::thread_left) {
      ASSERT_EQ(running.count(cpu), 1U);
      EXPECT_EQ(running[cpu], each.thread);
      running.erase(cpu);
      ++left;
    }
  }
  EXPECT_TRUE(running.empty());
  EXPECT_GT(left, 8U);
}

}  // namespace
}  // namespace castor_test
