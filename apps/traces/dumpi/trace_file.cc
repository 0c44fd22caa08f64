// Reading one rank's binary trace.
#include "apps/traces/dumpi/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "apps/traces/dumpi/bytes.h"

namespace dumpi {
namespace {

constexpr Version newest{1, 1, 255};
constexpr Version with_tags{0, 6, 3};
constexpr Version with_one_argc{0, 6, 2};
constexpr Version with_all_coords{0, 6, 8};
constexpr Version with_all_displacements{0, 6, 9};
constexpr std::int64_t round = 65536;  // seconds until a time's 16 bits begin anew

/// Where the parts of a file begin; 0: there is none.
struct Index {
  std::uint64_t sizes = 0, addresses = 0, labels = 0, header = 0, body = 0, footer = 0, keyvals = 0;
  std::uint64_t start = 0;  // of the index itself
};

constexpr std::size_t word = 8;
/// The offsets behind the index's magic word; old traces lack the first one, two or three.
constexpr std::size_t most_offsets = 7;
constexpr std::size_t least_offsets = 4;

Index read_index(const std::string& name, const std::string& bytes) {
  const std::uint64_t size = bytes.size();
  ByteReader head(name, bytes, 0, size);
  if (size < word || head.u64() != magic) {
    head.fail(0, "no DUMPI trace: must begin with FF AA DD 44 55 4D 50 49");
  }
  for (std::size_t offsets = most_offsets; offsets >= least_offsets; --offsets) {
    const std::uint64_t length = (offsets + 1) * word;
    if (size < word + length) continue;
    Index index;
    index.start = size - length;
    ByteReader in(name, bytes, index.start, size);
    if (in.u64() != magic) continue;
    std::uint64_t* const all[most_offsets] = {&index.sizes,  &index.addresses, &index.labels,
                                              &index.header, &index.body,      &index.footer,
                                              &index.keyvals};
    for (std::size_t i = most_offsets - offsets; i < most_offsets; ++i) {
      const std::uint64_t at = in.position();
      *all[i] = in.u64();
      if (*all[i] != 0 && (*all[i] < word || *all[i] >= index.start)) {
        in.fail(at, fmt::format("offset {} of a part: must be 0, or {} to {}", *all[i], word,
                                index.start - 1));
      }
    }
    return index;
  }
  head.fail(size, "no index at the end: the file is cut off, or was never finished");
}

void check_version(const ByteReader& in, std::uint64_t at, const Version& version) {
  if (version <= newest) return;
  in.fail(at, fmt::format("version {}.{}.{}: must be at most {}.{}", version.major_number,
                          version.minor_number, version.patch, newest.major_number,
                          newest.minor_number));
}

std::vector<std::int32_t> read_numbers(ByteReader& in) {
  std::vector<std::int32_t> numbers(in.count(4));
  for (std::int32_t& each : numbers) each = in.i32();
  return numbers;
}

/// Reads the parts beside the stream. A part may be anywhere before the index.
class SectionReader {
 public:
  SectionReader(const std::string& name, const std::string& bytes, const Index& index)
      : name_(name), bytes_(bytes), index_(index) {}

  Sections read() const {
    Sections sections;
    if (index_.header == 0) at(index_.start).fail(index_.start, "no header: must have one");
    if (index_.body == 0) at(index_.start).fail(index_.start, "no stream of calls: must have one");
    read_header(sections);
    if (index_.keyvals != 0) read_keyvals(sections);
    if (index_.footer != 0) read_footer(sections);
    if (index_.labels != 0) read_labels(sections);
    if (index_.addresses != 0) read_functions(sections);
    if (index_.sizes != 0) read_sizes(sections);
    return sections;
  }

 private:
  ByteReader at(std::uint64_t offset) const { return {name_, bytes_, offset, index_.start}; }

  void read_header(Sections& sections) const {
    ByteReader in = at(index_.header);
    sections.version.major_number = in.u8();
    sections.version.minor_number = in.u8();
    sections.version.patch = in.u8();
    check_version(in, index_.header, sections.version);
    sections.start = in.u64();
    sections.host = in.string();
    sections.user = in.string();
    sections.mesh_position = read_numbers(in);
    if (sections.mesh_position.empty()) return;
    const std::uint64_t place = in.position();
    sections.mesh_size = read_numbers(in);
    if (sections.mesh_size.size() != sections.mesh_position.size()) {
      in.fail(place, fmt::format("a mesh of {} dimensions: must be {}, as the position has",
                                 sections.mesh_size.size(), sections.mesh_position.size()));
    }
  }

  void read_keyvals(Sections& sections) const {
    ByteReader in = at(index_.keyvals);
    for (std::size_t left = in.count(4); left > 0; --left) {
      std::string key = in.string();
      sections.keyvals.emplace_back(std::move(key), in.string());
    }
  }

