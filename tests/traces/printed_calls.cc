// Calls as dumpi2ascii prints them.
#include "tests/traces/printed_calls.h"

#include <fmt/format.h>

#include <map>

namespace castor_test {
namespace {

using dumpi::Kind;
using dumpi::Label;

const char* type_of(Kind kind) {
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
    case Kind::wide:
      return "int64_t";
    case Kind::number:
    case Kind::win:
    case Kind::errhandler:
    case Kind::keyval:
    case Kind::word:
    case Kind::text:
    case Kind::numbers:
    case Kind::ranges:
    case Kind::words:
    case Kind::status:
    case Kind::statuses:
    case Kind::strings:
    case Kind::lists:
      break;
  }
  return "int";
}

std::string joined(const std::vector<std::string>& items, const char* between = ", ") {
  std::string text;
  for (const std::string& each : items) text += (text.empty() ? "" : between) + each;
  return "[" + text + "]";
}

std::vector<std::string> quoted(const std::vector<std::string>& strings) {
  std::vector<std::string> items;
  for (const std::string& each : strings) items.push_back('"' + each + '"');
  return items;
}

/// Prints the lines of one argument.
class Printer {
 public:
  Printer(const dumpi::Layout& layout, const dumpi::Argument& argument)
      : layout_(layout), argument_(argument), name_(argument.name) {}

  /// What was not recorded.
  std::string operator()(std::monostate) const {
    switch (argument_.kind) {
      case Kind::text:
        return fmt::format("string {}=\"(null)\"\n", name_);
      case Kind::strings:
        return fmt::format("string {}[-2]=<IGNORED>\n", name_);
      case Kind::lists:
        return fmt::format("string {}[0][-2]=<IGNORED>\n", name_);
      case Kind::numbers:
        return fmt::format("int {}[3]=<IGNORED>\n", name_);
      case Kind::infos:
        return fmt::format("MPI_Info {}[0]=[]\n", name_);
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
      case Kind::wide:
      case Kind::requests:
      case Kind::ranges:
      case Kind::datatypes:
      case Kind::words:
      case Kind::status:
      case Kind::statuses:
        break;
    }
    return fmt::format("{} {}=0 (MPI_SOMETHING)\n", type_of(argument_.kind), name_);
  }
  std::string operator()(std::int32_t number) const {
    if (argument_.kind == Kind::request) {
      return fmt::format("{}_Request {}=[{}]\n", maker(), name_, number);
    }
    return fmt::format("{} {}={}{}\n", type_of(argument_.kind), name_, number,
                       number % 2 == 0 ? "" : " (MPI_SOMETHING)");
  }
  std::string operator()(std::int64_t number) const {
    if (layout_.name().starts_with("Function_")) {
      return fmt::format("int {}={} (\"main (int)\")\n", name_, number);
    }
    return fmt::format("int64_t {}={}\n", name_, number);
  }
  std::string operator()(const std::vector<std::int32_t>& numbers) const {
    if (argument_.kind == Kind::ranges) return ranges(numbers);
    std::string type = type_of(argument_.kind);
    if (argument_.kind == Kind::requests) type = maker() + "_Request";
    std::vector<std::string> items;
    for (const std::int32_t each : numbers) items.push_back(std::to_string(each));
    const bool is_int = argument_.kind == Kind::numbers;
    return fmt::format("{} {}[{}]={}\n", type, name_, items.size(),
                       is_int && items.empty() ? "<IGNORED>" : joined(items));
  }
  std::string operator()(const std::vector<dumpi::Status>& statuses) const {
    std::vector<std::string> items;
    for (const auto& each : statuses) {
      items.push_back(fmt::format("{{bytes={}, cancelled={}, source={}, tag={}, error={}}}",
                                  each.bytes, each.cancelled, each.source, each.tag, each.error));
    }
    std::string length;
    if (argument_.kind == Kind::statuses)
      length = fmt::format("[{}]", items.empty() ? 7 : items.size());
    return fmt::format("MPI_Status {}{}={}\n", name_, length,
                       items.empty() ? "<IGNORED>" : joined(items));
  }
  std::string operator()(const std::string& text) const {
    return fmt::format("string {}=\"{}\"\n", name_, text);
  }
  std::string operator()(const std::vector<std::string>& strings) const {
    const std::size_t size = strings.size();
    // Of a list that a null ends the tool does not know the length, and separates nothing.
    if (layout_.label() == Label::Comm_spawn) {
      return fmt::format("string {}[-2]={}\n", name_, joined(quoted(strings), ""));
    }
    const std::string list = size == 0 ? "<IGNORED>" : joined(quoted(strings));
    const std::string line = fmt::format("string {}[{}]={}\n", name_, size, list);
    return layout_.name().starts_with("MPI_Init") ? fmt::format("int argc={}\n{}", size, line)
                                                  : line;
  }
  std::string operator()(const std::vector<std::vector<std::string>>& lists) const {
    std::vector<std::string> items;
    for (const auto& each : lists) items.push_back(joined(quoted(each), ""));
    return fmt::format("string {}[{}][-2]={}\n", name_, items.size(),
                       items.empty() ? "<IGNORED>" : joined(items));
  }

