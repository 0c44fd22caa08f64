// The table of calls, and what a recorded call says of its arguments.
#include "apps/traces/dumpi/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "apps/traces/dumpi/arguments.h"

namespace dumpi {
namespace arguments {

constexpr Layout table[] = {
#define CALL(number, name, ...) {Label::name, "MPI_" #name, {__VA_ARGS__}},
#define NAMED_CALL(number, name, ...) {Label::name, #name, {__VA_ARGS__}},
#include "apps/traces/dumpi/calls.def"
#undef NAMED_CALL
#undef CALL
};

}  // namespace arguments

namespace {

constexpr bool before(const Layout& layout, Label label) { return layout.label() < label; }

constexpr bool rises() {
  for (std::size_t i = 1; i < std::size(arguments::table); ++i) {
    if (!before(arguments::table[i - 1], arguments::table[i].label())) return false;
  }
  return true;
}
static_assert(rises(), "calls.def is not in the order of labels");

/// The value that an argument of a kind has before anything is known of it.
Value empty(Kind kind) {
  switch (kind) {
    case Kind::wide:
      return std::int64_t{0};
    case Kind::text:
      return std::string();
    case Kind::numbers:
    case Kind::requests:
    case Kind::ranges:
    case Kind::datatypes:
    case Kind::infos:
    case Kind::words:
      return std::vector<std::int32_t>();
    case Kind::status:
    case Kind::statuses:
      return std::vector<Status>();
    case Kind::strings:
      return std::vector<std::string>();
    case Kind::lists:
      return std::vector<std::vector<std::string>>();
    case Kind::number:
    case Kind::request:
    case Kind::comm:
    case Kind::datatype:
    case Kind::group:
    case Kind::info:
    case Kind::win:
    case Kind::errhandler:
    case Kind::keyval:
    case Kind::file:
    case Kind::op:
    case Kind::word:
      break;
  }
  return std::int32_t{0};
}

std::int32_t number_before(const Layout& layout, std::span<const Value> values,
                           std::string_view argument) {
  return std::get<std::int32_t>(values[layout.place_of(argument).value()]);
}

/// Looks for what one argument has wrong.
class ValueCheck {
 public:
  ValueCheck(const Layout& layout, std::size_t place, const Call& call)
      : layout_(layout), argument_(layout.arguments()[place]), place_(place), call_(call) {}

  /// What is wrong, or nothing.
  std::string fault() const {
    const Value& value = call_.values[place_];
    if (!is_recorded(layout_, place_, call_.values)) {
      if (value.index() == 0) return "";
      return say(fmt::format("{} is there, must be at the root only", argument_.name));
    }
    if (value.index() != empty(argument_.kind).index()) {
      return say(fmt::format("{} is not of its kind", argument_.name));
    }
    return std::visit([&](const auto& each) { return of(each); }, value);
  }

 private:
  std::string say(const std::string& what) const {
    return fmt::format("{}: {}", layout_.name(), what);
  }

  std::string of(std::monostate) const { return ""; }
  std::string of(std::int64_t) const { return ""; }
  std::string of(const std::string&) const { return ""; }
  std::string of(std::int32_t number) const {
    const std::int32_t most = largest(argument_.kind);
    const bool narrow = most != std::numeric_limits<std::int32_t>::max();
    if (!narrow || (number >= 0 && number <= most)) return "";
    return say(fmt::format("{} {}: must be 0 to {}", argument_.name, number, most));
  }
  std::string of(const std::vector<Status>& statuses) const {
    if (argument_.kind == Kind::status && statuses.size() > 1) {
      return say(fmt::format("{} statuses, must be 1 or none", statuses.size()));
    }
    if (!call_.has_statuses && !statuses.empty()) return say("has statuses, must have none");
    return "";
  }
  std::string of(const std::vector<std::int32_t>& numbers) const {
    for (const std::int32_t each : numbers) {
      if (std::string fault = of(each); !fault.empty()) return fault;
    }
    if (argument_.kind != Kind::ranges) return of_length(numbers.size());
    if (numbers.size() % range_numbers == 0) return of_length(numbers.size() / range_numbers);
    return say(fmt::format("{} numbers of {}, must be 3 each", numbers.size(), argument_.name));
  }
  std::string of(const std::vector<std::string>& strings) const {
    return of_length(strings.size());
  }
  std::string of(const std::vector<std::vector<std::string>>& lists) const {
    return of_length(lists.size());
  }
  std::string of_length(std::size_t size) const {
    if (*argument_.length == '\0') return "";
    const std::int32_t length = number_before(layout_, call_.values, argument_.length);
    if (length >= 0 && size == static_cast<std::size_t>(length)) return "";
    return say(
        fmt::format("{} {}, must be {} = {}", size, argument_.name, argument_.length, length));
  }