  void read_footer(Sections& sections) const {
    ByteReader in = at(index_.footer);
    const std::uint64_t begin = in.u64();
    if (begin != footer_magic) {
      in.fail(index_.footer,
              fmt::format("footer begins with {:016X}: must be {:016X}", begin, footer_magic));
    }
    for (auto* const counts : {&sections.called, &sections.ignored}) {
      for (std::size_t i = 0; i < function_count; ++i) counts->push_back(in.u32());
    }
  }

  void read_labels(Sections& sections) const {
    ByteReader in = at(index_.labels);
    for (std::size_t left = in.count(2); left > 0; --left) {
      sections.counter_labels.push_back(in.string());
    }
  }

  void read_functions(Sections& sections) const {
    ByteReader in = at(index_.addresses);
    for (std::size_t left = in.count(10); left > 0; --left) {
      const std::uint64_t address = in.u64();
      sections.functions.emplace_back(address, in.string());
    }
  }

  void read_sizes(Sections& sections) const {
    ByteReader in = at(index_.sizes);
    for (std::size_t left = in.count(4); left > 0; --left) sections.type_sizes.push_back(in.u32());
  }

  const std::string& name_;
  const std::string& bytes_;
  const Index& index_;
};

/// The seconds of one clock of one thread, of which the file has 16 bits.
class Seconds {
 public:
  std::int64_t whole(std::int64_t bits) {
    std::int64_t value = rounds_ * round + bits;
    if (value < last_ - round / 2) {
      ++rounds_;
      value += round;
    }
    return last_ = value;
  }

 private:
  std::int64_t rounds_ = 0;
  std::int64_t last_ = 0;
};

}  // namespace

/// The place in a stream of calls.
class CallReader::Stream {
 public:
  Stream(const RankTrace& trace)
      : in_(trace.name_, trace.bytes_, trace.body_, trace.end_), version_(trace.sections_.version) {
    cpu_bias_ = in_.u32();
    wall_bias_ = in_.u32();
  }

  bool next(Call& call) {
    if (ended_) return false;
    const std::uint64_t at = in_.position();
    const std::uint16_t number = in_.u16();
    if (number == end_of_stream) {
      ended_ = true;
      return false;
    }
    const Layout* const layout = find_layout(number);
    if (layout == nullptr) {
      in_.fail(at, fmt::format("label {}: must be one of calls.def's, or {} for the stream's end",
                               number, end_of_stream));
    }
    call.label = layout->label();
    const std::uint8_t mask = read_mask();
    call.has_statuses = (mask & with_statuses) != 0;
    call.thread = (mask & with_thread) != 0 ? in_.u16() : std::uint16_t{0};
    call.cpu.reset();
    call.wall.reset();
    // A thread's own calls return one after the other; a new thread begins now.
    Clocks& clocks = clocks_.try_emplace(call.thread, latest_).first->second;
    if ((mask & with_cpu_time) != 0) call.cpu = read_span(cpu_bias_, clocks.cpu);
    if ((mask & with_wall_time) != 0) call.wall = read_span(wall_bias_, clocks.wall);
    latest_.wall = clocks.wall;
    call.counters.clear();
    if ((mask & with_counters) != 0) read_counters(call);
    call.values.clear();
    call.values.reserve(layout->arguments().size());
    for (std::size_t place = 0; place < layout->arguments().size(); ++place) {
      if (is_recorded(*layout, place, call.values)) {
        call.values.push_back(read_value(layout->arguments()[place], call));
      } else {
        call.values.emplace_back();
      }
    }
    if (const std::string fault = fault_of(call); !fault.empty()) in_.fail(at, fault);
    return true;
  }

 private:
  struct Clocks {
    Seconds cpu, wall;
  };

  std::uint8_t read_mask() {
    constexpr unsigned known =
        with_statuses | with_cpu_time | with_wall_time | with_thread | with_counters;
    const std::uint64_t at = in_.position();
    const std::uint8_t mask = in_.u8();
    if ((mask & ~known) != 0) {
      in_.fail(at, fmt::format("mask {:#04x}: must have bits of {:#04x} only", mask, known));
    }
    return mask;
  }

  std::int64_t read_time(std::int64_t bias, Seconds& seconds) {
    const std::int64_t whole = seconds.whole(in_.u16());
    const std::uint64_t at = in_.position();
    const std::int64_t ns = in_.u32();
    if (ns >= second) in_.fail(at, fmt::format("{} ns of a second: must be below 10^9", ns));
    return (bias + whole) * second + ns;
  }

  Span read_span(std::int64_t bias, Seconds& seconds) {
    const std::int64_t entry = read_time(bias, seconds);
    return {entry, read_time(bias, seconds)};
  }

  void read_counters(Call& call) {
    for (int left = in_.u8(); left > 0; --left) {
      const std::uint64_t entry = in_.u64();
      call.counters.push_back({entry, in_.u64()});
    }
  }

