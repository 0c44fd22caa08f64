// The lines that dumpi2ascii prints of a call's arguments.
#include "apps/traces/dumpi/text_arguments.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dumpi {
namespace {

/// The C types that the text has before the names of arguments; the others', which are all some
/// sort of int, are not looked at.
std::string_view type_of(Kind kind) {
  switch (kind) {
    case Kind::request:
    case Kind::requests:
      return "MPI_Request";
    case Kind::comm:
      return "MPI_Comm";
    case Kind::datatype:
    case Kind::datatypes:
      return "MPI_Datatype";
    case Kind::group:
      return "MPI_Group";
    case Kind::info:
    case Kind::infos:
      return "MPI_Info";
    case Kind::file:
      return "MPI_File";
    case Kind::op:
      return "MPI_Op";
    case Kind::status:
    case Kind::statuses:
      return "MPI_Status";
    case Kind::text:
    case Kind::strings:
    case Kind::lists:
      return "string";
    case Kind::number:
    case Kind::win:
    case Kind::errhandler:
    case Kind::keyval:
    case Kind::word:
    case Kind::wide:
    case Kind::numbers:
    case Kind::ranges:
    case Kind::words:
      break;
  }
  return "";
}

bool is_of(std::string_view type, Kind kind) {
  const std::string_view must = type_of(kind);
  if (!must.empty()) return type == must || (must == "MPI_Request" && type == "MPIO_Request");
  for (int other = 0; other <= static_cast<int>(Kind::lists); ++other) {
    if (type == type_of(static_cast<Kind>(other))) return false;
  }
  return true;
}

/// What a line of the kind looks like.
std::string shape_of(Kind kind) {
  const std::string_view type = type_of(kind).empty() ? "int" : type_of(kind);
  switch (kind) {
    case Kind::numbers:
    case Kind::requests:
    case Kind::datatypes:
    case Kind::infos:
    case Kind::words:
      return fmt::format("'{} NAME[N]=[A, B, ...]'", type);
    case Kind::ranges:
      return "'int NAME[N][3]=[[A, B, C]' and lines ', [A, B, C]' and ']'";
    case Kind::request:
      return "'MPI_Request NAME=[A]'";
    case Kind::status:
    case Kind::statuses:
      return "'MPI_Status NAME=<IGNORED>' or '[{...}, ...]'";
    case Kind::text:
      return "'string NAME=\"A\"'";
    case Kind::strings:
      return "'string NAME[N]=[\"A\", ...]'";
    case Kind::lists:
      return "'string NAME[N][-2]=[[\"A\"...], ...]'";
    case Kind::number:
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
    case Kind::wide:
      break;
  }
  return fmt::format("'{} NAME=A'", type);
}

/// Reads one argument's line, or lines.
class ArgumentReader {
 public:
  ArgumentReader(Lines& lines, const Layout& layout, const Argument& argument)
      : lines_(lines),
        kind_(argument.kind),
        form_(fmt::format("{}'s argument {}, {}", layout.name(), argument.name, shape_of(kind_))),
        words_(lines, lines.line(), form_) {}

  Value read() {
    if (kind_ == Kind::strings && words_.begins("int "))
      next_line();  // argc, which argv says again
    read_name();
    Value value = read_value();
    if (!words_.rest().empty() && !(words_.begins(" (") && words_.rest().ends_with(')'))) {
      words_.fail();
    }
    return value;
  }

 private:
  void next_line() {
    if (!lines_.next()) lines_.must_be(form_);
    words_ = Words(lines_, lines_.line(), form_);
  }

  /// Type, name and the number of entries of an array, which is negative if nothing says it.
  void read_name() {
    if (!is_of(words_.until(" "), kind_)) words_.fail();
    const std::string_view name = words_.until("=");
    const std::size_t bracket = name.find('[');
    if (bracket == std::string_view::npos) return;
    Words length(lines_, name.substr(bracket), form_);
    length.take("[");
    entries_ = length.number<std::int32_t>();
    length.take("]");
    if (length.take_if("[")) {
      length.number<std::int32_t>();
      length.take("]");
    }
    length.end();
  }

