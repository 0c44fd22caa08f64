// The fake device: two lists per rank, searched from the front.
#include "tests/netmod/fake_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <memory>
#include <stdexcept>
#include <utility>

#include "corespec/topology/placement.h"

namespace netmod::testing {
namespace {

/// Where an eager message's bytes are: still at the sender's, or here.
struct EagerBytes {
  const void* lent = nullptr;  ///< null: they are here
  std::vector<std::byte> copy;
  const void* data() const { return lent != nullptr ? lent : copy.data(); }
  void settle(std::size_t bytes) {
    if (lent == nullptr) return;
    const auto* const from = static_cast<const std::byte*>(std::exchange(lent, nullptr));
    copy.assign(from, from + bytes);
  }
};

struct FakeRequest final : Request {
  void* data = nullptr;
  Sink* sink = nullptr;  ///< instead
  using Request::bytes;
  using Request::end;
  using Request::envelope;
  using Request::number;
  using Request::peer;
  bool orphan = false;
  std::shared_ptr<EagerBytes> eager;  ///< that it lends
  std::shared_ptr<EagerBytes> kept;   ///< that its sink has yet to take
  void lend(std::shared_ptr<EagerBytes> what) {
    eager = std::move(what);
    lends_ = true;
  }
  void end_loan() {
    if (eager != nullptr) std::exchange(eager, nullptr)->settle(bytes);
    lends_ = false;
  }
};

struct Message : TakenMessage {
  Envelope envelope;
  std::shared_ptr<EagerBytes> eager;  ///< null: `data` waits
  FakeRequest* sender = nullptr;      ///< waits to be matched, or null
  std::uint32_t number = 0;           ///< eager
  const void* data = nullptr;
  std::size_t bytes = 0;
  FakeDevice* from = nullptr;
};

bool matches(const Envelope& wanted, const Envelope& offered) {
  return wanted.context == offered.context &&
         (wanted.source == any_source || wanted.source == offered.source) &&
         (wanted.tag == any_tag || wanted.tag == offered.tag);
}

}  // namespace

class FakeDevice final : public Device {
 public:
  FakeDevice(FakeWorld& world, corespec::Process& process, ThreadLevel level)
      : world_(world), process_(process), level_(level) {
    if (level == ThreadLevel::multiple) mutex_ = process.node().make_mutex();
    world.devices_[static_cast<std::size_t>(process.rank())] = this;
  }
  ~FakeDevice() override {
    const bool orderly = world_.abort_lines_.empty();
    EXPECT_TRUE(open_requests_ == 0 || !orderly)
        << open_requests_ << " requests not given back by rank " << process_.rank();
    world_.devices_[static_cast<std::size_t>(process_.rank())] = nullptr;
  }

  /// Returns when all ranks have a device.
  void meet() {
    if (++world_.opened_ == world_.size()) {
      for (FakeDevice* device : world_.devices_) device->signal_.notify();
    }
    auto lock = std::move(mutex_);  // no thread holds it yet
    wait_until([this] { return world_.opened_ == world_.size(); });
    mutex_ = std::move(lock);
  }

  ThreadLevel granted_level() const override { return level_; }
  corespec::Process& process() override { return process_; }

  Request* send(const void* data, std::size_t bytes, int destination, const Envelope& envelope,
                SendMode mode, DataStays stays) override {
    corespec::this_thread().sync();
    auto* request = new_request(nullptr, bytes, envelope);
    FakeDevice& target = *world_.devices_.at(static_cast<std::size_t>(destination));
    Message message;
    message.envelope = envelope;
    message.data = data;
    message.bytes = bytes;
    message.from = this;
    const bool eager = static_cast<std::int64_t>(bytes) <= world_.eager_bytes_;
    if (mode == SendMode::synchronous || !eager) message.sender = request;
    if (eager && bytes != 0) {
      message.eager = std::make_shared<EagerBytes>(EagerBytes{data, {}});
      const bool lends = message.sender == nullptr && stays == DataStays::until_released;
      if (!lends) message.eager->settle(bytes);
      if (lends) request->lend(message.eager);
    }
    if (message.sender == nullptr) {
      request->peer = destination;
      request->number = message.number = ++last_number_;
      request->end({any_source, any_tag, bytes, false, false});
    }
    target.arrive(std::move(message));
    return request;
  }

  Request* receive(void* data, std::size_t capacity, const Envelope& envelope) override {
    return start_receive(new_request(data, capacity, envelope));
  }

