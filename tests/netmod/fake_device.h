// A device without a network, and a world of ranks around it: for tests of what lies above.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/virtual/machine.h"
#include "netmod/device/interface/device.h"

namespace netmod::testing {

class FakeDevice;

/// Thrown in a rank whose job ended: unwinds its fiber.
struct JobAborted {};

/// `size` ranks on one modelled node; messages are matched by the textbook and take no time.
class FakeWorld final : public corespec::Job {
 public:
  /// Messages above `eager_bytes` stay with the sender until they are matched.
  explicit FakeWorld(int size, std::int64_t eager_bytes = 1000);
  ~FakeWorld() override;

  /// Runs `body(rank)` on every rank to the end. Ranks that never end are a failure.
  void run(const std::function<void(int rank)>& body);

  /// What MPI_Abort and fatal errors said, in order, and the first one's code.
  const std::vector<std::string>& abort_lines() const { return abort_lines_; }
  int abort_code() const { return abort_code_; }
  corespec::Process& process(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }
  corespec::Node& node() { return *node_; }

  int size() const override { return static_cast<int>(ranks_.size()); }
  std::uint64_t apid() const override { return 1; }
  int nid_of(int) const override { return 7; }
  int local_rank_of(int rank) const override { return rank; }
  std::vector<int> ranks_on(int nid) const override;
  const corespec::Parameters& parameters() const override { return parameters_; }
  using Job::barrier;
  void barrier(corespec::Process& caller, corespec::BarrierService* service) override;
  void exchange(corespec::Process&, std::span<const std::byte>, const Take&) override {}
  void put(corespec::Process&, std::string_view, std::string_view) override {}
  bool get(corespec::Process&, std::string_view, std::string&) override { return false; }
  [[noreturn]] void abort(corespec::Process& caller, int code, std::string_view why) override;
  void report(corespec::Process&, std::string_view) override {}

 private:
  friend class FakeDevice;
  corespec::Parameters parameters_;
  std::unique_ptr<corespec::VirtualMachine> machine_;
  corespec::VirtualNode* node_ = nullptr;
  std::vector<std::unique_ptr<corespec::Process>> ranks_;
  std::vector<FakeDevice*> devices_;
  std::int64_t eager_bytes_;
  int opened_ = 0;
  std::vector<std::string> abort_lines_;
  int abort_code_ = 0;
};

}  // namespace netmod::testing
