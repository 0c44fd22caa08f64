// An end of each wait in start-up.
#include "launch/start_up/start_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "corespec/host/os_thread.h"
#include "corespec/host/what_happened.h"

namespace launch {

class StartWatch::Body {
 public:
  Body(std::int64_t patience_s, Tell tell) : patience_s_(patience_s), tell_(std::move(tell)) {}

  void start() {
    if (patience_s_ == 0) return;
    corespec::OsThread::Options options;
    options.name = "castor-start";
    thread_ = std::make_unique<corespec::OsThread>(options, [this] { run(); });
  }
  void stop() {
    {
      const std::lock_guard hold(mutex_);
      stopped_ = true;
      changed_.notify_one();
    }
    thread_.reset();
  }
  void begin(std::string what, Ask ask) {
    const std::lock_guard hold(mutex_);
    what_ = std::move(what);
    ask_ = std::move(ask);
    ++wait_;
    changed_.notify_one();
  }
  void answered(std::uint64_t wait) {
    const std::lock_guard hold(mutex_);
    if (wait != wait_) return;
    answered_ = true;
    changed_.notify_one();
  }
  void set_asker(std::function<void(const Ask&, std::uint64_t wait)> asker) {
    asker_ = std::move(asker);
  }

 private:
  void run();
  /// False: another wait has begun, or there is none any more.
  bool lasts(std::unique_lock<std::mutex>& hold, std::uint64_t wait,
             std::chrono::milliseconds time) {
    return !changed_.wait_for(hold, time, [&] { return stopped_ || wait != wait_; });
  }
  bool asks_in_vain(std::unique_lock<std::mutex>& hold, std::uint64_t wait,
                    std::chrono::milliseconds time);

  const std::int64_t patience_s_;
  const Tell tell_;
  std::function<void(const Ask&, std::uint64_t wait)> asker_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_ = "its start";
  Ask ask_;
  std::uint64_t wait_ = 0;
  bool answered_ = false;
  bool stopped_ = false;
  std::unique_ptr<corespec::OsThread> thread_;
};

/// True if no answer has come within `time`. Else what is waited for may take longer.
bool StartWatch::Body::asks_in_vain(std::unique_lock<std::mutex>& hold, std::uint64_t wait,
                                    std::chrono::milliseconds time) {
  answered_ = false;
  const Ask ask = ask_;
  hold.unlock();  // the answer may come before the question has returned
  asker_(ask, wait);
  hold.lock();
  changed_.wait_for(hold, time, [&] { return stopped_ || wait != wait_ || answered_; });
  return !stopped_ && wait == wait_ && !answered_;
}

void StartWatch::Body::run() {
  const std::chrono::milliseconds half{patience_s_ * 1000 / 2};
  std::unique_lock hold(mutex_);
  while (!stopped_) {
    const std::uint64_t wait = wait_;
    if (!lasts(hold, wait, half)) continue;
    if (ask_ ? !asks_in_vain(hold, wait, half) : !lasts(hold, wait, half)) continue;
    const std::string why = fmt::format("start-up: has waited {} s (CASTOR_START_TIMEOUT) for {}{}",
                                        patience_s_, what_, corespec::address_limit());
    hold.unlock();
    tell_(why);
    _exit(EXIT_FAILURE);
  }
}

StartWatch::StartWatch(std::int64_t patience_s, Tell tell)
    : body_(std::make_shared<Body>(patience_s, std::move(tell))) {
  body_->set_asker([weak = std::weak_ptr(body_)](const Ask& ask, std::uint64_t wait) {
    ask([weak, wait] {
      if (const std::shared_ptr<Body> body = weak.lock()) body->answered(wait);
    });
  });
  body_->start();
}

StartWatch::~StartWatch() { body_->stop(); }

void StartWatch::waits_for(std::string what) { body_->begin(std::move(what), nullptr); }

void StartWatch::waits_for(std::string what, Ask ask) {
  body_->begin(std::move(what), std::move(ask));
}

}  // namespace launch