  Value read_value(const Argument& argument, const Call& call) {
    if (has_first_entry_only(argument, call)) {
      // As many as the array before has.
      std::vector<std::int32_t> numbers(
          std::get<std::vector<std::int32_t>>(call.values.back()).size());
      const std::int32_t first = in_.i32();
      if (!numbers.empty()) numbers.front() = first;
      return numbers;
    }
    switch (argument.kind) {
      case Kind::number:
      case Kind::request:
        return in_.i32();
      case Kind::comm:
      case Kind::datatype:
      case Kind::group:
      case Kind::info:
      case Kind::win:
      case Kind::errhandler:
      case Kind::keyval:
      case Kind::file:
        return std::int32_t{in_.u16()};
      case Kind::op:
      case Kind::word:
        return std::int32_t{in_.u8()};
      case Kind::numbers:
      case Kind::requests:
        return read_numbers(in_);
      case Kind::wide:
        return static_cast<std::int64_t>(in_.u64());
      case Kind::text:
        return in_.chars();
      case Kind::ranges:
        return read_ranges();
      case Kind::datatypes:
      case Kind::infos:
        return read_narrow(2, [&] { return in_.u16(); });
      case Kind::words:
        return read_narrow(1, [&] { return in_.u8(); });
      case Kind::status:
      case Kind::statuses:
        return read_statuses(call);
      case Kind::strings:
        return read_strings(call);
      case Kind::lists: {
        std::vector<std::vector<std::string>> lists(in_.count(4));
        for (auto& each : lists) each = read_strings(call);
        return lists;
      }
    }
    return {};
  }

  /// Old recorders wrote an array's first entry in place of the array.
  bool has_first_entry_only(const Argument& argument, const Call& call) const {
    const std::string_view name = argument.name;
    if (call.label == Label::Cart_get) return version_ < with_all_coords && name == "coords";
    if (call.label != Label::Type_struct) return false;
    return version_ < with_all_displacements && name == "displacements";
  }

  std::vector<std::int32_t> read_ranges() {
    std::vector<std::int32_t> all;
    for (std::size_t left = in_.count(4 + 4 * range_numbers); left > 0; --left) {
      const std::uint64_t at = in_.position();
      const std::vector<std::int32_t> range = read_numbers(in_);
      if (range.size() != range_numbers) {
        in_.fail(at, fmt::format("{} numbers of a range: must be 3", range.size()));
      }
      all.insert(all.end(), range.begin(), range.end());
    }
    return all;
  }

  template <typename Read>
  std::vector<std::int32_t> read_narrow(std::size_t width, Read read) {
    std::vector<std::int32_t> numbers(in_.count(width));
    for (std::int32_t& each : numbers) each = read();
    return numbers;
  }

  std::vector<Status> read_statuses(const Call& call) {
    if (!call.has_statuses) return {};
    const bool tags = version_ >= with_tags;
    std::vector<Status> statuses(in_.count(tags ? 14 : 10));
    for (Status& each : statuses) {
      each.bytes = in_.i32();
      each.source = in_.i32();
      each.cancelled = in_.u8();
      each.error = in_.u8();
      if (tags) each.tag = in_.i32();
    }
    return statuses;
  }

  std::vector<std::string> read_strings(const Call& call) {
    if (version_ < with_one_argc && call.label == Label::Init) {
      const std::uint64_t at = in_.position();
      const std::uint32_t first = in_.u32();
      ByteReader ahead = in_;  // the second one is the array's count, too
      const std::uint32_t repeated = ahead.u32();
      if (first != repeated) {
        in_.fail(at, fmt::format("argc {}, then {}: must be the same", first, repeated));
      }
    }
    std::vector<std::string> strings(in_.count(4));
    for (std::string& each : strings) each = in_.chars();
    return strings;
  }

  ByteReader in_;
  Version version_;
  std::int64_t cpu_bias_ = 0;
  std::int64_t wall_bias_ = 0;
  std::map<std::uint16_t, Clocks> clocks_;
  Clocks latest_;  // of wall time; a thread's CPU time begins at 0
  bool ended_ = false;
};

CallReader::CallReader(const RankTrace& trace) : stream_(std::make_unique<Stream>(trace)) {}
CallReader::~CallReader() = default;
bool CallReader::next(Call& call) { return stream_->next(call); }

RankTrace::RankTrace(std::string name, std::string bytes)
    : name_(std::move(name)), bytes_(std::move(bytes)) {
  const Index index = read_index(name_, bytes_);
  sections_ = SectionReader(name_, bytes_, index).read();
  body_ = index.body;
  end_ = index.start;
  CallReader reader(*this);
  for (Call call; reader.next(call);) ++size_;
}

RankTrace RankTrace::read(const std::string& path) { return {path, contents_of_file(path)}; }

std::vector<Call> RankTrace::calls() const {
  std::vector<Call> all;
  all.reserve(size_);
  CallReader reader(*this);
  for (Call call; reader.next(call);) all.push_back(call);
  return all;
}

}  // namespace dumpi
