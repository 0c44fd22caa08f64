// Reading the text that dumpi2ascii prints.
#include "apps/traces/dumpi/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "apps/traces/dumpi/bytes.h"
#include "apps/traces/dumpi/trace_writer.h"

namespace dumpi {
namespace {

constexpr std::string_view entering = " entering at walltime ";
constexpr std::string_view returning = " returning at walltime ";

/// The C types of handles, as the text has them before an argument's name; the others' are not
/// looked at.
std::string_view handle_type(Kind kind) {
  switch (kind) {
    case Kind::request:
    case Kind::requests:
      return "MPI_Request";
    case Kind::comm:
      return "MPI_Comm";
    case Kind::datatype:
      return "MPI_Datatype";
    case Kind::group:
      return "MPI_Group";
    case Kind::info:
      return "MPI_Info";
    case Kind::win:
      return "MPI_Win";
    case Kind::op:
      return "MPI_Op";
    case Kind::status:
    case Kind::statuses:
      return "MPI_Status";
    case Kind::strings:
      return "string";
    case Kind::number:
    case Kind::word:
    case Kind::numbers:
      return "";
  }
  return "";
}

bool is_handle_type(std::string_view type) {
  for (int kind = 0; kind <= static_cast<int>(Kind::strings); ++kind) {
    if (!type.empty() && type == handle_type(static_cast<Kind>(kind))) return true;
  }
  return false;
}

/// The text's lines, and errors that say which one is meant.
class Lines {
 public:
  Lines(const std::string& name, std::string_view text) : name_(name), text_(text) {}

  /// Goes on to the next line that is not empty.
  bool next() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      line_ = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number_;
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      if (!line_.empty()) return true;
    }
    ++number_;
    line_ = {};
    return false;
  }
  std::string_view line() const { return line_; }

  [[noreturn]] void fail(std::string_view what) const {
    throw std::runtime_error(fmt::format("{}: line {}: {}", name_, number_, what));
  }
  /// Says what the line is not.
  [[noreturn]] void must_be(std::string_view what) const {
    constexpr std::size_t most = 60;
    std::string shown(line_.substr(0, most));
    for (char& each : shown) {
      if (each >= 0 && each < ' ') each = '?';
    }
    fail(fmt::format("'{}{}': must be {}", shown, line_.size() > most ? "..." : "", what));
  }

 private:
  const std::string& name_;
  std::string_view text_;
  std::string_view line_;
  int number_ = 0;
};

/// Takes parts off the front of a line, each of which has to be there.
class Words {
 public:
  Words(const Lines& lines, std::string_view rest, std::string_view form)
      : lines_(&lines), rest_(rest), form_(form) {}

  std::string_view rest() const { return rest_; }
  bool begins(std::string_view what) const { return rest_.starts_with(what); }
  [[noreturn]] void fail() const { lines_->must_be(form_); }

