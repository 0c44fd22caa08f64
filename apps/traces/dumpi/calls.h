// Calls of a DUMPI trace: the table of all labels with their arguments, and one recorded call.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dumpi {

/// The calls that can be read and written, named as in MPI; the value is the number on disk.
enum class Label : std::uint16_t {
#define CALL(number, name, ...) name = number,
#define NAMED_CALL CALL
#include "apps/traces/dumpi/calls.def"
#undef NAMED_CALL
#undef CALL
};

/// What an argument is. Behind each: how many bytes it has on disk, and which type in Call.
enum class Kind : std::uint8_t {
  number,      ///< i32: counts, ranks, tags, flags, colours, addresses; std::int32_t
  request,     ///< i32: 0 error, 1 null, from 2 the program's; std::int32_t
  comm,        ///< u16: 0 error, 1 null, 2 world, 3 self, from 4 the program's; std::int32_t
  datatype,    ///< u16: 0 error, 1 null, from 2 MPI's, from 28 the program's; std::int32_t
  group,       ///< u16: 1 null, 2 empty, from 3 the program's; std::int32_t
  info,        ///< u16; std::int32_t
  win,         ///< u16; std::int32_t
  errhandler,  ///< u16; std::int32_t
  keyval,      ///< u16; std::int32_t
  file,        ///< u16; std::int32_t
  op,          ///< u8: 1 MAX 2 MIN 3 SUM 4 PROD ... from 15 the program's; std::int32_t
  word,        ///< u8: lock type, assertion, thread level, comparison, mode of a file; std::int32_t
  wide,        ///< i64: offsets and sizes of files, a function's address; std::int64_t
  text,        ///< u32 length, bytes; std::string
  numbers,     ///< u32 n, n x i32; std::vector<std::int32_t>
  requests,    ///< the same
  ranges,  ///< u32 n, n x (u32 3, 3 x i32: first, last, stride); all 3 n, std::vector<std::int32_t>
  datatypes,  ///< u32 n, n x u16; std::vector<std::int32_t>
  infos,      ///< the same
  words,      ///< u32 n, n x u8; std::vector<std::int32_t>
  status,     ///< as statuses, none (the program ignored it) or one
  statuses,   ///< u32 n, n x Status, or nothing (Call::has_statuses); std::vector<Status>
  strings,    ///< u32 n, n x text; std::vector<std::string>
  lists,      ///< u32 n, n x strings; std::vector<std::vector<std::string>>
};

/// When an argument is recorded.
enum class When : std::uint8_t { always, at_root /* only if commrank = root */ };

/// An argument of a call. `length` names the argument before it that says how many entries an array
/// has: another number of entries is an error of the file. It is empty if none does.
struct Argument {
  const char* name = "";
  Kind kind = Kind::number;
  const char* length = "";
  When when = When::always;
};

/// One row of the table.
class Layout {
 public:
  constexpr Layout(Label label, const char* name, std::initializer_list<Argument> arguments)
      : label_(label), name_(name), count_(arguments.size()) {
    std::size_t next = 0;
    for (const Argument& each : arguments) arguments_.at(next++) = each;
  }

  constexpr Label label() const { return label_; }
  /// As in MPI: "MPI_Send"; of what is not MPI's, as dumpi2ascii prints it: "Function_enter".
  constexpr std::string_view name() const { return name_; }
  constexpr std::span<const Argument> arguments() const { return {arguments_.data(), count_}; }
  /// The place of an argument in arguments(), or none.
  std::optional<std::size_t> place_of(std::string_view argument) const;

 private:
  Label label_;
  const char* name_;
  std::array<Argument, 11> arguments_{};
  std::size_t count_;
};

/// All rows, in the order of their labels.
std::span<const Layout> layouts();
/// The row of a number on disk, or nullptr: such a call can neither be read nor skipped.
const Layout* find_layout(std::uint16_t number);
/// The row of a name ("MPI_Send"), or nullptr.
const Layout* find_layout(std::string_view name);
/// The row of a label.
const Layout& layout_of(Label label);

/// What MPI says of a received message.
struct Status {
  std::int32_t bytes = 0;
  std::int32_t source = 0;
  std::uint8_t cancelled = 0;
  std::uint8_t error = 0;
  std::int32_t tag = 0;  ///< 0 in traces before 0.6.3, which have no tag
  bool operator==(const Status&) const = default;
};

/// When a call was entered and when it returned, in ns. Wall time is since 1970, by the clock of
/// the rank's own node; CPU time is that of the process or thread. `exit` is less than `entry`
/// where the clock was set back meanwhile.
struct Span {
  std::int64_t entry = 0;
  std::int64_t exit = 0;
  bool operator==(const Span&) const = default;
};

/// A performance counter at the entry and at the return of a call.
struct Counter {
  std::uint64_t entry = 0;
  std::uint64_t exit = 0;
  bool operator==(const Counter&) const = default;
};

/// An argument's value; monostate: it was not recorded (When::at_root, elsewhere than at the root).
using Value = std::variant<std::monostate, std::int32_t, std::int64_t, std::vector<std::int32_t>,
                           std::vector<Status>, std::string, std::vector<std::string>,
                           std::vector<std::vector<std::string>>>;

/// One recorded call. A program reads its arguments by their names in calls.def. A name that the
/// call does not have, or another type than the argument's, is the program's error: a
/// std::logic_error.
struct Call {
  Label label{};
  std::uint16_t thread = 0;
  std::optional<Span> cpu;   ///< none: not recorded
  std::optional<Span> wall;  ///< none: not recorded
  /// False: the trace was recorded without statuses; all of the call's are empty.
  bool has_statuses = true;
  std::vector<Counter> counters;  ///< in the order of RankTrace::counter_labels
  std::vector<Value> values;      ///< one for each of the layout's arguments, in their order

  bool operator==(const Call&) const = default;

  /// True if the argument was recorded.
  bool has(std::string_view argument) const;
  /// A number, request, handle, op or word.
  std::int32_t number(std::string_view argument) const;
  /// What may take 64 bits: Kind::wide.
  std::int64_t wide(std::string_view argument) const;
  /// An array of numbers, requests, handles or words; of ranges three numbers each.
  std::span<const std::int32_t> numbers(std::string_view argument) const;
  /// Statuses; of a single one none (the program ignored it) or one.
  std::span<const Status> statuses(std::string_view argument) const;
  /// A name, key or the like.
  const std::string& text(std::string_view argument) const;
  /// A program's arguments; of MPI_Init the program's own, its name first.
  std::span<const std::string> strings(std::string_view argument) const;
  /// The arguments of each of several programs.
  std::span<const std::vector<std::string>> lists(std::string_view argument) const;
};

/// The largest value on disk of what takes less than 32 bits there, or of an i32.
std::int32_t largest(Kind kind);

/// How many numbers a range has.
constexpr std::size_t range_numbers = 3;

/// True if the trace has this argument, given the values before it.
bool is_recorded(const Layout& layout, std::size_t place, std::span<const Value> values);

/// Says what is wrong with a call in terms of the table, or nothing: number and types of values,
/// lengths of arrays, and what the file's widths can hold. ("MPI_Send: 4 values, must be 5")
std::string fault_of(const Call& call);

}  // namespace dumpi