  Request* receive(Sink& sink, std::size_t capacity, const Envelope& envelope) override {
    auto* request = new_request(nullptr, capacity, envelope);
    request->sink = &sink;
    return start_receive(request);
  }

  Request* start_receive(FakeRequest* request) {
    corespec::this_thread().sync();
    const Envelope envelope = request->envelope;
    const auto found =
        std::find_if(unexpected_.begin(), unexpected_.end(),
                     [&](const Message& message) { return matches(envelope, message.envelope); });
    if (found == unexpected_.end()) {
      posted_.push_back(request);
    } else {
      deliver(*found, *request);
      unexpected_.erase(found);
    }
    return request;
  }

  bool probe(const Envelope& envelope, Completion& found) override {
    progress();
    for (const Message& message : unexpected_) {
      if (!matches(envelope, message.envelope)) continue;
      found = {message.envelope.source, message.envelope.tag, message.bytes, false, false};
      return true;
    }
    return false;
  }

  TakenMessage* take(const Envelope& envelope, Completion& found) override {
    if (!probe(envelope, found)) return nullptr;
    const auto first =
        std::find_if(unexpected_.begin(), unexpected_.end(),
                     [&](const Message& message) { return matches(envelope, message.envelope); });
    taken_.splice(taken_.end(), unexpected_, first);
    return &taken_.back();
  }
  Request* receive_taken(void* data, std::size_t capacity, TakenMessage* message) override {
    corespec::this_thread().sync();
    const auto found = std::find_if(taken_.begin(), taken_.end(),
                                    [&](const Message& taken) { return &taken == message; });
    EXPECT_NE(found, taken_.end());
    auto* request = new_request(data, capacity, found->envelope);
    deliver(*found, *request);
    taken_.erase(found);
    return request;
  }
  void wake() override {
    corespec::this_thread().sync();
    signal_.notify();
  }

  void cancel(Request& request) override {
    auto& cancelled = static_cast<FakeRequest&>(request);
    const auto found = std::find(posted_.begin(), posted_.end(), &cancelled);
    if (found == posted_.end()) return;
    posted_.erase(found);
    cancelled.end({any_source, any_tag, 0, false, true});
  }

  Request* recall(const SentMessage& sent) override {
    corespec::this_thread().sync();
    auto* request = new_request(nullptr, 0, {});
    const bool taken = world_.devices_.at(static_cast<std::size_t>(sent.peer))
                           ->unexpected_.remove_if([&](const Message& message) {
                             return message.from == this && message.number == sent.number;
                           }) != 0;
    request->end({any_source, any_tag, 0, false, taken});
    return request;
  }

  void progress() override {
    corespec::this_thread().charge(corespec::Time::nanoseconds(20));
    corespec::this_thread().sync();
    if (listener_ != nullptr) listener_->passed();
  }
  void listen(PassListener* listener) override { listener_ = listener; }

  void wait_until(const Condition& awaited) override {
    corespec::Thread& thread = corespec::this_thread();
    for (;;) {
      thread.sync();
      const std::uint64_t seen = signal_.epoch();
      if (listener_ != nullptr) listener_->passed();
      if (awaited.holds()) return;
      thread.spin(signal_, seen, corespec::Time::nanoseconds(50), mutex_.get());
    }
  }

  rma::RmaPort& one_sided() override { throw std::logic_error("there is no NIC"); }

  void hand_over(Request& request) override {
    auto& receive = static_cast<FakeRequest&>(request);
    const auto kept = std::exchange(receive.kept, nullptr);
    if (kept == nullptr) return;
    receive.sink->take(static_cast<const std::byte*>(kept->data()), receive.bytes);
  }
  void end_loan(Request& request) override { static_cast<FakeRequest&>(request).end_loan(); }

  void release(Request* request) override {
    auto& released = static_cast<FakeRequest&>(*request);
    released.end_loan();
    --open_requests_;
    if (released.complete()) {
      delete &released;
    } else {
      released.orphan = true;
    }
  }

  void close() override {
    const std::uint64_t wanted = static_cast<std::uint64_t>(world_.size());
    for (FakeDevice* device : world_.devices_) {
      if (device == nullptr) continue;
      ++device->closed_;
      device->signal_.notify();
    }
    wait_until([&] { return closed_ >= wanted; });
  }

  void lock() override {
    if (mutex_ != nullptr) mutex_->lock();
  }
  void unlock() override {
    if (mutex_ != nullptr) mutex_->unlock();
  }

