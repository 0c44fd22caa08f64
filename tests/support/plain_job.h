// A job whose ranks know where they are, and nothing else, for tests.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/job/job.h"

namespace castor_test {

/// All ranks on node 0. What abort() does, every test has its own idea of.
class PlainJob : public corespec::Job {
 public:
  explicit PlainJob(int size, corespec::Parameters parameters = {})
      : size_(size), parameters_(std::move(parameters)) {}
  int size() const override { return size_; }
  std::uint64_t apid() const override { return 1; }
  int nid_of(int) const override { return 0; }
  int local_rank_of(int rank) const override { return rank; }
  std::vector<int> ranks_on(int) const override { return {}; }
  const corespec::Parameters& parameters() const override { return parameters_; }
  using Job::barrier;
  void barrier(corespec::Process&, corespec::BarrierService*) override {}
  void exchange(corespec::Process&, std::span<const std::byte>, const Take&) override {}
  void put(corespec::Process&, std::string_view, std::string_view) override {}
  bool get(corespec::Process&, std::string_view, std::string&) override { return false; }
  void report(corespec::Process&, std::string_view) override {}

 private:
  int size_;
  corespec::Parameters parameters_;
};

}  // namespace castor_test
