// A launcher for tests: runs N copies of a program on fibers, without a machine behind them.
//
//   rank_runner [-n COPIES] [-e NAME=value]... PROGRAM ARGUMENTS...
//
// Prints "rank R: exited|exited_early|aborted STATUS" for each rank to standard error, in order.
// Exit code 2 and one line if the program cannot be loaded.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "corespec/job/missing_function.h"
#include "corespec/virtual/fiber.h"
#include "launch/libc/rank_program.h"
#include "launch/loader/program_copy.h"
#include "launch/loader/program_image.h"
#include "tests/launch/fake_machine.h"

namespace {

class Rank {
 public:
  Rank(corespec::StackPool& stacks, corespec::Job& job, corespec::Node& node, int number,
       launch::ProgramCopy& copy, const std::vector<std::string>& arguments,
       const std::vector<std::string>& environment)
      : process_(job, node, number, number),
        thread_(node, process_, [this] { fiber_.suspend(); }),
        fiber_(stacks, &Rank::main, this) {
    char directory[4096];
    auto program = std::make_unique<launch::RankProgram>(copy, arguments, environment,
                                                         getcwd(directory, sizeof directory));
    program_ = program.get();
    process_.set_state(corespec::Process::Slot::program, std::move(program));
  }

  /// Runs until the rank pauses or ends; false once it has ended.
  bool resume() {
    if (fiber_.finished()) return false;
    running() = this;
    fiber_.resume();
    running() = nullptr;
    return !fiber_.finished();
  }

  void print_end() const {
    constexpr const char* kinds[] = {"exited", "exited_early", "aborted"};
    std::fprintf(stderr, "rank %d: %s %d\n", process_.rank(), kinds[static_cast<int>(end_.kind)],
                 end_.status);
  }
  launch_test::FakeThread& thread() { return thread_; }

  static Rank*& running() {
    static Rank* rank = nullptr;
    return rank;
  }

 private:
  static void main(void* rank) {
    auto& self = *static_cast<Rank*>(rank);
    self.end_ = self.program_->run();
  }

  corespec::Process process_;
  launch_test::FakeThread thread_;
  launch::RankProgram* program_ = nullptr;
  corespec::Fiber fiber_;
  launch::ProgramEnd end_;
};

int run(const std::string& name, int copies, const std::vector<std::string>& arguments,
        const std::vector<std::string>& environment) {
  const auto image = launch::ProgramImage::open(launch::find_program(name, ""), "");
  std::vector<std::unique_ptr<launch::ProgramCopy>> loaded;
  const int needed = image->shared() ? 1 : copies;
  for (int i = 0; i < needed; ++i) {
    loaded.push_back(launch::ProgramCopy::load(*image, static_cast<std::uint64_t>(i)));
  }
  launch_test::FakeNode node;
  launch_test::FakeJob job(copies);
  corespec::StackPool stacks(256 * 1024, static_cast<std::size_t>(copies));
  std::vector<std::unique_ptr<Rank>> ranks;
  for (int i = 0; i < copies; ++i) {
    auto& copy = *loaded[static_cast<std::size_t>(image->shared() ? 0 : i)];
    ranks.push_back(std::make_unique<Rank>(stacks, job, node, i, copy, arguments, environment));
  }
  for (bool any = true; any;) {
    any = false;
    for (auto& rank : ranks) any = rank->resume() || any;
  }
  for (const auto& rank : ranks) rank->print_end();
  return 0;
}

}  // namespace

namespace corespec {
Thread* this_thread_or_null() {
  Rank* rank = Rank::running();
  return rank != nullptr ? &rank->thread() : nullptr;
}
Process* this_process_or_null() {
  Thread* thread = this_thread_or_null();
  return thread != nullptr ? thread->process() : nullptr;
}
}  // namespace corespec

extern "C" void castor_missing_function(const char* name) {
  corespec::Process& process = *corespec::this_process_or_null();
  process.job().abort(process, 1, std::string("missing ") + name);
  launch::abort_launcher();  // the compiler does not trust a virtual [[noreturn]]
}

extern "C" void castor_work_ns(double ns) {
  if (Rank* rank = Rank::running()) rank->thread().work(corespec::Time::nanoseconds(ns));
}

int main(int argc, char** argv) {
  int copies = 1;
  std::vector<std::string> environment;
  int at = 1;
  for (; at + 1 < argc; at += 2) {
    if (std::strcmp(argv[at], "-n") == 0) {
      copies = std::stoi(argv[at + 1]);
    } else if (std::strcmp(argv[at], "-e") == 0) {
      environment.emplace_back(argv[at + 1]);
    } else {
      break;
    }
  }
  if (at >= argc) return 2;
  try {
    return run(argv[at], copies, {argv + at, argv + argc}, environment);
  } catch (const launch::LoadError& error) {
    std::fprintf(stderr, "aprun: %s\n", error.what());
    return 2;
  }
}