 private:
  FakeRequest* new_request(void* data, std::size_t bytes, const Envelope& envelope) {
    auto* request = new FakeRequest;
    request->data = data;
    request->bytes = bytes;
    request->envelope = envelope;
    ++open_requests_;
    return request;
  }

  void arrive(Message message) {
    const auto found = std::find_if(posted_.begin(), posted_.end(), [&](const FakeRequest* posted) {
      return matches(posted->envelope, message.envelope);
    });
    if (found == posted_.end()) {
      unexpected_.push_back(std::move(message));
    } else {
      FakeRequest* request = *found;
      posted_.erase(found);
      deliver(message, *request);
    }
    signal_.notify();
  }

  static void finish(FakeRequest& request, const Completion& how) {
    request.end(how);
    if (request.orphan) delete &request;
  }

  void deliver(Message& message, FakeRequest& request) {
    const std::size_t fits = std::min(message.bytes, request.bytes);
    const void* from = message.eager == nullptr ? message.data : message.eager->data();
    if (request.sink != nullptr && message.eager != nullptr) {
      if (!request.sink->take(static_cast<const std::byte*>(from), fits)) {
        request.kept = message.eager;
      }
    } else {
      if (request.sink != nullptr) request.data = request.sink->room(request.bytes);
      if (fits != 0) std::memcpy(request.data, from, fits);
    }
    finish(request, {message.envelope.source, message.envelope.tag, fits,
                     message.bytes > request.bytes, false});
    if (message.sender == nullptr) return;
    finish(*message.sender, {});
    message.from->signal_.notify();
  }

  FakeWorld& world_;
  corespec::Process& process_;
  ThreadLevel level_;
  std::unique_ptr<corespec::Mutex> mutex_;
  corespec::Signal signal_;
  PassListener* listener_ = nullptr;
  std::list<FakeRequest*> posted_;
  std::list<Message> unexpected_;
  std::list<Message> taken_;  ///< and not received yet
  std::uint32_t last_number_ = 0;
  std::uint64_t closed_ = 0;
  int open_requests_ = 0;
};

FakeWorld::FakeWorld(int size, std::int64_t eager_bytes)
    : devices_(static_cast<std::size_t>(size), nullptr), eager_bytes_(eager_bytes) {
  machine_ =
      std::make_unique<corespec::VirtualMachine>(parameters_, static_cast<std::size_t>(size));
  corespec::PlacementRequest request;
  request.ranks_per_node = size;
  const auto topology = corespec::NodeTopology::load("package:1 core:64 pu:1");
  auto placement =
      std::make_shared<corespec::Placement>(corespec::Placement::make(topology, request));
  node_ = &machine_->add_node(7, machine_->add_domain(), placement);
  for (int rank = 0; rank < size; ++rank) {
    ranks_.push_back(std::make_unique<corespec::Process>(*this, *node_, rank, rank));
  }
}

FakeWorld::~FakeWorld() { ranks_.clear(); }  // devices go before what they point to

void FakeWorld::run(const std::function<void(int rank)>& body) {
  int ended = 0;
  for (const auto& process : ranks_) {
    node_->start_thread(corespec::ThreadRole::application, process.get(),
                        [&body, &ended, rank = process->rank()] {
                          try {
                            body(rank);
                          } catch (const JobAborted&) {
                          }
                          ++ended;
                        });
  }
  const corespec::VirtualMachine::Result result = machine_->run();
  if (!abort_lines_.empty()) return;  // the others wait for ever
  EXPECT_FALSE(result.deadlock);
  EXPECT_EQ(ended, size());
}

std::vector<int> FakeWorld::ranks_on(int) const {
  std::vector<int> all;
  for (int rank = 0; rank < size(); ++rank) all.push_back(rank);
  return all;
}

void FakeWorld::barrier(corespec::Process&, corespec::BarrierService*) {}

void FakeWorld::abort(corespec::Process& caller, int code, std::string_view why) {
  if (abort_lines_.empty()) abort_code_ = code;
  abort_lines_.push_back("rank " + std::to_string(caller.rank()) + ": " + std::string(why));
  throw JobAborted();
}

}  // namespace netmod::testing

namespace netmod {

std::unique_ptr<Device> Device::open(corespec::Process& process, ThreadLevel requested, GniCalls) {
  auto& world = static_cast<testing::FakeWorld&>(process.job());
  auto device = std::make_unique<testing::FakeDevice>(world, process, requested);
  device->meet();
  return device;
}

}  // namespace netmod
