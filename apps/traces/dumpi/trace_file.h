// Reading DUMPI traces: PREFIX.meta, and PREFIX-NNNN.bin of each rank.
//
// Whatever is wrong with a file is found when it is opened, in one std::runtime_error of one line
// that says the file, the byte, what is there and what would be allowed. What is read afterwards is
// as the table of calls.h says. Reading takes memory in proportion to the file's length.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/traces/dumpi/calls.h"

namespace dumpi {

/// The version of a trace's format. 0.0.0 to 1.1.255 can be read.
struct Version {
  std::uint8_t major_number = 1;
  std::uint8_t minor_number = 1;
  std::uint8_t patch = 0;
  auto operator<=>(const Version&) const = default;
};

/// What a rank's file has beside its calls. What the file leaves out is empty.
struct Sections {
  Version version;
  std::uint64_t start = 0;  ///< of the recording, s since 1970
  std::string host;
  std::string user;
  std::vector<std::int32_t> mesh_position;  ///< of the node; empty on most machines
  std::vector<std::int32_t> mesh_size;      ///< as many as mesh_position
  std::vector<std::pair<std::string, std::string>> keyvals;
  /// How often each function was called in the whole run, by label, and how often without being
  /// recorded: 291 each, or empty. The stream may hold fewer calls than their difference.
  std::vector<std::uint32_t> called;
  std::vector<std::uint32_t> ignored;
  std::vector<std::string> counter_labels;
  std::vector<std::pair<std::uint64_t, std::string>> functions;  ///< address, name
  /// Bytes of an element of each data type, by its number; empty in traces before 0.6.6.
  std::vector<std::uint32_t> type_sizes;
  bool operator==(const Sections&) const = default;
};

/// One rank's trace, as its file or (trace_text.h) its text has it. It may be read many times, by
/// CallReader.
class RankTrace {
 public:
  /// Reads and checks a file.
  static RankTrace read(const std::string& path);
  /// Reads and checks what a file contains; errors call it `name`.
  RankTrace(std::string name, std::string bytes);

  const std::string& name() const { return name_; }
  const Sections& sections() const { return sections_; }
  /// How many calls there are.
  std::uint64_t size() const { return size_; }
  /// All calls at once, for short traces: each takes some 400 bytes.
  std::vector<Call> calls() const;

 private:
  friend class CallReader;

  std::string name_;
  std::string bytes_;
  Sections sections_;
  std::uint64_t body_ = 0;  // where the stream begins
  std::uint64_t end_ = 0;   // where the index begins: nothing of the stream is behind it
  std::uint64_t size_ = 0;
};

/// Goes through a trace's calls in the order of the stream, that in which they returned. The trace
/// has to outlive it.
///
/// Seconds are 16 bits in the file: a time that is more than 32,768 s before the last one of its
/// kind is taken to be 65,536 s later.
class CallReader {
 public:
  explicit CallReader(const RankTrace& trace);
  ~CallReader();
  CallReader(const CallReader&) = delete;
  CallReader& operator=(const CallReader&) = delete;

  /// Sets `call` to the next one, or returns false if there is none.
  bool next(Call& call);

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
};

/// What PREFIX.meta says.
struct Meta {
  std::string prefix;  ///< the path without ".meta"
  int ranks = 0;       ///< 1 to 1,000,000
  std::string host;
  std::string user;
  std::uint64_t start = 0;  ///< s since 1970
  Version version;
};

/// Reads PREFIX.meta; `path` may have the ".meta" or not.
Meta read_meta(const std::string& path);
/// The path of a rank's file: PREFIX-0007.bin, or PREFIX-0007.txt if there is that one only.
std::string rank_path(const Meta& meta, int rank);
/// The ranks that have no file, in their order.
std::vector<int> absent_ranks(const Meta& meta);
/// Throws std::runtime_error with the absent ranks' names (the first eight, and how many more) if
/// there are any.
void check_all_present(const Meta& meta);

}  // namespace dumpi
