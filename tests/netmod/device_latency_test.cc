// What a small message's latency is made of, to the picosecond.
#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

using corespec::Time;

/// From the call of MPI_Send on rank 0 to the end of MPI_Recv on rank 1, which has been waiting
/// for long; the pair is connected.
Time one_way(const launch::JobRequest& request, int bytes = 8) {
  Time start, end;
  run_mpi(request, [&](int rank) {
    std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
    for (int i = 0; i < 2; ++i) {
      if (rank == 0) {
        compute_us(200);
        start = clock_now();
        MPI_Send(buffer.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      } else {
        MPI_Recv(buffer.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        end = clock_now();
      }
    }
  });
  return end - start;
}

/// Phits of one PUT packet (32 of them for 64 bytes: 10 and 22 of payload) times their time at
/// `tiles` tiles of `tile` bytes per second, rounded up to picoseconds as the network does.
Time phits(const corespec::Parameters& p, std::int64_t payload, std::int64_t tiles, double tile) {
  const std::int64_t count = p.put_header_phits + (payload + p.phit_bytes - 1) / p.phit_bytes;
  return Time::for_bytes(static_cast<std::uint64_t>(count * p.phit_bytes),
                         static_cast<double>(tiles) * tile);
}

/// Polling adds up to one period, between arrival and the next look.
void expect_within_a_poll(Time measured, Time sum, Time period) {
  EXPECT_GE(measured, sum - Time::picoseconds(2)) << measured.ns() << " ns, parts " << sum.ns();
  EXPECT_LE(measured, sum + period) << measured.ns() << " ns, parts " << sum.ns();
}

/// What both sides' CPUs do for an 8-byte message between nodes.
Time software(const corespec::Parameters& p) {
  const Time copy = Time::for_bytes(8, p.memory_copy);
  // MPI_Send; 8 bytes behind a header of 48 are one store into the FMA window.
  const Time sender = p.mpi_send + p.fma_post + p.fma_store;
  // The receive queue's event, a look into the mailbox, taking in, copying out, releasing it.
  const Time receiver = p.cq_poll + p.cq_event + p.cq_poll + p.mpi_recv + copy + p.smsg_release;
  return sender + receiver;
}

TEST(Latency, EightBytesBetweenTheNodesOfAGemini) {
  // On the wire: a packet of 56 bytes, 29 phits, crosses the host port twice and no link; its
  // tail is behind its head by the port's time for 29 phits (the NICs are faster per byte).
  const corespec::Parameters p;
  const Time wire = p.nic_to_router_latency * 2 + phits(p, 56, p.tiles_host, p.tile_host);
  const Time sum = software(p) + wire;
  const auto request = with(small_job(2), "CASTOR_POLL_PERIOD", "1");
  expect_within_a_poll(one_way(request), sum, Time::nanoseconds(1));
  expect_within_a_poll(one_way(small_job(2)), sum, p.poll_period);
  // 300 + 68 + (20 + 50 + 20 + 300 + 2 + 20) + 559 + 8.365 = 1347.365 ns.
  EXPECT_NEAR(sum.ns(), 1347.365, 0.01);
}

TEST(Latency, EightBytesOverOneLink) {
  // Node 2 is on the next Gemini in X: one hop, and the link is slower than the host port, so it
  // decides how far the tail is behind.
  const corespec::Parameters p;
  auto request = with(small_job(2), "CASTOR_POLL_PERIOD", "1");
  request.system = "8x1x1";
  request.nids = {0, 2};
  const Time wire =
      p.nic_to_router_latency * 2 + p.hop_latency + phits(p, 56, p.tiles_x, p.tile_cable);
  expect_within_a_poll(one_way(request), software(p) + wire, Time::nanoseconds(1));
}

TEST(Latency, EveryHopAddsTheSame) {
  auto request = with(small_job(2), "CASTOR_POLL_PERIOD", "1");
  request.system = "16x1x1";
  std::vector<Time> by_hops;
  for (int hops : {1, 2, 5, 8}) {
    request.nids = {0, 2 * hops};
    by_hops.push_back(one_way(request));
  }
  const Time hop = corespec::Parameters().hop_latency;
  const Time poll = Time::nanoseconds(1);
  const auto near = [&](Time difference, Time expected) {
    EXPECT_GE(difference, expected - poll);
    EXPECT_LE(difference, expected + poll);
  };
  near(by_hops[1] - by_hops[0], hop);
  near(by_hops[2] - by_hops[0], hop * 4);
  near(by_hops[3] - by_hops[0], hop * 7);
}

/// Edison: hops of 100 ns. A green link's single tile decides how far the tail is behind; a black
/// link's three are faster than the NICs.
TEST(Latency, EightBytesAcrossADragonfly) {
  auto request = with(small_job(2), "CASTOR_POLL_PERIOD", "1");
  request.system = "edison";
  const corespec::Parameters p;
  const Time ends = p.nic_to_router_latency * 2;
  const Time hop = Time::nanoseconds(100);
  const Time green = phits(p, 56, p.tiles_green, p.tile_electrical);
  const Time nic = Time::for_bytes(56, p.nic_bandwidth);
  ASSERT_GT(nic, phits(p, 56, p.tiles_black, p.tile_electrical));
  struct Case {
    int group, chassis, slot, hops;
    Time tail;
  };
  for (const Case& each : {Case{0, 1, 9, 1, green},     // green
                           Case{0, 4, 3, 1, nic},       // black
                           Case{0, 4, 9, 2, green},     // green, black
                           Case{3, 4, 9, 4, green},     // green, blue, green, black
                           Case{5, 4, 9, 5, green}}) {  // green, black, blue, green, black
    request.nids = {4 * (16 + 3), 4 * (96 * each.group + 16 * each.chassis + each.slot)};
    const Time wire = ends + hop * each.hops + each.tail;
    expect_within_a_poll(one_way(request), software(p) + wire, Time::nanoseconds(1));
  }
}

TEST(Latency, EightBytesWithinANode) {
  // Sender: call, copy in, enqueue. Receiver: the line that says so, dequeue, take in, copy out.
  const corespec::Parameters p;
  const Time copy = Time::for_bytes(8, p.memory_copy);
  const Time sum =
      p.mpi_send + copy + p.shm_queue + p.shm_latency + p.shm_queue + p.mpi_recv + copy;
  expect_within_a_poll(one_way(with(small_job(2, 2), "CASTOR_POLL_PERIOD", "1")), sum,
                       Time::nanoseconds(1));
  expect_within_a_poll(one_way(small_job(2, 2)), sum, p.poll_period);
  EXPECT_NEAR(sum.ns(), 1004.0, 0.01);
}

TEST(Latency, EveryPartCounts) {
  // Each named part, raised by 1000 ns, adds that as often as it occurs.
  const auto with_poll = [](int per_node) {
    return with(small_job(2, per_node), "CASTOR_POLL_PERIOD", "1");
  };
  struct Part {
    const char* name;
    double fallback;
    int between_nodes, within_a_node;
  };
  const std::vector<Part> parts{
      {"CASTOR_MPI_SEND", 300, 1, 1},       {"CASTOR_MPI_RECV", 300, 1, 1},
      {"CASTOR_FMA_POST", 60, 1, 0},        {"CASTOR_FMA_STORE", 8, 1, 0},
      {"CASTOR_CQ_POLL", 20, 2, 0},         {"CASTOR_CQ_EVENT", 50, 1, 0},
      {"CASTOR_SMSG_RELEASE", 20, 1, 0},    {"CASTOR_NIC_TO_ROUTER_LATENCY", 279.5, 2, 0},
      {"CASTOR_SHM_QUEUE", 150, 0, 2},      {"CASTOR_SHM_LATENCY", 100, 0, 1},
      {"CASTOR_LMT_SETUP", 600, 0, 0},      {"CASTOR_BTE_POST", 250, 0, 0},
      {"CASTOR_CONTROL_MESSAGE", 100, 0, 0}};
  const double between = one_way(with_poll(1)).ns();
  const double within = one_way(with_poll(2)).ns();
  for (const Part& part : parts) {
    const std::string raised = std::to_string(part.fallback + 1000);
    EXPECT_NEAR(one_way(with(with_poll(1), part.name, raised)).ns() - between,
                1000.0 * part.between_nodes, 1.0)
        << part.name;
    EXPECT_NEAR(one_way(with(with_poll(2), part.name, raised)).ns() - within,
                1000.0 * part.within_a_node, 1.0)
        << part.name;
  }
}

}  // namespace
}  // namespace castor_test
