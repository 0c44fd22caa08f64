// Forked processes as a job: shared start-up, nodes that are memory only, ends and their reasons.
#include "tests/wire/job_of_processes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>

#include "corespec/host/os_thread.h"
#include "ugni_emu/wire/memory_handle.h"

namespace wire_test {
namespace {

constexpr std::size_t segments_bytes = 4 << 20;  // of a node
constexpr std::size_t most_nodes = 8;
constexpr std::size_t most_segments = 8;
constexpr std::size_t segment_room = segments_bytes / most_segments;

constexpr std::size_t total_bytes =
    SharedPart::head_bytes + SharedPart::exchange_bytes + most_nodes * segments_bytes;

/// Names in shared memory, as far as the wire uses them: each has its place.
std::size_t place_of(const std::string& name) {
  if (name == "wire.delays") return 0;
  if (name == "wire.domains") return 1;
  if (name == "wire.regions.11.7") return 2;
  if (name == "nic.resources") return 3;
  throw std::runtime_error("no place for segment " + name);
}

}  // namespace

SharedPart::SharedPart(int size) : size_(size) {
  void* const memory =
      mmap(nullptr, total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
  memory_ = static_cast<std::byte*>(memory);
  static_assert(sizeof(Head) <= head_bytes);
  new (memory_) Head;
}

SharedPart::~SharedPart() { munmap(memory_, total_bytes); }

void SharedPart::barrier() {
  const std::uint32_t round = head().round.load();
  if (head().arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(size_)) {
    head().arrived.store(0);
    head().round.store(round + 1);
    return;
  }
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (head().round.load() == round) {
    corespec::OsThread::rest();
    if (std::chrono::steady_clock::now() > patience) {
      throw std::runtime_error("a rank of the job has not come to where it meets the others");
    }
  }
}

std::byte* SharedPart::node_segment(int nid, const std::string& name, std::size_t bytes) {
  if (bytes > segment_room) throw std::runtime_error("segment " + name + " is too large");
  return exchange() + exchange_bytes + static_cast<std::size_t>(nid) % most_nodes * segments_bytes +
         place_of(name) * segment_room;
}

std::atomic<std::uint64_t>& SharedPart::word(std::size_t index) { return head().words[index]; }

namespace {

class Memory final : public corespec::NodeMemory {
 public:
  Memory(SharedPart& shared, int nid) : shared_(shared), nid_(nid) {}
  std::byte* segment(const std::string& name, std::size_t bytes) override {
    return shared_.node_segment(nid_, name, bytes);
  }
  std::byte* find(const std::string&, std::size_t) override { return nullptr; }
  bool holds(const void*) const override { return false; }
  corespec::Signal& signal(const std::string& name) override { return signals_[name]; }
  void copy_from_rank(int, std::byte*, const std::byte*, std::size_t) override {
    throw std::logic_error("copy_from_rank");
  }
  void remove(const std::string&) override {}

 private:
  SharedPart& shared_;
  int nid_;
  std::map<std::string, corespec::Signal> signals_;  ///< this process's only
};

class TestNode final : public corespec::Node {
 public:
  TestNode(SharedPart& shared, int nid, const corespec::Parameters& parameters,
           corespec::EventDomain& domain)
      : nid_(nid), parameters_(parameters), domain_(domain), memory_(shared, nid) {}
  int nid() const override { return nid_; }
  corespec::EventDomain& domain() override { return domain_; }
  corespec::EventSource& source() override { return source_; }
  const corespec::Parameters& parameters() const override { return parameters_; }
  corespec::NodeMemory& memory() override { return memory_; }
  corespec::Thread& start_thread(corespec::ThreadRole, corespec::Process*,
                                 std::function<void()>) override {
    throw std::logic_error("start_thread");
  }
  void join(corespec::Thread&) override {}
  std::unique_ptr<corespec::Mutex> make_mutex() override { return nullptr; }
  void raise_interrupt() override {}
  void wake_waiter(const corespec::InterruptWaiter&) override {}
  corespec::NodeStatistics statistics() const override { return {}; }
  int interrupt_cpu() const override { return 0; }
  std::string placement_text() const override { return ""; }

 private:
  int nid_;
  const corespec::Parameters& parameters_;
  corespec::EventDomain& domain_;
  corespec::EventSource source_{1, 0};
  Memory memory_;
};

class TestJob final : public corespec::Job {
 public:
  TestJob(SharedPart& shared, const Arrangement& arrangement)
      : shared_(shared), arrangement_(arrangement) {
    parameters_.provider = arrangement.provider;
    parameters_.network = arrangement.network;
    if (arrangement.nic_steps != corespec::Time()) {
      parameters_.datagram = parameters_.ce_step = arrangement.nic_steps;
    }
  }
  int size() const override { return static_cast<int>(arrangement_.nid.size()); }
  std::uint64_t apid() const override { return 1; }
  int nid_of(int rank) const override { return arrangement_.nid[static_cast<std::size_t>(rank)]; }
  int local_rank_of(int rank) const override {
    return static_cast<int>(
        std::count(arrangement_.nid.begin(), arrangement_.nid.begin() + rank, nid_of(rank)));
  }
  std::vector<int> ranks_on(int nid) const override {
    std::vector<int> ranks;
    for (int rank = 0; rank < size(); ++rank) {
      if (nid_of(rank) == nid) ranks.push_back(rank);
    }
    return ranks;
  }
  std::uint8_t ptag() const override { return 7; }
  std::uint32_t cookie() const override { return 11; }
  const corespec::Parameters& parameters() const override { return parameters_; }
  using Job::barrier;
  void barrier(corespec::Process&, corespec::BarrierService*) override { shared_.barrier(); }
  void exchange(corespec::Process& caller, std::span<const std::byte> in,
                const Take& take) override {
    const auto ranks = static_cast<std::size_t>(size());
    if (in.size() * ranks > SharedPart::exchange_bytes) throw std::logic_error("exchange");
    std::memcpy(shared_.exchange() + static_cast<std::size_t>(caller.rank()) * in.size(), in.data(),
                in.size());
    shared_.barrier();
    for (int rank = 0; rank < size(); ++rank) {
      const std::size_t at = static_cast<std::size_t>(rank) * in.size();
      take(rank, {shared_.exchange() + at, in.size()});
    }
    shared_.barrier();
  }
  void put(corespec::Process&, std::string_view, std::string_view) override {}
  bool get(corespec::Process&, std::string_view, std::string&) override { return false; }
  [[noreturn]] void abort(corespec::Process&, int, std::string_view why) override {
    throw std::runtime_error(std::string(why));
  }
  void report(corespec::Process&, std::string_view) override {}

 private:
  SharedPart& shared_;
  const Arrangement& arrangement_;
  corespec::Parameters parameters_;
};

}  // namespace

struct Rank::Machine {
  Machine(SharedPart& shared, const Arrangement& arrangement, int rank,
          corespec::EventDomain& domain)
      : topology(gemini::make_topology("4x4x4")),
        job(shared, arrangement),
        node(shared, job.nid_of(rank), job.parameters(), domain),
        process(job, node, rank, job.local_rank_of(rank)) {}
  std::shared_ptr<const gemini::Topology> topology;
  TestJob job;
  TestNode node;
  corespec::Process process;
  ugni::Wire* wire = nullptr;
};

Rank::Rank(SharedPart& shared, const Arrangement& arrangement, int rank, std::int64_t start)
    : shared_(shared),
      arrangement_(arrangement),
      rank_(rank),
      clock_(std::make_unique<corespec::LiveClock>(start)),
      domain_(std::make_unique<corespec::LiveDomain>(*clock_)),
      machine_(std::make_unique<Machine>(shared, arrangement, rank, *domain_)) {
  if (!arrangement.faults.empty()) {
    constexpr std::uint64_t seed = 1;
    plan_ = std::make_unique<faults::FaultPlan>(arrangement.faults, "", seed,
                                                faults::FaultPlan::Machine::live);
    faults_ =
        std::make_unique<faults::RankFaults>(*plan_, nid_of(rank), rank, [] { raise(SIGKILL); });
    faults_->set_clock(*domain_);
  }
  wire_ = std::make_unique<ugni::FabricWire>(
      machine_->process, *domain_,
      ugni::FabricWire::Place{rank, arrangement.nid, arrangement.host, faults_.get()},
      *machine_->topology, [this](corespec::Time correction) { clock_->correct(correction); });
  machine_->wire = wire_.get();
  client_ = std::make_unique<RecordingClient>(machine_->wire, *domain_);
  wire_->attach(nid_of(rank), *client_, *domain_);
  domain_->set_arrivals(wire_.get());
  domain_->begin_polling();
}

corespec::Node& Rank::node() { return machine_->node; }
corespec::Process& Rank::process() { return machine_->process; }

Rank::~Rank() {
  leave();
  wire_.reset();
}

void Rank::leave() {
  if (std::exchange(left_, true)) return;
  domain_->end_polling();
  domain_->set_arrivals(nullptr);
}

void Rank::end() {
  leave();
  wire_.reset();
  std::fflush(nullptr);
  _exit(0);
}

void Rank::until(const std::function<bool()>& done, const char* what) {
  const corespec::Time end = domain_->now() + corespec::Time::seconds(20);
  while (!done()) {
    if (!domain_->advance()) corespec::OsThread::rest();
    if (domain_->now() > end) throw std::runtime_error(fmt::format("never came: {}", what));
  }
}

void Rank::meet() {
  ++meetings_;
  word(63).fetch_add(1);
  const std::uint64_t all = meetings_ * arrangement_.nid.size();
  until([&] { return word(63).load() >= all; }, "another rank");
  // A rank that waited has ended its looks before another one goes on.
  stand_still();
}

void Rank::attach_own_domain() {
  const ugni::DomainName name{static_cast<std::uint32_t>(rank_), 11, 7};
  client_->attach(name);
  wire_->domain_attached(nid_of(rank_), name);
}

ugni::Transaction Rank::to(int target, ugni::TransactionKind kind) const {
  ugni::Transaction transaction;
  transaction.kind = kind;
  transaction.ptag = 7;
  transaction.cookie = 11;
  transaction.source = nid_of(rank_);
  transaction.target = nid_of(target);
  transaction.source_instance = static_cast<std::uint32_t>(rank_);
  transaction.target_instance = static_cast<std::uint32_t>(target);
  // Whose region it is, as handles have it: the place among the ranks of the node, from 1.
  const auto& nids = arrangement_.nid;
  const auto place =
      std::count(nids.begin(), nids.begin() + target, nids[static_cast<std::size_t>(target)]);
  transaction.remote_handle.qword2 = static_cast<std::uint64_t>(place + 1)
                                     << ugni::memory_handle::owner_shift;
  return transaction;
}

std::uint64_t Rank::submit(ugni::Transaction transaction, std::span<std::byte> local,
                           ugni::Payload payload) {
  const corespec::EventDomain::Hold hold(*domain_);
  transaction.length = payload.empty() ? local.size() : payload.size();
  const std::uint64_t number = client_->begin(transaction, local);
  wire_->submit(transaction, std::move(payload));
  return number;
}

void run(const Arrangement& arrangement, const std::function<void(Rank&)>& body,
         const std::vector<int>& killed) {
  const auto size = static_cast<int>(arrangement.nid.size());
  SharedPart shared(size);
  // Hosts have begun to count at different moments.
  constexpr std::int64_t between_hosts = 500'000'000;
  const std::int64_t start = corespec::LiveClock::host_nanoseconds();
  std::vector<pid_t> processes;
  for (int rank = 0; rank < size; ++rank) {
    const pid_t process = fork();
    ASSERT_GE(process, 0);
    if (process != 0) {
      processes.push_back(process);
      continue;
    }
    alarm(100);
    int code = 0;
    try {
      const int host = arrangement.host[static_cast<std::size_t>(rank)];
      Rank self(shared, arrangement, rank, start - host * between_hosts);
      body(self);
      self.meet();
    } catch (const std::exception& error) {
      fmt::print(stderr, "rank {}: {}\n", rank, error.what());
      code = 1;
    }
    std::fflush(nullptr);
    _exit(code);
  }
  // The first that fails takes the others with it, as a launcher does.
  for (int ended = 0; ended < size;) {
    int status = 0;
    const pid_t process = wait(&status);
    const auto at = std::find(processes.begin(), processes.end(), process);
    if (at == processes.end()) continue;  // the test's own
    ++ended;
    const auto rank = static_cast<int>(at - processes.begin());
    const bool meant = std::find(killed.begin(), killed.end(), rank) != killed.end();
    const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (well || (meant && WIFSIGNALED(status))) continue;
    ADD_FAILURE() << "rank " << rank << " ended with status " << std::hex << status;
    for (const pid_t other : processes) kill(other, SIGKILL);
  }
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

std::vector<std::byte> random_bytes(std::size_t size, std::uint64_t seed) {
  std::vector<std::byte> bytes(size);
  std::mt19937_64 generator(seed);
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t word = generator();
    std::memcpy(bytes.data() + i, &word, std::min<std::size_t>(8, size - i));
  }
  return bytes;
}

bool woken(Rank& self, int milliseconds) {
  std::vector<pollfd> descriptors;
  for (const int descriptor : self.wire().wait_descriptors()) {
    descriptors.push_back({descriptor, POLLIN, 0});
  }
  return poll(descriptors.data(), descriptors.size(), milliseconds) > 0;
}

void go_to_sleep(Rank& self) {
  self.wire().arm(corespec::ArrivalSource::Sleeper::service);
  while (self.wire().poll() || woken(self, 0)) {
    self.wire().arm(corespec::ArrivalSource::Sleeper::service);
  }
}

std::string provider_name(const testing::TestParamInfo<const char*>& provider) {
  const std::string name = provider.param;
  return name == "auto" ? "SharedMemory" : name == "shm" ? "LibfabricShm" : "Tcp";
}

}  // namespace wire_test