  Value read_value() {
    switch (kind_) {
      case Kind::numbers:
      case Kind::requests:
      case Kind::datatypes:
      case Kind::infos:
      case Kind::words:
        return counted(read_numbers());
      case Kind::ranges:
        return read_ranges();
      case Kind::request:
        return read_request();
      case Kind::wide:
        return words_.number<std::int64_t>();
      case Kind::status:
      case Kind::statuses:
        return counted_or_none(read_statuses());
      case Kind::text:
        return read_text();
      case Kind::strings:
        return counted(read_strings());
      case Kind::lists:
        return counted(read_lists());
      case Kind::number:
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
    return without_sign(words_.number<std::int32_t>());
  }

  /// The tool prints the upper half of what has no sign, of 16 or 8 bits, as if it had one.
  std::int32_t without_sign(std::int32_t number) const {
    const std::int32_t all = largest(kind_);
    if (all == std::numeric_limits<std::int32_t>::max() || number >= 0) return number;
    return number < -(all / 2 + 1) ? number : number + all + 1;
  }

  std::uint8_t read_byte() {
    const auto byte = words_.number<std::int32_t>();
    if (byte < -128 || byte > 255) words_.fail();
    return static_cast<std::uint8_t>(byte);
  }

  template <typename Array>
  Array counted(Array array) const {
    if (entries_ && *entries_ >= 0 && static_cast<std::size_t>(*entries_) != array.size()) {
      lines_.fail(fmt::format("{} entries, must be {}", array.size(), *entries_));
    }
    return array;
  }

  /// The program may have ignored them.
  std::vector<Status> counted_or_none(std::vector<Status> statuses) const {
    return statuses.empty() ? statuses : counted(std::move(statuses));
  }

  /// What stands for an array without entries, too.
  bool take_ignored() { return words_.take_if("<IGNORED>"); }

  std::vector<std::int32_t> read_numbers() {
    std::vector<std::int32_t> numbers;
    if (take_ignored()) return numbers;
    words_.take("[");
    while (!words_.take_if("]")) {
      if (!numbers.empty()) words_.take(", ");
      numbers.push_back(without_sign(words_.number<std::int32_t>()));
    }
    return numbers;
  }

  /// Each range is a line's end. What closes them has no line's end: the next argument follows.
  std::vector<std::int32_t> read_ranges() {
    std::vector<std::int32_t> all;
    std::int32_t ranges = 0;
    if (!take_ignored()) {
      words_.take("[");
      while (!words_.take_if("]")) {
        if (ranges++ > 0) words_.take(", ");
        const std::vector<std::int32_t> range = read_numbers();
        if (range.size() != range_numbers) words_.fail();
        all.insert(all.end(), range.begin(), range.end());
        words_.end();
        next_line();
      }
      lines_.put_back(words_.rest());
      words_.take(words_.rest());
    }
    if (entries_ && *entries_ != ranges) {
      lines_.fail(fmt::format("{} entries, must be {}", ranges, *entries_));
    }
    return all;
  }

  std::int32_t read_request() {
    const bool bracket = words_.take_if("[");
    const auto request = words_.number<std::int32_t>();
    if (bracket) words_.take("]");
    return request;
  }

  std::vector<Status> read_statuses() {
    std::vector<Status> statuses;
    if (take_ignored()) return statuses;
    words_.take("[");
    while (!words_.take_if("]")) {
      if (!statuses.empty()) words_.take(", ");
      statuses.push_back(read_status());
    }
    return statuses;
  }

  Status read_status() {
    Status status;
    bool first = true;
    words_.take("{");
    while (!words_.take_if("}")) {
      if (!first) words_.take(", ");
      first = false;
      const std::string_view field = words_.until("=");
      if (field == "bytes") {
        status.bytes = words_.number<std::int32_t>();
      } else if (field == "source") {
        status.source = words_.number<std::int32_t>();
      } else if (field == "tag") {
        status.tag = words_.number<std::int32_t>();
      } else if (field == "cancelled") {
        status.cancelled = read_byte();
      } else if (field == "error") {
        status.error = read_byte();
      } else {
        words_.fail();
      }
    }
    return status;
  }

  std::string read_text() {
    words_.take("\"");
    std::string_view rest = words_.rest();
    if (!rest.ends_with('"')) words_.fail();
    words_.take(rest);
    rest.remove_suffix(1);
    return std::string(rest);
  }

  /// Nothing says how a quotation mark within a string is printed: only `", "` ends one that is not
  /// the last, or `""` in a list of which nothing says the length.
  std::vector<std::string> read_strings() {
    if (take_ignored() || words_.take_if("[]")) return {};
    words_.take("[\"");
    std::string_view rest = words_.rest();
    if (!rest.ends_with("\"]")) words_.fail();
    words_.take(rest);
    rest.remove_suffix(2);
    return split(rest, entries_ && *entries_ < 0 ? "\"\"" : "\", \"");
  }

  std::vector<std::vector<std::string>> read_lists() {
    std::vector<std::vector<std::string>> lists;
    if (take_ignored()) return lists;
    words_.take("[");
    while (!words_.take_if("]")) {
      if (!lists.empty()) words_.take(", ");
      words_.take("[");
      if (words_.take_if("]")) {
        lists.emplace_back();
      } else {
        words_.take("\"");
        lists.push_back(split(words_.until("\"]"), "\"\""));
      }
    }
    return lists;
  }

  static std::vector<std::string> split(std::string_view rest, std::string_view between) {
    std::vector<std::string> strings;
    for (std::size_t end = rest.find(between); end != std::string_view::npos;
         end = rest.find(between)) {
      strings.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end + between.size());
    }
    strings.emplace_back(rest);
    return strings;
  }

