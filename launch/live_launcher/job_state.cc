// What has become of a live job, and its exit code.
#include "launch/live_launcher/job_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "corespec/host/printable.h"
#include "launch/description/job_setup.h"

namespace launch {
namespace {

constexpr int signal_exit = 128;

int status_of(int code) {
  constexpr int low_byte = 0xff;
  return (code & low_byte) == 0 ? failed_exit : code & low_byte;
}

}  // namespace

void JobState::say(int rank, std::string_view what) const {
  fmt::print(stderr, "[NID {:05}] Apid {}: rank {}: {}\n", job_.nid_of(rank), job_.apid, rank,
             corespec::printable(what));
}

/// The first failure is the job's.
void JobState::fail(int code, std::string line) {
  if (exit_code_ != 0) return;
  exit_code_ = code;
  end_line_ = std::move(line);
}

void JobState::print_end() const {
  if (!end_line_.empty()) fmt::print(stderr, "Application {} {}\n", job_.apid, end_line_);
}

void JobState::note(const PmixReport& report) {
  Rank& rank = ranks_[static_cast<std::size_t>(report.rank)];
  switch (report.kind) {
    case PmixReport::Kind::joined:
      rank.joined = true;
      rank.left = false;
      break;
    case PmixReport::Kind::left:
      rank.left = true;
      break;
    case PmixReport::Kind::aborted: {
      if (must_end_) return;
      say(report.rank, report.text.empty() ? "aborted" : report.text);
      const int code = status_of(report.code);
      end_job(code, fmt::format("exit codes: {}", code));
      break;
    }
    case PmixReport::Kind::refused:
      say(report.rank, "a second process has called MPI_Init or PMI_Init as this rank; refused");
      break;
  }
  look_for_lost_ranks();
}

void JobState::note(const RankProcesses::Ended& ended, const StateGatherer& states) {
  ranks_[static_cast<std::size_t>(ended.rank)].ended = true;
  if (must_end_) return;  // killed, most likely by the launcher
  if (WIFSIGNALED(ended.status)) {
    const int number = WTERMSIG(ended.status);
    std::string what = strsignal(number) + states.fault(ended.rank, number);
    if (number == SIGSEGV && !missing_.empty()) {
      what += fmt::format("; the program refers to {}, which no library here has",
                          fmt::join(missing_, ", "));
    }
    say(ended.rank, what);
    end_job(signal_exit + number, fmt::format("exit signals: {}", strsignal(number)));
    return;
  }
  note_exit(ended.rank, WEXITSTATUS(ended.status), states);
}

void JobState::note_exit(int number, int code, const StateGatherer& states) {
  Rank& rank = ranks_[static_cast<std::size_t>(number)];
  if (states.may_end(number, code)) rank.left = true;  // by _exit(), which tells nobody
  if (rank.joined && !rank.left) {
    say(number, ended_without_finalize(code));
    end_job(status_of(code), fmt::format("exit codes: {} (rank {})", status_of(code), number));
    return;
  }
  if (code != 0) fail(code, fmt::format("exit codes: {} (rank {})", code, number));
  look_for_lost_ranks();
}

/// A rank that ends without having joined keeps the others waiting for it for ever.
void JobState::look_for_lost_ranks() {
  if (must_end_) return;
  const auto waits = [](const Rank& rank) { return rank.joined && !rank.left; };
  const auto lost = std::find_if(ranks_.begin(), ranks_.end(),
                                 [](const Rank& rank) { return rank.ended && !rank.joined; });
  if (lost == ranks_.end() || std::none_of(ranks_.begin(), ranks_.end(), waits)) return;
  const int number = static_cast<int>(lost - ranks_.begin());
  say(number, "its process has ended without MPI_Init or PMI_Init, which other ranks have called");
  end_job(failed_exit, fmt::format("exit codes: {} (rank {})", failed_exit, number));
}

void JobState::note_signal(int number) {
  fmt::print(stderr, "aprun: Apid {}: Caught signal {}, sending to application\n", job_.apid,
             strsignal(number));
  if (!must_end_) {
    end_job(signal_exit + number, fmt::format("exit signals: {}", strsignal(number)));
  }
}

void JobState::note(const StateGatherer::LateStart& late) {
  if (must_end_) return;
  say(late.rank, late.why);
  end_job(failed_exit, fmt::format("exit codes: {}", failed_exit));
}

void JobState::note_lost_server() {
  if (must_end_) return;
  fmt::print(stderr, "aprun: Apid {}: the PMIx server has ended\n", job_.apid);
  end_job(failed_exit, fmt::format("exit codes: {}", failed_exit));
}

void JobState::note_limit(double limit_s) {
  constexpr int limit_exit = 124;  // as timeout(1) has it
  if (must_end_) return;
  fmt::print(stderr, "aprun: Apid {}: --limit: the job has taken {:g} s and is ended\n", job_.apid,
             limit_s);
  end_job(limit_exit, fmt::format("exit codes: {}", limit_exit));
}

}  // namespace launch
