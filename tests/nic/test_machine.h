// A small machine for the NIC's tests, on either clock: nodes with NICs on a wire of fixed latency.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/nic/fixed_wire.h"
#include "tests/nic/test_clocks.h"
#include "tests/support/plain_job.h"
#include "tests/support/reordering_wire.h"
#include "tests/support/test_wire.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/nic.h"

namespace nic_test {

/// To GNI_MemRegister: no vMDH.
constexpr auto no_index = static_cast<std::uint32_t>(-1);
/// To GNI_CqWaitEvent and GNI_CqVectorWaitEvent: no time-out.
constexpr auto forever = static_cast<std::uint64_t>(-1);

class TestJob final : public castor_test::PlainJob {
 public:
  explicit TestJob(const corespec::Parameters& parameters) : PlainJob(1, parameters) {}
  std::uint8_t ptag() const override { return 42; }
  std::uint32_t cookie() const override { return 0xC00C1E; }
  /// Its thread goes no further, and TestMachine::run_to_end() says so.
  [[noreturn]] void abort(corespec::Process&, int code, std::string_view why) override {
    abort_code = code;
    abort_reason = why;
    if (live()) throw GoesNoFurther();
    for (;;) corespec::this_thread().sleep_until(Time::max());
  }

  int abort_code = 0;
  std::string abort_reason;
};

/// CPU costs of 0, so that times are those of NIC and wire; tests set what they look at.
inline corespec::Parameters free_software() {
  corespec::Parameters parameters;
  for (Time corespec::Parameters::*cost :
       {&corespec::Parameters::fma_post, &corespec::Parameters::fma_store,
        &corespec::Parameters::bte_post, &corespec::Parameters::cq_poll,
        &corespec::Parameters::cq_event, &corespec::Parameters::smsg_release,
        &corespec::Parameters::register_base, &corespec::Parameters::register_page,
        &corespec::Parameters::deregister, &corespec::Parameters::datagram,
        &corespec::Parameters::system_call, &corespec::Parameters::interrupt_handler,
        &corespec::Parameters::thread_wake, &corespec::Parameters::cross_cpu_wake,
        &corespec::Parameters::kernel_recheck, &corespec::Parameters::context_switch,
        &corespec::Parameters::cache_refill}) {
    parameters.*cost = Time();
  }
  return parameters;
}

/// Nodes 0.. with a NIC and one rank each; rank r runs on node r.
class TestMachine {
 public:
  /// What stands between the NICs and `wire`; null: nothing.
  using Around = std::function<std::unique_ptr<ugni::Wire>(TestMachine&)>;

  explicit TestMachine(int node_count = 1, const corespec::Parameters& parameters = free_software(),
                       int cores = 4, const Around& make_around = reordering_if_asked)
      : clock(TestClock::make(in_test_time(parameters), node_count, cores)),
        job(parameters),
        wire(clock->make_source(), slower()) {
    around = make_around(*this);
    ugni::Wire& outer = around != nullptr ? *around : static_cast<ugni::Wire&>(wire);
    for (int nid = 0; nid < node_count; ++nid) {
      corespec::Node& node = clock->add_node(nid);
      node.set_device(std::make_unique<nic::Nic>(node, outer));
      nodes.push_back(&node);
      ranks.push_back(std::make_unique<corespec::Process>(job, node, nid, 0));
    }
  }

  static std::unique_ptr<castor_test::ReorderingWire> reordering(TestMachine& machine,
                                                                 std::uint64_t seed) {
    return std::make_unique<castor_test::ReorderingWire>(
        machine.wire, [&machine] { return machine.clock->make_source(); }, seed,
        Time::microseconds(3));
  }

  /// Before run(): a thread that runs `body` from then on.
  void start(int rank, std::function<void()> body,
             corespec::ThreadRole role = corespec::ThreadRole::application) {
    const auto index = static_cast<std::size_t>(rank);
    clock->start(*nodes[index], role, ranks[index].get(), std::move(body));
  }
  /// Once. Until all threads have ended, or go no further: false.
  bool run_to_end() { return clock->run(); }
  void run() { EXPECT_TRUE(run_to_end()); }

  std::unique_ptr<TestClock> clock;
  TestJob job;
  FixedWire wire;
  std::unique_ptr<ugni::Wire> around;
  std::vector<corespec::Node*> nodes;
  std::vector<std::unique_ptr<corespec::Process>> ranks;

 private:
  static std::unique_ptr<ugni::Wire> reordering_if_asked(TestMachine& machine) {
    const auto seed = castor_test::reordering_seed();
    return seed ? reordering(machine, *seed) : nullptr;
  }
  /// What the NIC takes for itself is slower where the wire is.
  static corespec::Parameters in_test_time(corespec::Parameters parameters) {
    parameters.bte_startup = parameters.bte_startup * slower();
    parameters.datagram = parameters.datagram * slower();
    return parameters;
  }
};

/// Runs `body` as the only rank of a one-node machine.
inline void run_rank(const std::function<void()>& body,
                     const corespec::Parameters& parameters = free_software()) {
  TestMachine machine(1, parameters);
  bool ended = false;
  machine.start(0, [&] {
    body();
    ended = true;
  });
  machine.run();
  EXPECT_TRUE(ended);
}

inline Time now() { return corespec::this_thread().now(); }
/// Of the tests' time. What happens until its end has happened then.
inline void sleep_until(Time moment) {
  corespec::this_thread().sleep_until(moment);
  corespec::this_thread().sync();
}
inline void sleep_us(double us) { sleep_until(now() + test_us(us)); }

/// Calls `look` as the one who holds the node's domain: it may read what events change.
template <typename Look>
auto looking(Look look) {
  const corespec::DomainHold hold(&corespec::this_thread());
  return look();
}

/// `time` is `expected`: exactly in virtual time, live at the earliest.
inline testing::AssertionResult is_time(Time expected, Time time) {
  if (live() ? time >= expected : time == expected) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << time.us() << " us, expected are " << expected.us() << (live() ? " or more" : "");
}

/// `look()` gives `expected`, or the host was so slow that `moment` has come meanwhile.
template <typename Value, typename Look>
testing::AssertionResult is_before(Time moment, const Value& expected, Look look) {
  const auto seen = look();
  if (seen == expected || now() >= moment) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "not yet, but there was something else already";
}

/// One thread lets others go on.
class Gate {
 public:
  void open() { open_.store(true); }
  void await() {
    while (!open_.load()) sleep_us(1);
  }