 private:
  /// Before the name of a request's type.
  std::string maker() const {
    const std::string name(layout_.name());
    const bool io = name.starts_with("MPIO_") || name.starts_with("MPI_File_i");
    return io ? "MPIO" : "MPI";
  }

  /// Each on a line, but the last of them on that of the next argument.
  std::string ranges(const std::vector<std::int32_t>& numbers) const {
    const std::size_t size = numbers.size() / 3;
    std::string text = fmt::format("int {}[{}][3]=", name_, size);
    if (size == 0) return text + "<IGNORED>\n";
    for (std::size_t i = 0; i < size; ++i) {
      text += fmt::format("{}[{}, {}, {}]\n", i == 0 ? "[" : ", ", numbers[3 * i],
                          numbers[3 * i + 1], numbers[3 * i + 2]);
    }
    return text + "]";
  }

  const dumpi::Layout& layout_;
  const dumpi::Argument& argument_;
  const char* name_;
};

/// The arguments in the order of print, where it is not that of the file: by their places there.
std::vector<std::size_t> places_of(const dumpi::Call& call) {
  static const std::map<Label, std::vector<std::size_t>> orders = {
      {Label::Gather, {0, 1, 2, 5, 6, 3, 4}},
      {Label::Gatherv, {0, 1, 2, 3, 6, 7, 8, 4, 5}},
      {Label::Scatter, {0, 5, 6, 1, 2, 3, 4}},
      {Label::Scatterv, {0, 1, 7, 8, 2, 3, 4, 5, 6}},
      {Label::Comm_spawn, {0, 4, 5, 6, 7, 1, 2, 3, 8}},
      {Label::Comm_spawn_multiple, {0, 1, 5, 6, 7, 8, 9, 2, 3, 4, 10}},
      {Label::MPIO_Testany, {0, 1, 3, 2, 4}}};
  if (const auto found = orders.find(call.label); found != orders.end()) return found->second;
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < call.values.size(); ++place) places.push_back(place);
  return places;
}

std::string time_of(std::int64_t ns) {
  return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
}

std::string counters_of(const dumpi::Call& call, const std::vector<std::string>& names,
                        std::uint64_t dumpi::Counter::*value) {
  if (call.counters.empty()) return "";
  std::vector<std::string> items;
  for (std::size_t i = 0; i < call.counters.size(); ++i) {
    const auto number = static_cast<std::int64_t>(call.counters[i].*value);
    items.push_back(fmt::format("{}={}", names.at(i), number));
  }
  return "Perfcounters: " + joined(items) + "\n";
}

}  // namespace

std::string text_of(const dumpi::Call& call, const std::vector<std::string>& counters) {
  const dumpi::Layout& layout = dumpi::layout_of(call.label);
  const auto moment = [&](const char* event, std::int64_t wall, std::int64_t cpu) {
    return fmt::format("{} {} at walltime {}, cputime {} seconds in thread {}.\n", layout.name(),
                       event, time_of(wall), time_of(cpu), call.thread);
  };
  std::string text = moment("entering", call.wall->entry, call.cpu->entry) +
                     counters_of(call, counters, &dumpi::Counter::entry);
  for (const std::size_t place : places_of(call)) {
    text += std::visit(Printer(layout, layout.arguments()[place]), call.values[place]);
  }
  return text + moment("returning", call.wall->exit, call.cpu->exit) +
         counters_of(call, counters, &dumpi::Counter::exit);
}

}  // namespace castor_test
