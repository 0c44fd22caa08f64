// What the parts of a job in virtual time tell each other between two rounds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "corespec/host/check.h"
#include "corespec/time/time.h"

namespace launch {

/// What a letter is about, so which reader gets it.
enum class Subject : std::uint8_t {
  router_event,  ///< an event for one of the part's routers
  output,        ///< what a rank has written
  met,           ///< all ranks of the sender's part are in an exchange
  given,         ///< what a rank gives in an exchange
  value,         ///< what a rank has put
  abort,         ///< a rank ends the job
  result,        ///< after the run
  usage,         ///< what the worker has taken of the host, after the run
  occurrences,   ///< of a timeline
  share,         ///< of what is told about the run after it
};
inline constexpr std::size_t subjects = 10;

/// Letters go with the sender's next Rounds::arrive(), and are read in the receiver's meet(): those
/// of one sender in the order in which it has added them.
class Mail {
 public:
  using Reader = std::function<void(std::size_t from, std::span<const std::byte> letter)>;

  virtual ~Mail() = default;
  virtual std::size_t parts() const = 0;
  virtual std::size_t own_part() const = 0;

  /// Room for a letter to another part, to be filled in before the next call of anything here.
  virtual std::span<std::byte> add(std::size_t to, Subject subject, std::size_t bytes) = 0;
  /// A letter that was added is an event, or leads to one, at that part's routers or nodes: at
  /// `at`, or later.
  virtual void expect_at_routers(std::size_t to, corespec::Time at) = 0;
  virtual void expect_at_nodes(std::size_t to, corespec::Time at) = 0;

  /// Before the first letter about it comes.
  void set_reader(Subject subject, Reader reader) {
    readers_[static_cast<std::size_t>(subject)] = std::move(reader);
  }

  /// A record, and bytes behind it.
  template <typename Record>
  void send(std::size_t to, Subject subject, const Record& record,
            std::span<const std::byte> rest = {}) {
    static_assert(std::is_trivially_copyable_v<Record>);
    const std::span<std::byte> letter = add(to, subject, sizeof record + rest.size());
    std::memcpy(letter.data(), &record, sizeof record);
    if (!rest.empty()) std::memcpy(letter.data() + sizeof record, rest.data(), rest.size());
  }
  template <typename Record>
  void send_to_others(Subject subject, const Record& record, std::span<const std::byte> rest = {}) {
    for (std::size_t part = 0; part < parts(); ++part) {
      if (part != own_part()) send(part, subject, record, rest);
    }
  }

 protected:
  const Reader& reader(Subject subject) const {
    return readers_[static_cast<std::size_t>(subject)];
  }

 private:
  std::array<Reader, subjects> readers_;
};

/// The record of a letter; `letter` is then what follows it.
template <typename Record>
Record take_record(std::span<const std::byte>& letter) {
  CASTOR_CHECK(letter.size() >= sizeof(Record), "a letter begins with its record");
  Record record;
  std::memcpy(&record, letter.data(), sizeof record);
  letter = letter.subspan(sizeof record);
  return record;
}

}  // namespace launch
