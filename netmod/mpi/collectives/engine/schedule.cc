// A non-blocking collective's steps.
#include "netmod/mpi/collectives/engine/schedule.h"

#include <cstring>
#include <utility>

#include "corespec/threads/rank_memory.h"

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"

namespace netmod {

Schedule::~Schedule() {
  if (rank_->finalized()) return;  // never ended, and the requests are gone
  for (std::size_t i = first_open_; i < next_; ++i) {
    if (steps_[i].request != nullptr) rank_->device().release(steps_[i].request);
  }
}

void Schedule::send(const void* data, std::int64_t length, int job_rank, const Envelope& label) {
  Step& step = steps_.emplace_back();
  step.kind = Kind::send;
  step.from = data;
  step.bytes = length;
  step.job_rank = job_rank;
  step.envelope = label;
}

void Schedule::receive(void* data, std::int64_t length, const Envelope& label) {
  Step& step = steps_.emplace_back();
  step.kind = Kind::receive;
  step.to = data;
  step.bytes = length;
  step.envelope = label;
}

void Schedule::fence() {
  if (!steps_.empty() && steps_.back().kind != Kind::fence) steps_.emplace_back();
}

void Schedule::reduce(const Reduction& reduction, const std::byte* in, std::byte* inout,
                      std::int64_t count) {
  Step& step = steps_.emplace_back();
  step.kind = Kind::reduce;
  step.from = in;
  step.to = inout;
  step.bytes = count;
  if (!reduction_) reduction_ = reduction;
}

void Schedule::copy(std::byte* to, const std::byte* from, std::int64_t length) {
  Step& step = steps_.emplace_back();
  step.kind = Kind::copy;
  step.from = from;
  step.to = to;
  step.bytes = length;
}

void Schedule::charge_copy(std::int64_t length) {
  Step& step = steps_.emplace_back();
  step.kind = Kind::charge_copy;
  step.bytes = length;
}

void Schedule::call(std::function<void()> action) {
  Step& step = steps_.emplace_back();
  step.kind = Kind::call;
  step.which = calls_.size();
  calls_.push_back(std::move(action));
}

std::byte* Schedule::memory(std::int64_t length) {
  memory_.push_back(corespec::rank_bytes(length));
  return memory_.back().get();
}

bool Schedule::advance() {
  if (complete()) return true;
  while (next_ < steps_.size() && take(steps_[next_])) ++next_;
  if (next_ < steps_.size() || !finish_messages()) return false;
  set_complete();
  return true;
}

bool Schedule::take(Step& step) {
  switch (step.kind) {
    case Kind::send:
      step.request = rank_->device().send(
          step.from, truncated_ ? 0 : static_cast<std::size_t>(step.bytes), step.job_rank,
          step.envelope, SendMode::standard, DataStays::until_complete);
      messages_.add(*step.request);
      return true;
    case Kind::receive:
      step.request =
          rank_->device().receive(step.to, static_cast<std::size_t>(step.bytes), step.envelope);
      messages_.add(*step.request);
      return true;
    case Kind::fence:
      return finish_messages();
    case Kind::reduce:
      reduction_->apply(static_cast<const std::byte*>(step.from), static_cast<std::byte*>(step.to),
                        step.bytes);
      return true;
    case Kind::copy:
      if (step.bytes > 0 && step.to != step.from) {
        std::memmove(step.to, step.from, static_cast<std::size_t>(step.bytes));
      }
      return true;
    case Kind::charge_copy:
      rank_->charge_copy(step.bytes);
      return true;
    case Kind::call: {
      const auto action = std::move(calls_[step.which]);  // it may write down further ones
      action();
      return true;
    }
  }
  return true;
}

/// A message of another size than was asked for means that ranks gave different arguments.
bool Schedule::finish_messages() {
  if (!messages_.holds()) return false;
  for (; first_open_ < next_; ++first_open_) {
    Step& step = steps_[first_open_];
    if (step.request == nullptr) continue;
    const Completion completion = step.request->completion();
    if (step.kind == Kind::receive &&
        (completion.truncated || completion.bytes != static_cast<std::uint64_t>(step.bytes))) {
      fail();
    }
    rank_->device().release(std::exchange(step.request, nullptr));
  }
  return true;
}

}  // namespace netmod
