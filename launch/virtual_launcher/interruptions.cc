// What aprun says and does when the host interrupts a run in virtual time.
#include "launch/virtual_launcher/interruptions.h"

#include <fmt/format.h>
#include <string.h>

#include "launch/libc/rank_program.h"
#include "launch/libc/rank_signals.h"
#include "launch/virtual_run/rank_states.h"

namespace launch {

std::string Interruptions::original_file(const corespec::Process& rank, const void* address) {
  const auto* program =
      static_cast<const RankProgram*>(rank.state(corespec::Process::Slot::program));
  const ImageFile* file = program == nullptr ? nullptr : program->copy().file_at(address);
  return file == nullptr ? std::string() : file->elf().path();
}

FirstWorker::Situation Interruptions::own_situation() const {
  const corespec::Engine& engine = run_.machine().engine();
  return {engine.latest(), engine.events(), describe_ranks(run_, "aprun", original_file)};
}

std::string Interruptions::states() const {
  return workers_ == nullptr ? own_situation().states : workers_->ask_all("aprun").states;
}

void Interruptions::say(std::string_view why, const FirstWorker::Situation& situation) {
  say(fmt::format("aprun: {} at virtual time {:.6f} s, after {} events\n", why, situation.time.s(),
                  situation.events),
      situation.states);
}

void Interruptions::say(std::string_view why) {
  say(why, workers_ == nullptr ? own_situation() : workers_->ask_all("aprun"));
}

void Interruptions::say_last(std::string_view why) {
  const FirstWorker::Situation last =
      workers_ == nullptr ? own_situation() : workers_->ask_a_last_time("aprun");
  output_.end_all();
  say(why, last);
}

/// How many events it took depends on the order of turns, and is not said.
void Interruptions::say_time_limit(corespec::Time time) {
  say(fmt::format("aprun: -t: the run has been ended at virtual time {:.6f} s\n", time.s()),
      states());
}

void Interruptions::say(const std::string& line, const std::string& states) {
  if (writes_out_) output_.flush();
  const std::string text = line + states;
  progress_.clear();
  // Not fmt::print(): a stream that takes no more is no reason to fail.
  std::fputs(text.c_str(), errors_);
  std::fflush(errors_);
}

void Interruptions::interrupted() { pass_on_foreign_signals(run_.machine().engine().latest()); }

/// Another worker than the first gets the signal from that one, which asks.
void Interruptions::show_state() {
  if (is_first_) {
    say("SIGQUIT: what the ranks are doing");
  } else {
    workers_->answer();
  }
}

void Interruptions::show_progress(double elapsed_s) {
  const corespec::Engine& engine = run_.machine().engine();
  const VirtualJob& job = run_.job();
  progress_.show(
      fmt::format("castor: virtual time {:.6f} s, {} events ({} a second), {} of {} ranks "
                  "ended, {:.0f} s",
                  engine.latest().s(), short_number(engine.events()),
                  short_number(rate_.next(engine.events(), elapsed_s)), job.end().ended, job.size(),
                  elapsed_s));
}

/// The launcher of several hosts' workers ends this one where another one has ended and said why.
bool Interruptions::say_end_by_signal(int number) {
  if (workers_ != nullptr && workers_->is_ending()) return false;
  say_last(fmt::format("SIG{} ({}) has ended the run", sigabbrev_np(number), sigdescr_np(number)));
  return true;
}

void Interruptions::say_end_by_limit() {
  say_last(
      fmt::format("--limit: the run has taken {:g} s on this host and has been ended", limit_s_));
}

void Interruptions::rank_computes() {
  if (workers_ != nullptr) workers_->look_around();
}

void Interruptions::is_copy(bool run_goes_on) {
  writes_out_ = !run_goes_on;
  if (workers_ != nullptr) workers_->be_copy(run_goes_on);
}

void Interruptions::copy_has_ended() {
  if (workers_ != nullptr) workers_->stand_still_if_asked();
}

}  // namespace launch
