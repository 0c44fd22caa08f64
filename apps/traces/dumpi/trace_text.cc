// Reading the text that dumpi2ascii prints.
#include "apps/traces/dumpi/trace_text.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "apps/traces/dumpi/bytes.h"
#include "apps/traces/dumpi/text_arguments.h"
#include "apps/traces/dumpi/text_lines.h"
#include "apps/traces/dumpi/trace_writer.h"

namespace dumpi {
namespace {

constexpr std::string_view entering = " entering at walltime ";
constexpr std::string_view returning = " returning at walltime ";
constexpr std::string_view counters = "Perfcounters: [";

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
    return trace_of(name_, calls_, sections_);
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
           line.starts_with("Datatype ") || line.starts_with("Function address ") ||
           line.find(" called ") != std::string_view::npos;
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
    std::vector<std::uint64_t> at_entry;
    if (next_is_counters()) at_entry = read_counters();
    call.values = read_arguments(lines_, *layout);
    lines_.next();
    const Moment exit = read_moment(lines_, returning);
    if (exit.call != entry.call || exit.thread != entry.thread) {
      lines_.must_be(fmt::format("{} returning in thread {}", entry.call, entry.thread));
    }
    call.thread = entry.thread;
    call.wall = Span{entry.wall, exit.wall};
    call.cpu = Span{entry.cpu, exit.cpu};
    if (!at_entry.empty()) {
      if (!next_is_counters()) lines_.fail("no counters at the return, must be as at the entry");
      const std::vector<std::uint64_t> at_exit = read_counters();
      for (std::size_t i = 0; i < at_exit.size(); ++i) {
        call.counters.push_back({at_entry[i], at_exit[i]});
      }
    }
    if (const std::string fault = fault_of(call); !fault.empty()) lines_.fail(fault);
    calls_.push_back(std::move(call));
  }

  bool next_is_counters() const {
    Lines ahead = lines_;
    return ahead.next() && ahead.line().starts_with(counters);
  }

  /// All lines of a text have the same counters: their names are those of the first one.
  std::vector<std::uint64_t> read_counters() {
    lines_.next();
    Words words(lines_, lines_.line(), "'Perfcounters: [NAME=N, ...]'");
    words.take(counters);
    std::vector<std::uint64_t> values;
    std::vector<std::string> names;
    do {
      names.emplace_back(words.until("="));
      values.push_back(static_cast<std::uint64_t>(words.number<std::int64_t>()));
    } while (words.take_if(", "));
    words.take("]");
    words.end();
    if (sections_.counter_labels.empty()) sections_.counter_labels = names;
    if (names != sections_.counter_labels) lines_.must_be("the counters of the first call");
    return values;
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