  const Layout& layout_;
  const Argument& argument_;
  std::size_t place_;
  const Call& call_;
};

}  // namespace

std::optional<std::size_t> Layout::place_of(std::string_view argument) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (argument == arguments_[i].name) return i;
  }
  return std::nullopt;
}

std::span<const Layout> layouts() { return arguments::table; }

const Layout* find_layout(std::uint16_t number) {
  const Label label{number};
  const auto* const found =
      std::lower_bound(std::begin(arguments::table), std::end(arguments::table), label, before);
  return found != std::end(arguments::table) && found->label() == label ? found : nullptr;
}

const Layout* find_layout(std::string_view name) {
  const auto* const found = std::find_if(std::begin(arguments::table), std::end(arguments::table),
                                         [&](const Layout& each) { return each.name() == name; });
  return found != std::end(arguments::table) ? found : nullptr;
}

const Layout& layout_of(Label label) {
  const Layout* const layout = find_layout(static_cast<std::uint16_t>(label));
  if (layout != nullptr) return *layout;
  throw std::logic_error(fmt::format("no call has the label {}", static_cast<int>(label)));
}

std::int32_t largest(Kind kind) {
  switch (kind) {
    case Kind::comm:
    case Kind::datatype:
    case Kind::group:
    case Kind::info:
    case Kind::win:
    case Kind::errhandler:
    case Kind::keyval:
    case Kind::file:
    case Kind::datatypes:
    case Kind::infos:
      return std::numeric_limits<std::uint16_t>::max();
    case Kind::op:
    case Kind::word:
    case Kind::words:
      return std::numeric_limits<std::uint8_t>::max();
    case Kind::number:
    case Kind::request:
    case Kind::wide:
    case Kind::text:
    case Kind::numbers:
    case Kind::requests:
    case Kind::ranges:
    case Kind::status:
    case Kind::statuses:
    case Kind::strings:
    case Kind::lists:
      break;
  }
  return std::numeric_limits<std::int32_t>::max();
}

bool is_recorded(const Layout& layout, std::size_t place, std::span<const Value> values) {
  return layout.arguments()[place].when == When::always ||
         number_before(layout, values, "commrank") == number_before(layout, values, "root");
}

std::string fault_of(const Call& call) {
  const Layout& layout = layout_of(call.label);
  if (call.values.size() != layout.arguments().size()) {
    return fmt::format("{}: {} values, must be {}", layout.name(), call.values.size(),
                       layout.arguments().size());
  }
  if (call.counters.size() > std::numeric_limits<std::uint8_t>::max()) {
    return fmt::format("{}: {} counters, must be at most 255", layout.name(), call.counters.size());
  }
  for (std::size_t place = 0; place < call.values.size(); ++place) {
    std::string fault = ValueCheck(layout, place, call).fault();
    if (!fault.empty()) return fault;
  }
  return "";
}

namespace {

const Value& value_of(const Call& call, std::string_view argument) {
  const Layout& layout = layout_of(call.label);
  const auto place = layout.place_of(argument);
  if (place && *place < call.values.size()) return call.values[*place];
  throw std::logic_error(fmt::format("{} has no argument {}", layout.name(), argument));
}

template <typename Type>
const Type& typed(const Call& call, std::string_view argument) {
  const auto* const value = std::get_if<Type>(&value_of(call, argument));
  if (value != nullptr) return *value;
  throw std::logic_error(fmt::format("{}: {} is of another kind, or was not recorded",
                                     layout_of(call.label).name(), argument));
}

}  // namespace

bool Call::has(std::string_view argument) const { return value_of(*this, argument).index() != 0; }

std::int32_t Call::number(std::string_view argument) const {
  return typed<std::int32_t>(*this, argument);
}

std::int64_t Call::wide(std::string_view argument) const {
  return typed<std::int64_t>(*this, argument);
}

std::span<const std::int32_t> Call::numbers(std::string_view argument) const {
  return typed<std::vector<std::int32_t>>(*this, argument);
}

std::span<const Status> Call::statuses(std::string_view argument) const {
  return typed<std::vector<Status>>(*this, argument);
}

const std::string& Call::text(std::string_view argument) const {
  return typed<std::string>(*this, argument);
}

std::span<const std::string> Call::strings(std::string_view argument) const {
  return typed<std::vector<std::string>>(*this, argument);
}

std::span<const std::vector<std::string>> Call::lists(std::string_view argument) const {
  return typed<std::vector<std::vector<std::string>>>(*this, argument);
}

}  // namespace dumpi