 private:
  std::atomic<bool> open_{false};
};

inline std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(generator());
  return bytes;
}

/// One communication domain with queues, an endpoint and some registered memory.
struct Side {
  static constexpr std::size_t memory_bytes = 65536;
  static constexpr std::uint8_t tag = 42;
  static constexpr std::uint32_t cookie = 0xC00C1E;

  explicit Side(std::uint32_t id, std::uint32_t modes = 0, gni_cq_mode_t queue_mode = 0,
                std::uint32_t entries = 1024)
      : instance(id), memory(random_bytes(memory_bytes, id + 1)) {
    // Errors are to arrive in the queues, unless the test is about being killed.
    if ((modes & GNI_CDM_MODE_ERR_ALL_KILL) == 0) modes |= GNI_CDM_MODE_ERR_NO_KILL;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmCreate(id, tag, cookie, modes, &cdm));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmAttach(cdm, 0, &address, &nic));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqCreate(nic, entries, 0, queue_mode, nullptr, nullptr, &tx));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqCreate(nic, entries, 0, queue_mode, nullptr, nullptr, &rx));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(nic, tx, &ep));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(nic, base(), memory_bytes, rx, GNI_MEM_READWRITE,
                                              static_cast<std::uint32_t>(-1), &handle));
  }
  ~Side() { GNI_CdmDestroy(cdm); }  // before the memory goes; refused if it has gone already
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  std::uint64_t base() const { return reinterpret_cast<std::uint64_t>(memory.data()); }
  void bind(const Side& peer) {
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, peer.address, peer.instance));
  }
  void connect(Side& peer) {
    bind(peer);
    peer.bind(*this);
  }
  /// A descriptor from this side's memory to the peer's, at the given offsets.
  gni_post_descriptor_t descriptor(gni_post_type_t type, const Side& peer, std::uint64_t length,
                                   std::uint64_t from = 0, std::uint64_t to = 0) const {
    gni_post_descriptor_t descriptor = {};
    descriptor.type = type;
    descriptor.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
    descriptor.local_addr = base() + from;
    descriptor.local_mem_hndl = handle;
    descriptor.remote_addr = peer.base() + to;
    descriptor.remote_mem_hndl = peer.handle;
    descriptor.length = length;
    return descriptor;
  }

  std::uint32_t instance;
  std::vector<std::byte> memory;
  gni_cdm_handle_t cdm = nullptr;
  gni_nic_handle_t nic = nullptr;
  std::uint32_t address = 0;
  gni_cq_handle_t tx = nullptr;
  gni_cq_handle_t rx = nullptr;
  gni_ep_handle_t ep = nullptr;
  gni_mem_handle_t handle = {};
};

/// A mailbox in a side's memory, as large as it must be.
inline gni_smsg_attr_t mailbox_of(Side& side, std::uint16_t credits, std::uint32_t largest,
                                  gni_smsg_type_t type = GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT) {
  gni_smsg_attr_t mailbox = {};
  mailbox.msg_type = type;
  mailbox.msg_buffer = side.memory.data();
  mailbox.mem_hndl = side.handle;
  mailbox.mbox_maxcredit = credits;
  mailbox.msg_maxsize = largest;
  unsigned size = 0;
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgBufferSizeNeeded(&mailbox, &size));
  mailbox.buff_size = size;
  return mailbox;
}

inline gni_return_t post(const Side& side, gni_post_descriptor_t& descriptor) {
  const bool rdma = descriptor.type == GNI_POST_RDMA_PUT || descriptor.type == GNI_POST_RDMA_GET;
  return rdma ? GNI_PostRdma(side.ep, &descriptor) : GNI_PostFma(side.ep, &descriptor);
}

/// Polls until an event comes, at most 10 ms of the tests' time; the code of the call that took it.
inline gni_return_t next_event(gni_cq_handle_t queue, gni_cq_entry_t& entry) {
  for (int i = 0; i < 100000; ++i) {
    const gni_return_t result = GNI_CqGetEvent(queue, &entry);
    if (result != GNI_RC_NOT_DONE) return result;
    sleep_us(0.1);
  }
  return GNI_RC_NOT_DONE;
}

/// Waits for the completion of `descriptor`, in the side's TX queue; the code it ended with.
inline gni_return_t complete(const Side& side, const gni_post_descriptor_t& descriptor) {
  gni_cq_entry_t entry = 0;
  if (next_event(side.tx, entry) == GNI_RC_NOT_DONE) return GNI_RC_NOT_DONE;
  gni_post_descriptor_t* found = nullptr;
  const gni_return_t result = GNI_GetCompleted(side.tx, entry, &found);
  EXPECT_EQ(&descriptor, found);
  return result;
}

}  // namespace nic_test