  bool take_if(std::string_view what) {
    if (!begins(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  void take(std::string_view what) {
    if (!take_if(what)) fail();
  }
  /// What stands before `what`, which is taken, too.
  std::string_view until(std::string_view what) {
    const std::size_t end = rest_.find(what);
    if (end == std::string_view::npos) fail();
    const std::string_view before = rest_.substr(0, end);
    rest_.remove_prefix(end + what.size());
    return before;
  }
  template <typename Number>
  Number number() {
    Number value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// S.NNNNNNNNN seconds, in ns.
  std::int64_t time() {
    const std::int64_t whole = number<std::uint32_t>();
    take(".");
    const std::size_t before = rest_.size();
    const std::int64_t ns = number<std::uint32_t>();
    if (before - rest_.size() != 9) fail();
    return whole * second + ns;
  }
  void end() const {
    if (!rest_.empty()) fail();
  }

 private:
  const Lines* lines_;
  std::string_view rest_;
  std::string_view form_;
};

struct Moment {
  std::string_view call;
  std::int64_t wall = 0;
  std::int64_t cpu = 0;
  std::uint16_t thread = 0;
};

Moment read_moment(const Lines& lines, std::string_view event) {
  Words words(lines, lines.line(),
              "'MPI_Name entering (or returning) at walltime S.NNNNNNNNN, cputime S.NNNNNNNNN "
              "seconds in thread T.'");
  Moment moment;
  moment.call = words.until(event);
  moment.wall = words.time();
  words.take(", cputime ");
  moment.cpu = words.time();
  words.take(" seconds in thread ");
  moment.thread = words.number<std::uint16_t>();
  words.take(".");
  words.end();
  return moment;
}

/// Reads one argument's line, or those of argv.
class ArgumentReader {
 public:
  ArgumentReader(Lines& lines, const Layout& layout, const Argument& argument)
      : lines_(lines),
        kind_(argument.kind),
        form_(fmt::format("{}'s argument {}, {}", layout.name(), argument.name, shape())),
        words_(lines, lines.line(), form_) {}

  Value read() {
    if (kind_ == Kind::strings && words_.begins("int ")) {
      // argc, which argv says again.
      if (!lines_.next()) lines_.must_be(form_);
      words_ = Words(lines_, lines_.line(), form_);
    }
    read_name();
    Value value = read_value();
    if (!words_.rest().empty() && !(words_.begins(" (") && words_.rest().ends_with(')'))) {
      words_.fail();
    }
    return value;
  }

 private:
  std::string shape() const {
    const std::string_view type = handle_type(kind_);
    switch (kind_) {
      case Kind::numbers:
        return "'int NAME[N]=[A, B, ...]'";
      case Kind::requests:
        return "'MPI_Request NAME[N]=[A, B, ...]'";
      case Kind::request:
        return "'MPI_Request NAME=[A]'";
      case Kind::status:
      case Kind::statuses:
        return "'MPI_Status NAME=<IGNORED>' or '[{...}, ...]'";
      case Kind::strings:
        return "'string NAME[N]=[\"A\", ...]'";
      case Kind::number:
      case Kind::comm:
      case Kind::datatype:
      case Kind::group:
      case Kind::info:
      case Kind::win:
      case Kind::op:
      case Kind::word:
        break;
    }
    return fmt::format("'{} NAME=A'", type.empty() ? "int" : type);
  }

  /// Type, name and the number of entries of an array.
  void read_name() {
    const std::string_view type = words_.until(" ");
    const std::string_view must = handle_type(kind_);
    if (must.empty() ? is_handle_type(type) : type != must) words_.fail();
    std::string_view name = words_.until("=");
    const std::size_t bracket = name.find('[');
    if (bracket == std::string_view::npos) return;
    Words length(lines_, name.substr(bracket), form_);
    length.take("[");
    entries_ = length.number<std::uint32_t>();
    length.take("]");
    length.end();
  }

  Value read_value() {
    switch (kind_) {
      case Kind::numbers:
      case Kind::requests:
        return counted(read_numbers());
      case Kind::request:
        return read_request();
      case Kind::status:
      case Kind::statuses:
        return read_statuses();
      case Kind::strings:
        return counted(read_strings());
      case Kind::number:
      case Kind::comm:
      case Kind::datatype:
      case Kind::group:
      case Kind::info:
      case Kind::win:
      case Kind::op:
      case Kind::word:
        break;
    }
    return words_.number<std::int32_t>();
  }

  template <typename Array>
  Array counted(Array array) const {
    if (entries_ && *entries_ != array.size()) {
      lines_.fail(fmt::format("{} entries, must be {}", array.size(), *entries_));
    }
    return array;
  }

  std::vector<std::int32_t> read_numbers() {
    std::vector<std::int32_t> numbers;
    words_.take("[");
    while (!words_.take_if("]")) {
      if (!numbers.empty()) words_.take(", ");
      numbers.push_back(words_.number<std::int32_t>());
    }
    return numbers;
  }

  std::int32_t read_request() {
    const bool bracket = words_.take_if("[");
    const auto request = words_.number<std::int32_t>();
    if (bracket) words_.take("]");
    return request;
  }

  std::vector<Status> read_statuses() {
    std::vector<Status> statuses;
    if (words_.take_if("<IGNORED>")) return statuses;
    words_.take("[");
    while (!words_.take_if("]")) {
      if (!statuses.empty()) words_.take(", ");
      statuses.push_back(read_status());
    }
    return counted(std::move(statuses));
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
        status.cancelled = words_.number<std::uint8_t>();
      } else if (field == "error") {
        status.error = words_.number<std::uint8_t>();
      } else {
        words_.fail();
      }
    }
    return status;
  }

  /// Nothing says how a quotation mark within a string is printed: only `", "` ends one that is not
  /// the last.
  std::vector<std::string> read_strings() {
    std::vector<std::string> strings;
    words_.take("[");
    if (words_.take_if("]")) return strings;
    words_.take("\"");
    std::string_view rest = words_.rest();
    if (!rest.ends_with("\"]")) words_.fail();
    rest.remove_suffix(2);
    words_.take(rest);
    words_.take("\"]");
    constexpr std::string_view between = "\", \"";
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
  std::optional<std::uint32_t> entries_;
};

/// Reads the whole text.
class TextReader {
 public:
  TextReader(const std::string& name, const std::string& text) : name_(name), lines_(name, text) {}

  RankTrace read() {
    bool more = lines_.next();
    for (; more && is_header(); more = lines_.next()) read_header();
    while (more && lines_.line().find(entering) != std::string_view::npos) {
      read_call();
      more = lines_.next();
    }
    if (calls_.empty())
      lines_.must_be("a header's 'key=value' or a call's 'MPI_Name entering ...'");
    if (more && !is_tail()) lines_.must_be("a call's 'MPI_Name entering ...'");
    for (; more; more = lines_.next()) read_tail();
    return encode();
  }

 private:
  bool is_header() const {
    const std::string_view line = lines_.line();
    return line.find('=') != std::string_view::npos &&
           line.find(entering) == std::string_view::npos && line.find(' ') > line.find('=');
  }

  void read_header() {
    Words words(lines_, lines_.line(), "'key=value'");
    const std::string_view key = words.until("=");
    if (key == "hostname") sections_.host = words.rest();
    if (key == "username") sections_.user = words.rest();
  }

  /// True if the line belongs to what comes behind the calls.
  bool is_tail() const {
    const std::string_view line = lines_.line();
    return line.starts_with("Total keyvals: ") || line.starts_with("Performance counters: ") ||
           line.starts_with("Datatype ") || line.find(" called ") != std::string_view::npos;
  }

  void read_tail() {
    if (lines_.line().find(entering) != std::string_view::npos) {
      lines_.fail("a call behind the end of the stream: must be one rank's text");
    }
    Words words(lines_, lines_.line(), "'Datatype N (NAME) has size S'");
    if (!words.take_if("Datatype ")) return;
    const auto number = words.number<std::uint32_t>();
    words.take(" ");
    words.until(" has size ");
    if (number != sections_.type_sizes.size()) {
      lines_.fail(
          fmt::format("data type {}: must be {}, the next", number, sections_.type_sizes.size()));
    }
    sections_.type_sizes.push_back(words.number<std::uint32_t>());
    words.end();
  }

  void read_call() {
    const Moment entry = read_moment(lines_, entering);
    const Layout* const layout = find_layout(entry.call);
    if (layout == nullptr) {
      lines_.fail(fmt::format("{}: must be one of calls.def's calls", entry.call));
    }
    Call call;
    call.label = layout->label();
    for (std::size_t place = 0; place < layout->arguments().size(); ++place) {
      if (!is_recorded(*layout, place, call.values)) {
        call.values.emplace_back();
        continue;
      }
      lines_.next();
      call.values.push_back(ArgumentReader(lines_, *layout, layout->arguments()[place]).read());
    }
    lines_.next();
    const Moment exit = read_moment(lines_, returning);
    if (exit.call != entry.call || exit.thread != entry.thread) {
      lines_.must_be(fmt::format("{} returning in thread {}", entry.call, entry.thread));
    }
    call.thread = entry.thread;
    call.wall = Span{entry.wall, exit.wall};
    call.cpu = Span{entry.cpu, exit.cpu};
    if (const std::string fault = fault_of(call); !fault.empty()) lines_.fail(fault);
    calls_.push_back(std::move(call));
  }

  /// The calls as a file would have them, so that there is one kind of trace to go through.
  RankTrace encode() {
    std::int64_t cpu = std::numeric_limits<std::int64_t>::max();
    std::int64_t wall = cpu;
    for (const Call& each : calls_) {
      cpu = std::min({cpu, each.cpu->entry, each.cpu->exit});
      wall = std::min({wall, each.wall->entry, each.wall->exit});
    }
    std::ostringstream bytes;
    TraceWriter writer(
        bytes, name_,
        {static_cast<std::uint32_t>(cpu / second), static_cast<std::uint32_t>(wall / second)});
    for (const Call& each : calls_) writer.write(each);
    writer.finish(sections_);
    RankTrace trace(name_, bytes.str());
    CallReader reader(trace);
    Call call;
    for (const Call& each : calls_) {
      if (reader.next(call) && call == each) continue;
      throw std::runtime_error(
          fmt::format("{}: two calls of a thread are more than 32768 s apart", name_));
    }
    return trace;
  }

  const std::string& name_;
  Lines lines_;
  Sections sections_;
  std::vector<Call> calls_;
};

}  // namespace

RankTrace parse_text(const std::string& name, const std::string& text) {
  return TextReader(name, text).read();
}

RankTrace read_text(const std::string& path) { return parse_text(path, contents_of_file(path)); }

RankTrace read_rank(const std::string& path) {
  return path.ends_with(".txt") ? read_text(path) : RankTrace::read(path);
}

}  // namespace dumpi
