// A small virtual machine for the NIC's tests: nodes with NICs on a wire of fixed latency.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "corespec/job/job.h"
#include "corespec/virtual/machine.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/nic.h"

namespace nic_test {

using corespec::Time;

/// Every byte takes 1 ns to inject, every way 1 us; transfers are cut into segments of 1,000
/// bytes. Each injector works in order and alone.
class FixedWire final : public ugni::Wire, private corespec::Event {
 public:
  static constexpr Time latency = Time::microseconds(1);
  static constexpr std::uint64_t segment_bytes = 1000;
  static constexpr Time byte_time = Time::nanoseconds(1);

  explicit FixedWire(corespec::EventSource source) : source_(source) {}
  void attach(ugni::NicAddress address, ugni::WireClient& client,
              corespec::EventDomain& domain) override {
    if (clients_.size() <= address) clients_.resize(address + 1);
    clients_[address] = &client;
    domain_ = &domain;
  }
  void submit(ugni::Transaction transaction, ugni::Payload payload) override {
    ++submitted;
    submit_times.push_back(domain_->now());
    Time& free = injector_free_[transaction.source][transaction.injector];
    free = std::max(free, domain_->now());
    const bool get = transaction.kind == ugni::TransactionKind::get;
    const bool whole = transaction.kind == ugni::TransactionKind::atomic;
    std::uint64_t offset = 0;
    do {
      const std::uint64_t length =
          whole ? transaction.length : std::min(segment_bytes, transaction.length - offset);
      if (!get) free += byte_time * static_cast<std::int64_t>(length);
      auto piece = std::make_unique<Piece>();
      piece->transaction = transaction;
      piece->offset = offset;
      piece->length = length;
      piece->last = offset + length == transaction.length;
      if (!payload.empty()) piece->payload = ugni::Payload(payload.bytes().subspan(offset, length));
      later(free, std::move(piece), sent);
      offset += length;
    } while (offset < transaction.length);
  }
  Time least_delay() const override { return latency; }

  std::uint64_t submitted = 0;
  std::vector<Time> submit_times;

 private:
  enum Stage : std::uint64_t { sent, arrived, answered };
  struct Piece {
    ugni::Transaction transaction;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    bool last = false;
    ugni::Payload payload;
    ugni::ResponseStatus status = ugni::ResponseStatus::ok;
    ugni::SegmentView view() { return {transaction, offset, length, last, payload, status}; }
  };
  void later(Time at, std::unique_ptr<Piece> piece, Stage stage) {
    domain_->schedule(at, source_, *this, pieces_.size() << 2 | stage);
    pieces_.push_back(std::move(piece));
  }
  ugni::WireClient* client(ugni::NicAddress address) {
    return address < clients_.size() ? clients_[address] : nullptr;
  }
  void fire(std::uint64_t arg) override {
    std::unique_ptr<Piece> piece = std::move(pieces_[arg >> 2]);
    const ugni::Transaction& transaction = piece->transaction;
    ugni::WireClient& source = *client(transaction.source);
    switch (static_cast<Stage>(arg & 3)) {
      case sent: {
        const bool from_memory = transaction.kind == ugni::TransactionKind::put &&
                                 piece->payload.empty() && piece->length != 0;
        if (from_memory) {
          piece->payload = ugni::Payload(piece->length);
          source.read_source(transaction, piece->offset, piece->payload.bytes());
        }
        if (piece->last) source.request_sent(transaction);
        later(domain_->now() + latency, std::move(piece), arrived);
        break;
      }
      case arrived: {
        ugni::WireClient* target = client(transaction.target);
        piece->status = target != nullptr ? target->request_arrived(piece->view())
                                          : ugni::ResponseStatus::no_such_domain;
        later(domain_->now() + latency, std::move(piece), answered);
        break;
      }
      case answered:
        source.response_arrived(piece->view());
        break;
    }
  }

  corespec::EventSource source_;
  corespec::EventDomain* domain_ = nullptr;
  std::vector<ugni::WireClient*> clients_;
  std::array<std::array<Time, 32>, 8> injector_free_{};
  std::vector<std::unique_ptr<Piece>> pieces_;
};

class TestJob final : public corespec::Job {
 public:
  explicit TestJob(const corespec::Parameters& parameters) : parameters_(parameters) {}
  int size() const override { return 1; }
  std::uint64_t apid() const override { return 1; }
  int nid_of(int) const override { return 0; }
  int local_rank_of(int) const override { return 0; }
  std::vector<int> ranks_on(int) const override { return {}; }
  std::uint8_t ptag() const override { return 42; }
  std::uint32_t cookie() const override { return 0xC00C1E; }
  const corespec::Parameters& parameters() const override { return parameters_; }
  void barrier(corespec::Process&) override {}
  void allgather(corespec::Process&, std::span<const std::byte>, std::span<std::byte>) override {}
  void put(corespec::Process&, std::string_view, std::string_view) override {}
  bool get(corespec::Process&, std::string_view, std::string&) override { return false; }
  /// Leaves its thread asleep, so that the machine ends in a deadlock.
  [[noreturn]] void abort(corespec::Process&, int code, std::string_view why) override {
    abort_code = code;
    abort_reason = why;
    for (;;) corespec::this_thread().sleep_until(Time::max());
  }
  void report(corespec::Process&, std::string_view) override {}

  int abort_code = 0;
  std::string abort_reason;

 private:
  corespec::Parameters parameters_;
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
  explicit TestMachine(int node_count = 1, const corespec::Parameters& parameters = free_software(),
                       int cores = 4)
      : machine(parameters, 64), job(parameters), wire(machine.make_source()) {
    corespec::PlacementRequest request;
    request.ranks_per_node = 1;
    request.depth = cores;
    auto placement = std::make_shared<corespec::Placement>(corespec::Placement::make(
        corespec::NodeTopology::load("package:1 core:" + std::to_string(cores) + " pu:1"),
        request));
    corespec::VirtualDomain& domain = machine.add_domain();
    for (int nid = 0; nid < node_count; ++nid) {
      corespec::VirtualNode& node = machine.add_node(nid, domain, placement);
      node.set_device(std::make_unique<nic::Nic>(node, wire));
      nodes.push_back(&node);
      ranks.push_back(std::make_unique<corespec::Process>(job, node, nid, 0));
    }
  }

  void start(int rank, std::function<void()> body,
             corespec::ThreadRole role = corespec::ThreadRole::application) {
    nodes[static_cast<std::size_t>(rank)]->start_thread(
        role, ranks[static_cast<std::size_t>(rank)].get(), std::move(body));
  }
  corespec::VirtualMachine::Result run() {
    const auto result = machine.run();
    EXPECT_FALSE(result.deadlock);
    return result;
  }

  corespec::VirtualMachine machine;
  TestJob job;
  FixedWire wire;
  std::vector<corespec::VirtualNode*> nodes;
  std::vector<std::unique_ptr<corespec::Process>> ranks;
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
inline void sleep_us(double us) {
  corespec::this_thread().sleep_until(now() + Time::microseconds(us));
}

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

/// Polls until an event comes, at most 10 ms; the code of the call that took it.
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
