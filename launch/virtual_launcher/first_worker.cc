// Output and states of several workers.
#include "launch/virtual_launcher/first_worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "corespec/containers/packed_records.h"
#include "corespec/host/check.h"
#include "corespec/threads/current_thread.h"
#include "launch/virtual_run/run_control.h"

namespace launch {
namespace {

/// Before what a rank has written.
struct WrittenHead {
  corespec::Time at;
  int rank;
  PendingOutput::Kind kind;
};

}  // namespace

FirstWorker::FirstWorker(Workers& workers, RankOutput& output)
    : workers_(workers), output_(output) {
  if (workers_.number() != 0) {
    output_.set_elsewhere(this);
    workers_.set_waiting([this] {
      answer();
      RunControl::serve_asked();
    });
    return;
  }
  workers_.part().mail->set_reader(
      Subject::output, [this](std::size_t, std::span<const std::byte> letter) {
        const auto head = take_record<WrittenHead>(letter);
        // A worker may have been killed while it wrote this.
        if (run_ != nullptr && (head.rank < 0 || head.rank >= run_->job().size())) return;
        output_.take_over(head.at, head.rank, head.kind,
                          {reinterpret_cast<const char*>(letter.data()), letter.size()});
      });
  workers_.set_waiting([this] {
    serve_others();
    RunControl::serve_asked();
  });
  workers_.set_before_end([this](std::size_t worker) {
    if (is_written_out_) return;
    workers_.read_early(worker, Subject::output);
    output_.end_all();
  });
}

FirstWorker::~FirstWorker() {
  output_.set_elsewhere(nullptr);
  workers_.set_waiting({});
  workers_.set_before_end({});
}

void FirstWorker::hand_on(corespec::Time at, int rank, PendingOutput::Kind kind,
                          std::string_view text) {
  workers_.part().mail->send(0, Subject::output, WrittenHead{at, rank, kind},
                             std::as_bytes(std::span(text)));
}

/// After a fault. What is done while the worker waits is the launcher's, not the rank's.
std::string_view FirstWorker::end_all_but_error_of(int rank) {
  corespec::exchange_current_thread(nullptr);
  return workers_.questions().have_written_out(workers_.number(), rank);
}

void FirstWorker::serve_others() {
  if (is_written_out_) return;  // the worker that it was for says why the run ends
  workers_.questions().serve_one([this](std::size_t worker, int rank) {
    workers_.read_early(worker, Subject::output);
    is_written_out_ = true;
    return output_.end_all_but_error_of(rank);
  });
}

void FirstWorker::set_run(VirtualRun& run, OriginalFileOfRank original) {
  run_ = &run;
  original_ = std::move(original);
}

/// The states as pack_situations() has them.
FirstWorker::Situation FirstWorker::own_situation() const {
  if (run_ == nullptr) return {};
  const corespec::Engine& engine = run_->machine().engine();
  return {engine.latest(), engine.events(), pack_situations(*run_, original_)};
}

void FirstWorker::answer() {
  workers_.questions().answer(workers_.number(), [this] {
    const Situation own = own_situation();
    corespec::PackedRecords packed;
    packed.add(own.time.ps());
    packed.add(own.events);
    packed.add_text(own.states);
    return packed.take();
  });
  if (!is_copy_) workers_.questions().stand_still(workers_.number(), Questions::Meanwhile::waiting);
}

void FirstWorker::be_copy(bool run_goes_on) {
  is_copy_ = true;
  workers_.be_copy(run_goes_on);
}

FirstWorker::Usage FirstWorker::own_usage() const {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  constexpr double gb_per_kb = 1024e-9;
  constexpr double mb = 1e6;
  return {seconds(used.ru_utime) + seconds(used.ru_stime),
          static_cast<double>(used.ru_maxrss) * gb_per_kb,
          static_cast<double>(workers_.bytes_written()) / mb};
}

void FirstWorker::end(std::span<const Shared> all) {
  const Part part = workers_.part();
  usage_.resize(part.count);
  part.mail->set_reader(Subject::usage,
                        [this](std::size_t from, std::span<const std::byte> letter) {
                          usage_[from] = take_record<Usage>(letter);
                        });
  part.mail->set_reader(Subject::share, [&](std::size_t from, std::span<const std::byte> letter) {
    const auto number = take_record<std::uint64_t>(letter);
    CASTOR_CHECK(number < all.size(), "workers share the same things");
    all[number].add(from, {reinterpret_cast<const char*>(letter.data()), letter.size()});
  });
  if (part.is_first()) {
    usage_.front() = own_usage();
  } else {
    for (std::uint64_t number = 0; number < all.size(); ++number) {
      const std::string share = all[number].pack();
      part.mail->send(0, Subject::share, number, std::as_bytes(std::span(share)));
    }
    part.mail->send(0, Subject::usage, own_usage());
  }
  meet_after_run(part);
  workers_.leave();
}

std::string FirstWorker::usage() const {
  std::vector<std::string> seconds;
  std::vector<std::string> memory;
  double letters_mb = 0;
  for (const Usage& each : usage_) {
    seconds.push_back(fmt::format("{:.2f}", each.cpu_s));
    memory.push_back(fmt::format("{:.2f}", each.memory_gb));
    letters_mb += each.letters_mb;
  }
  return fmt::format(
      "{} workers: {} s of CPU time, {} GB at most; they have met {} times and written each other "
      "{:.1f} MB",
      usage_.size(), fmt::join(seconds, " + "), fmt::join(memory, " + "), workers_.rounds(),
      letters_mb);
}

FirstWorker::Situation FirstWorker::ask_all(std::string_view speaker, Questions::Then then) {
  Situation all = own_situation();
  std::vector<std::string> parts{std::move(all.states)};
  std::string silent;
  for (std::size_t worker = 1; worker < workers_.count(); ++worker) {
    std::optional<std::string> said;
    if (workers_.reaches(worker)) {
      said = workers_.questions().ask(worker, then, [&] { workers_.wake(worker); });
    }
    if (!said) {
      silent +=
          fmt::format("{}: worker {} does not say what its ranks are doing\n", speaker, worker);
      continue;
    }
    corespec::RecordReader reader(*said);
    all.time = std::max(all.time, corespec::Time::picoseconds(reader.take<std::int64_t>()));
    all.events += reader.take<std::uint64_t>();
    parts.emplace_back(reader.take_text());
    if (then == Questions::Then::stand_still) workers_.read_early(worker, Subject::output);
  }
  all.states = describe_parts(speaker, run_->job().size(), parts) + silent;
  return all;
}

}  // namespace launch
