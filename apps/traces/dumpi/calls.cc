// The table of calls, and what a recorded call says of its arguments.
#include "apps/traces/dumpi/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace dumpi {
namespace {

/// The arguments that calls.def names.
namespace arguments {

constexpr Argument number(const char* name) { return {name}; }
constexpr Argument of(Kind kind, const char* name) { return {name, kind}; }
constexpr Argument array(const char* name, const char* length) {
  return {name, Kind::numbers, length};
}
constexpr Argument at_root(Argument argument) {
  argument.when = When::at_root;
  return argument;
}

constexpr Argument count = number("count"), dest = number("dest"), source = number("source"),
                   tag = number("tag"), root = number("root"), flag = number("flag"),
                   index = number("index"), outcount = number("outcount"), size = number("size"),
                   rank = number("rank"), color = number("color"), key = number("key"),
                   ndim = number("ndim"), reorder = number("reorder"),
                   dispunit = number("dispunit"), commrank = number("commrank"),
                   commsize = number("commsize"), sendcount = number("sendcount"),
                   recvcount = number("recvcount"), sendtag = number("sendtag"),
                   recvtag = number("recvtag"), origincount = number("origincount"),
                   targetrank = number("targetrank"), targetdisp = number("targetdisp"),
                   targetcount = number("targetcount");
constexpr Argument datatype = of(Kind::datatype, "datatype"),
                   sendtype = of(Kind::datatype, "sendtype"),
                   recvtype = of(Kind::datatype, "recvtype"),
                   origintype = of(Kind::datatype, "origintype"),
                   targettype = of(Kind::datatype, "targettype");
constexpr Argument comm = of(Kind::comm, "comm"), oldcomm = of(Kind::comm, "oldcomm"),
                   newcomm = of(Kind::comm, "newcomm"), group = of(Kind::group, "group"),
                   newgroup = of(Kind::group, "newgroup"), info = of(Kind::info, "info"),
                   win = of(Kind::win, "win"), op = of(Kind::op, "op");
constexpr Argument assertion = of(Kind::word, "assertion"), locktype = of(Kind::word, "locktype"),
                   required = of(Kind::word, "required"), provided = of(Kind::word, "provided");
constexpr Argument ranks = array("ranks", "count"), dims = array("dims", "ndim"),
                   periods = array("periods", "ndim"), displs = array("displs", "commsize"),
                   sendcounts = array("sendcounts", "commsize"),
                   recvcounts = array("recvcounts", "commsize"),
                   senddispls = array("senddispls", "commsize"),
                   recvdispls = array("recvdispls", "commsize"), indices = array("indices", "");
constexpr Argument request = of(Kind::request, "request"),
                   requests = {"requests", Kind::requests, "count"};
constexpr Argument status = of(Kind::status, "status"), statuses = of(Kind::statuses, "statuses");
constexpr Argument argv = of(Kind::strings, "argv");

constexpr Layout table[] = {
#define CALL(number, name, ...) {Label::name, "MPI_" #name, {__VA_ARGS__}},
#include "apps/traces/dumpi/calls.def"
#undef CALL
};

}  // namespace arguments

constexpr bool before(const Layout& layout, Label label) { return layout.label() < label; }

constexpr bool rises() {
  for (std::size_t i = 1; i < std::size(arguments::table); ++i) {
    if (!before(arguments::table[i - 1], arguments::table[i].label())) return false;
  }
  return true;
}
static_assert(rises(), "calls.def is not in the order of labels");

/// The largest value on disk of what takes less than 32 bits there, or of an i32.
std::int32_t largest(Kind kind) {
  switch (kind) {
    case Kind::comm:
    case Kind::datatype:
    case Kind::group:
    case Kind::info:
    case Kind::win:
      return std::numeric_limits<std::uint16_t>::max();
    case Kind::op:
    case Kind::word:
      return std::numeric_limits<std::uint8_t>::max();
    case Kind::number:
    case Kind::request:
    case Kind::numbers:
    case Kind::requests:
    case Kind::status:
    case Kind::statuses:
    case Kind::strings:
      break;
  }
  return std::numeric_limits<std::int32_t>::max();
}

/// The alternative of Value that a kind has.
std::size_t alternative(Kind kind) {
  switch (kind) {
    case Kind::numbers:
    case Kind::requests:
      return 2;
    case Kind::status:
    case Kind::statuses:
      return 3;
    case Kind::strings:
      return 4;
    case Kind::number:
    case Kind::request:
    case Kind::comm:
    case Kind::datatype:
    case Kind::group:
    case Kind::info:
    case Kind::win:
    case Kind::op:
    case Kind::word:
      break;
  }
  return 1;
}

std::int32_t number_before(const Layout& layout, std::span<const Value> values,
                           std::string_view argument) {
  return std::get<std::int32_t>(values[layout.place_of(argument).value()]);
}

std::string fault_of_value(const Layout& layout, std::size_t place, const Call& call) {
  const Argument& argument = layout.arguments()[place];
  const Value& value = call.values[place];
  const auto fault = [&](const std::string& what) {
    return fmt::format("{}: {}", layout.name(), what);
  };
  if (!is_recorded(layout, place, call.values)) {
    if (value.index() == 0) return "";
    return fault(fmt::format("{} is there, must be at the root only", argument.name));
  }
  if (value.index() != alternative(argument.kind)) {
    return fault(fmt::format("{} is not of its kind", argument.name));
  }
  if (const auto* number = std::get_if<std::int32_t>(&value)) {
    const std::int32_t most = largest(argument.kind);
    const bool narrow = most != std::numeric_limits<std::int32_t>::max();
    if (!narrow || (*number >= 0 && *number <= most)) return "";
    return fault(fmt::format("{} {}: must be 0 to {}", argument.name, *number, most));
  }
  if (const auto* statuses = std::get_if<std::vector<Status>>(&value)) {
    if (argument.kind == Kind::status && statuses->size() > 1) {
      return fault(fmt::format("{} statuses, must be 1 or none", statuses->size()));
    }
    if (!call.has_statuses && !statuses->empty()) return fault("has statuses, must have none");
    return "";
  }
  if (const auto* numbers = std::get_if<std::vector<std::int32_t>>(&value)) {
    if (std::string_view(argument.length).empty()) return "";
    const std::int32_t length = number_before(layout, call.values, argument.length);
    if (length >= 0 && numbers->size() == static_cast<std::size_t>(length)) return "";
    return fault(fmt::format("{} {}, must be {} = {}", numbers->size(), argument.name,
                             argument.length, length));
  }
  return "";
}

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
    std::string fault = fault_of_value(layout, place, call);
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

std::span<const std::int32_t> Call::numbers(std::string_view argument) const {
  return typed<std::vector<std::int32_t>>(*this, argument);
}

std::span<const Status> Call::statuses(std::string_view argument) const {
  return typed<std::vector<Status>>(*this, argument);
}

std::span<const std::string> Call::strings(std::string_view argument) const {
  return typed<std::vector<std::string>>(*this, argument);
}

}  // namespace dumpi
