// Records and texts as bytes, on their way between processes of one build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace corespec {

/// One behind the other.
class PackedRecords {
 public:
  template <typename Record>
  void add(const Record& record) {
    static_assert(std::is_trivially_copyable_v<Record> && !std::is_pointer_v<Record>);
    bytes_.append(reinterpret_cast<const char*>(&record), sizeof record);
  }
  void add_text(std::string_view text) {
    add(std::uint64_t{text.size()});
    bytes_.append(text);
  }
  /// Of a container: how many, and each.
  template <typename Records>
  void add_all(const Records& records) {
    add(std::uint64_t{records.size()});
    for (const auto& each : records) add(each);
  }
  std::string take() { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
};

/// Takes them out in the same order. Each call throws std::runtime_error if there is less.
class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : rest_(bytes) {}

  template <typename Record>
  Record take() {
    static_assert(std::is_trivially_copyable_v<Record> && !std::is_pointer_v<Record>);
    Record record;
    std::memcpy(&record, take_bytes(sizeof record).data(), sizeof record);
    return record;
  }
  std::string_view take_text() { return take_bytes(take<std::uint64_t>()); }
  /// Of add_all().
  template <typename Records>
  void take_all(Records& to) {
    const auto count = take<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i) to.push_back(take<typename Records::value_type>());
  }
  bool is_empty() const { return rest_.empty(); }

 private:
  std::string_view take_bytes(std::uint64_t count) {
    if (count > rest_.size()) throw std::runtime_error("packed records have been cut");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

}  // namespace corespec
