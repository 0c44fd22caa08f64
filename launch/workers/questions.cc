// Questions between workers.
#include "launch/workers/questions.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <new>
#include <stdexcept>

namespace launch {
namespace {

/// Of addresses: a page of memory is used where an answer is.
constexpr std::size_t room = std::size_t{1} << 32;

}  // namespace

struct Questions::Page {
  std::atomic<std::uint32_t> asked = 0;     ///< by the first worker: how often
  std::atomic<std::uint32_t> answered = 0;  ///< the last of these that has an answer here
  std::atomic<Then> then = Then::go_on;
  enum : std::uint32_t { nothing, wanted, done };
  std::atomic<std::uint32_t> writing_out = nothing;
  int rank = -1;  ///< for which it is wanted
  std::size_t bytes = 0;
  char* text() { return reinterpret_cast<char*>(this + 1); }
  void set_text(std::string_view said) {
    bytes = std::min(said.size(), room - sizeof(Page));
    if (bytes != 0) std::memcpy(text(), said.data(), bytes);
  }
  std::string_view said() { return {text(), bytes}; }
};

Questions::Questions(std::size_t workers) : workers_(workers) {
  void* const memory = mmap(nullptr, workers * room, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error(fmt::format(
        "--workers: the host has no {} GiB of addresses for what workers share (ulimit -v?)",
        (workers * room) >> 30));
  }
  memory_ = static_cast<std::byte*>(memory);
  for (std::size_t worker = 0; worker < workers; ++worker) new (&page(worker)) Page();
}

Questions::~Questions() { munmap(memory_, workers_ * room); }

void Questions::wait_a_little() const {
  if (waiting_) waiting_();
  pause();
}

/// Not nanosleep(), which is interposed: a rank may call.
void Questions::pause() {
  constexpr timespec millisecond{0, 1'000'000};
  syscall(SYS_nanosleep, &millisecond, nullptr);
}

Questions::Page& Questions::page(std::size_t worker) const {
  return *reinterpret_cast<Page*>(memory_ + worker * room);
}

std::optional<std::string> Questions::ask(std::size_t worker, Then then,
                                          const std::function<void()>& wake) {
  Page& page = this->page(worker);
  page.then.store(then);
  const std::uint32_t question = page.asked.fetch_add(1) + 1;
  wake();
  constexpr int longest = 5000;
  for (int waited = 0; page.answered.load() != question; ++waited) {
    if (waited == longest) return std::nullopt;
    wait_a_little();
  }
  return std::string(page.said());
}

void Questions::answer(std::size_t worker, const std::function<std::string()>& say) {
  Page& page = this->page(worker);
  const std::uint32_t question = page.asked.load();
  if (question == page.answered.load()) return;
  page.set_text(say());
  page.answered.store(question);
}

void Questions::stand_still(std::size_t worker, Meanwhile meanwhile) const {
  const Page& page = this->page(worker);
  while (page.then.load() == Then::stand_still && page.answered.load() == page.asked.load()) {
    if (meanwhile == Meanwhile::waiting) {
      wait_a_little();
    } else {
      pause();
    }
  }
}

std::string_view Questions::have_written_out(std::size_t worker, int rank) {
  want_written_out(worker, rank);
  Page& page = this->page(worker);
  while (page.writing_out.load() != Page::done) wait_a_little();
  return page.said();
}

void Questions::begin_question(std::size_t worker) { page(worker).asked.fetch_add(1); }

std::optional<std::string_view> Questions::answer_of(std::size_t worker) const {
  Page& page = this->page(worker);
  if (page.answered.load() != page.asked.load()) return std::nullopt;
  return page.said();
}

void Questions::set_answer(std::size_t worker, std::string_view text) {
  Page& page = this->page(worker);
  page.set_text(text);
  page.answered.store(page.asked.load());
}

std::optional<int> Questions::wants_written_out(std::size_t worker) const {
  Page& page = this->page(worker);
  if (page.writing_out.load() != Page::wanted) return std::nullopt;
  return page.rank;
}

void Questions::want_written_out(std::size_t worker, int rank) {
  Page& page = this->page(worker);
  page.rank = rank;
  page.writing_out.store(Page::wanted);
}

std::optional<std::string_view> Questions::written_out_of(std::size_t worker) const {
  Page& page = this->page(worker);
  if (page.writing_out.load() != Page::done) return std::nullopt;
  return page.said();
}

void Questions::set_written_out(std::size_t worker, std::string_view text) {
  Page& page = this->page(worker);
  page.set_text(text);
  page.writing_out.store(Page::done);
}

void Questions::serve_one(const WriteOut& write_out) {
  for (std::size_t worker = 1; worker < workers_; ++worker) {
    Page& page = this->page(worker);
    if (page.writing_out.load() != Page::wanted) continue;
    page.set_text(write_out(worker, page.rank));
    page.writing_out.store(Page::done);
    return;
  }
}

}  // namespace launch
