// What the first worker and the others ask each other while a round is under way.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace launch {

/// Memory that workers share, a page of it for each. A worker looks for questions while it waits
/// for the others (answer()); the first one wakes a worker that does not by a signal.
class Questions {
 public:
  /// Throws std::runtime_error with one line.
  explicit Questions(std::size_t workers);
  ~Questions();
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;

  // The first worker.
  /// What the worker does when it has answered.
  enum class Then : std::uint32_t { go_on, stand_still };
  /// What all its ranks are doing, as that worker says it; nothing if it does not answer in time.
  /// `wake`: has it look for the question, which is there by then.
  std::optional<std::string> ask(std::size_t worker, Then then, const std::function<void()>& wake);
  /// `write_out`: all that ranks have written goes out, also what the worker has written in the
  /// round that is under way, but the end of `rank`'s last line, which is returned. For one worker
  /// that wants it, if there is one.
  using WriteOut = std::function<std::string_view(std::size_t worker, int rank)>;
  void serve_one(const WriteOut& write_out);

  /// What is done now and then while the calling worker waits for an answer.
  void set_waiting(std::function<void()> action) { waiting_ = std::move(action); }

  // Another worker.
  void answer(std::size_t worker, const std::function<std::string()>& say);
  /// If the last answer was to be followed by that: until there is another question. Meanwhile it
  /// does what is done while it waits, or nothing, so that a signal handler may call it.
  enum class Meanwhile { waiting, nothing };
  void stand_still(std::size_t worker, Meanwhile meanwhile) const;
  /// Before it ends for a fault of the rank (-1: for another reason). Of several workers that end
  /// one comes back from here: the first one ends the others. A signal handler may call it.
  std::string_view have_written_out(std::size_t worker, int rank);

  // For the courier between hosts: on the worker's, and on the first worker's.
  void begin_question(std::size_t worker);
  std::optional<std::string_view> answer_of(std::size_t worker) const;
  void set_answer(std::size_t worker, std::string_view text);
  /// The rank for which the worker waits.
  std::optional<int> wants_written_out(std::size_t worker) const;
  void want_written_out(std::size_t worker, int rank);
  std::optional<std::string_view> written_out_of(std::size_t worker) const;
  void set_written_out(std::size_t worker, std::string_view text);

 private:
  struct Page;
  void wait_a_little() const;
  static void pause();
  Page& page(std::size_t worker) const;
  std::size_t workers_;
  std::byte* memory_;
  std::function<void()> waiting_;
};

}  // namespace launch
