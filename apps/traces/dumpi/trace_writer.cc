// Writing one rank's binary trace.
#include "apps/traces/dumpi/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "apps/traces/dumpi/bytes.h"

namespace dumpi {
namespace {

constexpr Version written{1, 1, 0};

void write_time(ByteWriter& out, std::int64_t time, std::uint32_t bias) {
  const std::int64_t first = std::int64_t{bias} * second;
  if (time < first) {
    throw std::runtime_error(
        fmt::format("a time of {} ns: must be at least the bias, {} ns", time, first));
  }
  out.u16(static_cast<std::uint16_t>((time - first) / second & 0xFFFF));
  out.u32(static_cast<std::uint32_t>(time % second));
}

void write_span(ByteWriter& out, const Span& span, std::uint32_t bias) {
  write_time(out, span.entry, bias);
  write_time(out, span.exit, bias);
}

void write_statuses(ByteWriter& out, const std::vector<Status>& statuses) {
  out.count(statuses.size());
  for (const Status& each : statuses) {
    out.i32(each.bytes);
    out.i32(each.source);
    out.u8(each.cancelled);
    out.u8(each.error);
    out.i32(each.tag);
  }
}

void write_numbers(ByteWriter& out, const std::vector<std::int32_t>& numbers) {
  out.count(numbers.size());
  for (const std::int32_t each : numbers) out.i32(each);
}

void write_strings(ByteWriter& out, const std::vector<std::string>& strings) {
  out.count(strings.size());
  for (const std::string& each : strings) out.chars(each);
}

void write_ranges(ByteWriter& out, const std::vector<std::int32_t>& numbers) {
  out.count(numbers.size() / range_numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % range_numbers == 0) out.count(range_numbers);
    out.i32(numbers[i]);
  }
}

void write_value(ByteWriter& out, Kind kind, const Value& value, bool has_statuses) {
  switch (kind) {
    case Kind::number:
    case Kind::request:
      out.i32(std::get<std::int32_t>(value));
      return;
    case Kind::comm:
    case Kind::datatype:
    case Kind::group:
    case Kind::info:
    case Kind::win:
    case Kind::errhandler:
    case Kind::keyval:
    case Kind::file:
      out.u16(static_cast<std::uint16_t>(std::get<std::int32_t>(value)));
      return;
    case Kind::op:
    case Kind::word:
      out.u8(static_cast<std::uint8_t>(std::get<std::int32_t>(value)));
      return;
    case Kind::numbers:
    case Kind::requests:
      write_numbers(out, std::get<std::vector<std::int32_t>>(value));
      return;
    case Kind::wide:
      out.u64(static_cast<std::uint64_t>(std::get<std::int64_t>(value)));
      return;
    case Kind::text:
      out.chars(std::get<std::string>(value));
      return;
    case Kind::ranges:
      write_ranges(out, std::get<std::vector<std::int32_t>>(value));
      return;
    case Kind::datatypes:
    case Kind::infos:
    case Kind::words: {
      const auto& numbers = std::get<std::vector<std::int32_t>>(value);
      out.count(numbers.size());
      for (const std::int32_t each : numbers) {
        if (kind == Kind::words) {
          out.u8(static_cast<std::uint8_t>(each));
        } else {
          out.u16(static_cast<std::uint16_t>(each));
        }
      }
      return;
    }
    case Kind::status:
    case Kind::statuses:
      if (has_statuses) write_statuses(out, std::get<std::vector<Status>>(value));
      return;
    case Kind::strings:
      write_strings(out, std::get<std::vector<std::string>>(value));
      return;
    case Kind::lists: {
      const auto& lists = std::get<std::vector<std::vector<std::string>>>(value);
      out.count(lists.size());
      for (const auto& each : lists) write_strings(out, each);
      return;
    }
  }
}

std::uint8_t mask_of(const Call& call) {
  unsigned mask = with_thread;
  if (call.has_statuses) mask |= with_statuses;
  if (call.cpu) mask |= with_cpu_time;
  if (call.wall) mask |= with_wall_time;
  if (!call.counters.empty()) mask |= with_counters;
  return static_cast<std::uint8_t>(mask);
}

void write_call(ByteWriter& out, const Call& call, const Bias& bias) {
  out.u16(static_cast<std::uint16_t>(call.label));
  out.u8(mask_of(call));
  out.u16(call.thread);
  if (call.cpu) write_span(out, *call.cpu, bias.cpu_s);
  if (call.wall) write_span(out, *call.wall, bias.wall_s);
  if (!call.counters.empty()) {
    out.u8(static_cast<std::uint8_t>(call.counters.size()));
    for (const Counter& each : call.counters) {
      out.u64(each.entry);
      out.u64(each.exit);
    }
  }
  const Layout& layout = layout_of(call.label);
  for (std::size_t place = 0; place < call.values.size(); ++place) {
    if (!is_recorded(layout, place, call.values)) continue;
    write_value(out, layout.arguments()[place].kind, call.values[place], call.has_statuses);
  }
}

void write_header(ByteWriter& out, const Sections& sections) {
  if (sections.mesh_size.size() != sections.mesh_position.size()) {
    throw std::runtime_error(fmt::format("a mesh of {} dimensions: must be {}, as the position has",
                                         sections.mesh_size.size(), sections.mesh_position.size()));
  }
  out.u8(written.major_number);
  out.u8(written.minor_number);
  out.u8(written.patch);
  out.u64(sections.start);
  out.string(sections.host);
  out.string(sections.user);
  write_numbers(out, sections.mesh_position);
  // Real traces have the second array also where the first one is empty; readers need not look.
  write_numbers(out, sections.mesh_size);
}

void write_counts(ByteWriter& out, const std::vector<std::uint32_t>& counts) {
  if (!counts.empty() && counts.size() != function_count) {
    throw std::runtime_error(
        fmt::format("{} counts of calls: must be {} or none", counts.size(), function_count));
  }
  for (std::size_t i = 0; i < function_count; ++i) out.u32(counts.empty() ? 0 : counts[i]);
}

}  // namespace

