// PMI functions: barrier, allgather, broadcast.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "ugni_emu/pmi/pmi_caller.h"

using pmi::call;
using pmi::Caller;

namespace {

/// A rank's data, behind a mark that says whether its call is right.
std::vector<std::byte> marked(bool right, const void* data, std::size_t bytes) {
  std::vector<std::byte> given(1 + bytes);
  given.front() = static_cast<std::byte>(right ? 1 : 0);
  if (bytes > 0) std::memcpy(given.data() + 1, data, bytes);
  return given;
}

/// Whether all ranks' calls are right and of one size.
class Agreement {
 public:
  explicit Agreement(int rank) : rank_(rank) {}
  /// False: nothing more is to be taken.
  bool add(int rank, std::span<const std::byte> given) {
    if (rank == 0) first_ = given.size();
    const bool right = !given.empty() && given.front() == std::byte{1};
    if (!right) all_right_ = false;
    if (right && given.size() != first_ && other_ < 0) {
      other_ = rank;
      bytes_ = given.size() - 1;
    }
    return holds();
  }
  bool holds() const { return all_right_ && other_ < 0; }
  /// One rank says how the sizes differ.
  void report(const char* function) const {
    if (!all_right_ || other_ != rank_) return;
    pmi::report(function,
                fmt::format("rank {} gives {} bytes, rank 0 gives {}", other_, bytes_, first_ - 1));
  }

 private:
  int rank_;
  bool all_right_ = true;
  int other_ = -1;  ///< the first rank that does not give as much as rank 0
  std::size_t first_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

extern "C" {

int PMI_Barrier(void) {
  return call("PMI_Barrier", [](const Caller& caller) {
    caller.job().barrier(caller.process());
    return true;
  });
}

// The last rank comes first: a program that takes the order for that of the ranks does not work
// here either.
int PMI_Allgather(void* in, void* out, int length) {
  return call("PMI_Allgather", [&](const Caller& caller) {
    const bool right = length >= 0 && (length == 0 || (in != nullptr && out != nullptr));
    const auto bytes = static_cast<std::size_t>(right ? length : 0);
    const auto ranks = static_cast<std::size_t>(caller.job().size());
    std::vector<std::byte> all(bytes * ranks);
    std::size_t behind = ranks;
    Agreement agreement(caller.process().rank());
    caller.job().exchange(caller.process(), marked(right, in, bytes),
                          [&](int rank, std::span<const std::byte> given) {
                            if (!agreement.add(rank, given) || given.size() - 1 != bytes) return;
                            std::copy(given.begin() + 1, given.end(),
                                      all.begin() + static_cast<std::ptrdiff_t>(--behind * bytes));
                          });
    if (!agreement.holds()) {
      agreement.report("PMI_Allgather");
      return false;
    }
    if (bytes > 0) std::memcpy(out, all.data(), all.size());
    return true;
  });
}

int PMI_Allgatherv(void* in, int length, void* out, int* lengths) {
  return call("PMI_Allgatherv", [&](const Caller& caller) {
    const int ranks = caller.job().size();
    const int own = caller.process().rank();
    bool right = out != nullptr && lengths != nullptr && length >= 0 &&
                 (length == 0 || in != nullptr) && lengths[own] == length;
    std::vector<std::byte> all;
    // Behind the mark, what the caller expects of all: it has to be the same everywhere.
    const auto table_bytes = sizeof(int) * static_cast<std::size_t>(ranks);
    const auto bytes = right ? static_cast<std::size_t>(length) : 0;
    std::vector<std::byte> given = marked(right, lengths, right ? table_bytes : 0);
    const auto* data = static_cast<const std::byte*>(in);
    given.insert(given.end(), data, data + bytes);
    caller.job().exchange(
        caller.process(), given, [&](int rank, std::span<const std::byte> theirs) {
          right = right && theirs.front() == std::byte{1} &&
                  std::memcmp(theirs.data() + 1, lengths, table_bytes) == 0 &&
                  theirs.size() == 1 + table_bytes + static_cast<std::size_t>(lengths[rank]);
          if (right) all.insert(all.end(), theirs.begin() + 1 + table_bytes, theirs.end());
        });
    if (right && !all.empty()) std::memcpy(out, all.data(), all.size());
    return right;
  });
}

// Two keys in turn: when one is written again, all have read it, for they have met in the other's
// barrier since. A rank that calls with what cannot be says so under a key of its own turn.
int PMI_Bcast(void* buffer, int length) {
  return call("PMI_Bcast", [&](const Caller& caller) {
    const bool right = length >= 0 && (length == 0 || buffer != nullptr);
    const std::string turn = caller.state().broadcasts++ % 2 == 0 ? "0" : "1";
    const std::string number = std::to_string(caller.state().broadcasts);
    const std::string key = "pmi broadcast " + turn;
    const std::string mistakes = "pmi broadcast mistake " + turn;
    const bool root = caller.process().rank() == 0;
    auto* bytes = static_cast<char*>(buffer);
    const auto size = static_cast<std::size_t>(right ? length : 0);
    if (root) caller.job().put(caller.process(), key, {bytes, size});
    if (!right) caller.job().put(caller.process(), mistakes, number);
    caller.job().barrier(caller.process());
    std::string value;
    if (caller.job().get(caller.process(), mistakes, value) && value == number) return false;
    if (root) return true;
    if (!caller.job().get(caller.process(), key, value) || value.size() != size) return false;
    value.copy(bytes, size);
    return true;
  });
}

}  // extern "C"
