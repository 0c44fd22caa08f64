// The host's memory: what a line costs in jobs that its caches hold and in those that they do not.
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <vector>

#include "corespec/events/prefetch_lines.h"

namespace {

using corespec::line_bytes;

constexpr std::size_t megabyte = std::size_t{1} << 20;

struct alignas(line_bytes) Line {
  std::uint64_t next = 0;
  std::uint64_t touched = 0;
};

/// Lines in a mapping of their own, all touched. Throws std::bad_alloc without memory.
class Lines {
 public:
  Lines(std::size_t bytes, int pages) : count_(bytes / line_bytes) {
    constexpr std::size_t huge_page = 2 * megabyte;
    mapped_ = bytes + huge_page;
    void* const at =
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    mapping_ = at;
    madvise(mapping_, mapped_, pages);
    void* begin = mapping_;
    std::size_t room = mapped_;
    std::align(huge_page, bytes, begin, room);
    lines_ = new (begin) Line[count_];
  }
  ~Lines() { munmap(mapping_, mapped_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  std::size_t count() const { return count_; }
  Line& operator[](std::size_t i) { return lines_[i]; }

 private:
  std::size_t count_;
  std::size_t mapped_ = 0;
  void* mapping_ = nullptr;
  Line* lines_ = nullptr;
};

Lines lines_of(const benchmark::State& state, int pages = MADV_HUGEPAGE) {
  return {static_cast<std::size_t>(state.range(0)) * megabyte, pages};
}

/// Numbers of places that are `lines` long, in random order: each once, then again.
class Places {
 public:
  Places(std::size_t all, std::size_t lines) : order_(all / lines), lines_(lines) {
    std::iota(order_.begin(), order_.end(), 0u);
    std::shuffle(order_.begin(), order_.end(), std::mt19937(1));
  }
  /// The first line of the place that comes `ahead` after the next one.
  std::size_t after(std::size_t ahead) const {
    const std::size_t at = next_ + ahead;
    return order_[at < order_.size() ? at : at - order_.size()] * lines_;
  }
  void go_on(std::size_t by) {
    next_ += by;
    if (next_ >= order_.size()) next_ -= order_.size();
  }

 private:
  std::vector<std::uint32_t> order_;
  std::size_t lines_;
  std::size_t next_ = 0;
};

/// Each line is known only from the one before.
void line_after_line(benchmark::State& state) {
  Lines lines = lines_of(state);
  Places order(lines.count(), 1);
  for (std::size_t i = 0; i < lines.count(); ++i) {
    lines[order.after(0)].next = order.after(1);
    order.go_on(1);
  }
  std::size_t at = 0;
  for (auto _ : state) at = lines[at].next;
  benchmark::DoNotOptimize(at);
  state.SetItemsProcessed(state.iterations());
}

/// Each line is prefetched 16 lines before its turn.
void known_lines(benchmark::State& state, int pages) {
  constexpr std::size_t ahead = 16;
  Lines lines = lines_of(state, pages);
  Places order(lines.count(), 1);
  for (auto _ : state) {
    corespec::prefetch_line(&lines[order.after(ahead)]);
    ++lines[order.after(0)].touched;
    order.go_on(1);
  }
  state.SetItemsProcessed(state.iterations());
}

/// A kilobyte from anywhere to anywhere, as messages are.
void kilobytes_copied(benchmark::State& state) {
  constexpr std::size_t bytes = 1024;
  Lines lines = lines_of(state);
  Places order(lines.count(), bytes / line_bytes);
  for (auto _ : state) {
    std::memcpy(static_cast<void*>(&lines[order.after(1)]), &lines[order.after(0)], bytes);
    order.go_on(2);
  }
  state.SetItemsProcessed(state.iterations());
}

/// About as many lines as a message of a large Allreduce takes from memory (139: decision 7, "The
/// present state"), as 36 objects of four lines, written, and all prefetched a whole message
/// before: what memory alone costs if nothing is waited for.
void lines_of_a_message(benchmark::State& state) {
  constexpr std::size_t objects = 36;
  constexpr std::size_t lines_each = 4;
  Lines lines = lines_of(state);
  Places order(lines.count(), lines_each);
  for (auto _ : state) {
    for (std::size_t object = 0; object < objects; ++object) {
      corespec::prefetch_lines(&lines[order.after(objects + object)], lines_each);
    }
    for (std::size_t object = 0; object < objects; ++object) {
      for (std::size_t i = 0; i < lines_each; ++i) ++lines[order.after(object) + i].touched;
    }
    order.go_on(objects);
  }
  state.SetItemsProcessed(state.iterations());
}

/// Megabytes: jobs of 1,024 ranks have 16, of 32,768 ranks 512.
void sizes(benchmark::internal::Benchmark* of) { of->Arg(4)->Arg(16)->Arg(64)->Arg(512); }

BENCHMARK(line_after_line)->Apply(sizes);
BENCHMARK_CAPTURE(known_lines, huge_pages, MADV_HUGEPAGE)->Apply(sizes);
BENCHMARK_CAPTURE(known_lines, small_pages, MADV_NOHUGEPAGE)->Apply(sizes);
BENCHMARK(kilobytes_copied)->Apply(sizes);
BENCHMARK(lines_of_a_message)->Apply(sizes);

}  // namespace