TraceWriter::TraceWriter(std::ostream& out, std::string name, Bias bias)
    : out_(out), name_(std::move(name)), bias_(bias), called_(function_count) {
  std::string head;
  ByteWriter bytes(head);
  bytes.u64(magic);
  bytes.u32(bias.cpu_s);
  bytes.u32(bias.wall_s);
  put(head);
}

void TraceWriter::put(const std::string& bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out_) throw std::runtime_error(fmt::format("{}: cannot be written", name_));
  position_ += bytes.size();
}

void TraceWriter::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("{}: byte {}: {}", name_, position_, what));
}

void TraceWriter::write(const Call& call) {
  if (finished_) fail("a call behind the stream's end");
  if (const std::string fault = fault_of(call); !fault.empty()) fail(fault);
  record_.clear();
  ByteWriter bytes(record_);
  try {
    write_call(bytes, call, bias_);
  } catch (const std::runtime_error& error) {
    fail(fmt::format("{}: {}", layout_of(call.label).name(), error.what()));
  }
  put(record_);
  // The program's own functions are no calls that the footer counts.
  const auto label = static_cast<std::size_t>(call.label);
  if (label < called_.size()) ++called_[label];
}

void TraceWriter::finish(const Sections& sections) {
  if (finished_) fail("finished a second time");
  std::string rest;
  ByteWriter out(rest);
  const auto here = [&] { return position_ + rest.size(); };
  out.u16(end_of_stream);
  try {
    const std::uint64_t header = here();
    write_header(out, sections);
    const std::uint64_t footer = here();
    out.u64(footer_magic);
    write_counts(out, sections.called.empty() ? called_ : sections.called);
    write_counts(out, sections.ignored);
    const std::uint64_t keyvals = sections.keyvals.empty() ? 0 : here();
    out.count(sections.keyvals.size());
    for (const auto& [key, value] : sections.keyvals) {
      out.string(key);
      out.string(value);
    }
    const std::uint64_t labels = here();
    out.count(sections.counter_labels.size());
    for (const std::string& each : sections.counter_labels) out.string(each);
    const std::uint64_t sizes = here();
    out.count(sections.type_sizes.size());
    for (const std::uint32_t each : sections.type_sizes) out.u32(each);
    const std::uint64_t functions = here();
    out.count(sections.functions.size());
    for (const auto& [address, name] : sections.functions) {
      out.u64(address);
      out.string(name);
    }
    out.u64(magic);
    for (const std::uint64_t offset :
         {sizes, functions, labels, header, std::uint64_t{8}, footer, keyvals}) {
      out.u64(offset);
    }
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
  put(rest);
  out_.flush();
  if (!out_) throw std::runtime_error(fmt::format("{}: cannot be written", name_));
  finished_ = true;
}

RankTrace trace_of(const std::string& name, const std::vector<Call>& calls,
                   const Sections& sections) {
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  std::int64_t cpu = last;
  std::int64_t wall = last;
  for (const Call& each : calls) {
    if (each.cpu) cpu = std::min({cpu, each.cpu->entry, each.cpu->exit});
    if (each.wall) wall = std::min({wall, each.wall->entry, each.wall->exit});
  }
  const auto bias = [](std::int64_t first) {
    return first == last ? 0 : static_cast<std::uint32_t>(first / second);
  };
  std::ostringstream bytes;
  TraceWriter writer(bytes, name, {bias(cpu), bias(wall)});
  for (const Call& each : calls) writer.write(each);
  writer.finish(sections);
  RankTrace trace(name, bytes.str());
  CallReader reader(trace);
  Call call;
  for (const Call& each : calls) {
    if (reader.next(call) && call == each) continue;
    throw std::runtime_error(
        fmt::format("{}: two calls of a thread are more than 32768 s apart", name));
  }
  return trace;
}

std::string meta_text(const std::string& prefix, int ranks, const Sections& sections) {
  return fmt::format(
      "hostname={}\nnumprocs={}\nusername={}\nstartime={}\nfileprefix={}\nversion={}\n"
      "subversion={}\nsubsubversion={}\n",
      sections.host, ranks, sections.user, sections.start, prefix, written.major_number,
      written.minor_number, written.patch);
}

}  // namespace dumpi