  Lines& lines_;
  Kind kind_;
  std::string form_;
  Words words_;
  std::optional<std::int32_t> entries_;
};

/// Calls whose arguments are printed in another order than that on disk.
struct Order {
  Label label;
  std::initializer_list<const char*> names;
};
const Order orders[] = {
    {Label::Gather, {"commrank", "sendcount", "sendtype", "recvcount", "recvtype", "root", "comm"}},
    {Label::Gatherv,
     {"commrank", "commsize", "sendcount", "sendtype", "recvcounts", "displs", "recvtype", "root",
      "comm"}},
    {Label::Scatter,
     {"commrank", "sendcount", "sendtype", "recvcount", "recvtype", "root", "comm"}},
    {Label::Scatterv,
     {"commrank", "commsize", "sendcounts", "displs", "sendtype", "recvcount", "recvtype", "root",
      "comm"}},
    {Label::Comm_spawn,
     {"commrank", "command", "argv", "maxprocs", "info", "root", "oldcomm", "newcomm", "errcodes"}},
    {Label::Comm_spawn_multiple,
     {"totprocs", "commrank", "count", "commands", "argvs", "maxprocs", "infos", "root", "oldcomm",
      "newcomm", "errcodes"}},
    {Label::MPIO_Testany, {"count", "requests", "index", "flag", "statuses"}},
};

/// The places of the arguments in the order in which they are printed.
std::vector<std::size_t> places_of(const Layout& layout) {
  std::vector<std::size_t> places;
  for (const Order& order : orders) {
    if (order.label != layout.label()) continue;
    for (const char* const name : order.names) places.push_back(layout.place_of(name).value());
    return places;
  }
  for (std::size_t place = 0; place < layout.arguments().size(); ++place) places.push_back(place);
  return places;
}

/// True if the call is that of a root, whose line may come behind what only a root has.
bool is_root(Lines lines, const Layout& layout, const std::vector<std::size_t>& places) {
  std::vector<Value> found;
  for (const std::size_t place : places) {
    lines.next();
    const Argument& argument = layout.arguments()[place];
    const std::string_view name = argument.name;
    if (name != "commrank" && name != "root") continue;
    found.push_back(ArgumentReader(lines, layout, argument).read());
  }
  return found.size() == 2 && found[0] == found[1];
}

}  // namespace

std::vector<Value> read_arguments(Lines& lines, const Layout& layout) {
  const std::vector<std::size_t> places = places_of(layout);
  const bool has_root = layout.place_of("commrank").has_value();
  const bool all = !has_root || is_root(lines, layout, places);
  std::vector<Value> values(layout.arguments().size());
  for (const std::size_t place : places) {
    lines.next();
    const Argument& argument = layout.arguments()[place];
    // Elsewhere than at the root the line is there, too, and means nothing.
    if (argument.when == When::at_root && !all) continue;
    values[place] = ArgumentReader(lines, layout, argument).read();
  }
  return values;
}

}  // namespace dumpi
