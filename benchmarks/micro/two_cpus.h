// What is timed between two CPUs of the host: the caller on one, the answering thread on another.
#pragma once

#include <benchmark/benchmark.h>

#include <vector>

#include "corespec/host/os_thread.h"

namespace engine_benchmark {

/// Binds the caller to the second of the CPUs where it may run, as long as this lives. If there is
/// but one, the benchmark is skipped.
class TwoCpus {
 public:
  explicit TwoCpus(benchmark::State& state) : cpus_(corespec::OsThread::cpus_of_caller()) {
    if (!found()) {
      state.SkipWithError("needs two CPUs");
      return;
    }
    corespec::OsThread::bind_caller({cpus_[1]});
  }
  ~TwoCpus() {
    if (found()) corespec::OsThread::bind_caller(cpus_);
  }
  TwoCpus(const TwoCpus&) = delete;
  TwoCpus& operator=(const TwoCpus&) = delete;

  bool found() const { return cpus_.size() >= 2; }
  /// For threads on the first.
  corespec::OsThread::Options other() const {
    corespec::OsThread::Options options;
    options.cpus = {cpus_[0]};
    return options;
  }

 private:
  std::vector<int> cpus_;
};

}  // namespace engine_benchmark
