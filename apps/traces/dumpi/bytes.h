// Big-endian numbers and length-prefixed strings of a trace's file, read within bounds and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dumpi {

/// The first 8 bytes of a file, and of its index: FF AA DD "DUMPI".
constexpr std::uint64_t magic = 0xFFAADD44554D5049;
/// What the footer begins with.
constexpr std::uint64_t footer_magic = 0xF007FEE7;
/// A second in ns.
constexpr std::int64_t second = 1'000'000'000;
/// How many functions the footer counts.
constexpr std::size_t function_count = 291;
/// The label that ends a stream.
constexpr std::uint16_t end_of_stream = 293;
/// What of a call is recorded.
enum Mask : std::uint8_t {
  with_statuses = 0x03,
  with_cpu_time = 0x04,
  with_wall_time = 0x08,
  with_thread = 0x40,
  with_counters = 0x80,
};

/// Reads from a place of a file's bytes on. All errors are std::runtime_errors that say the file,
/// and the byte at which what is read begins.
class ByteReader {
 public:
  /// Reads bytes [position, end) of `bytes`; the caller keeps both strings.
  ByteReader(const std::string& name, std::string_view bytes, std::uint64_t position,
             std::uint64_t end);

  std::uint64_t position() const { return position_; }
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const;

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::int32_t i32() { return static_cast<std::int32_t>(number(4)); }
  /// A u32 that says how many items of at least `least` bytes follow: not more than fit.
  std::size_t count(std::size_t least);
  /// u16 length and bytes.
  std::string string();
  /// u32 length and bytes.
  std::string chars();

 private:
  std::uint64_t number(std::size_t width);
  std::string text(std::size_t length);

  const std::string& name_;
  std::string_view bytes_;
  std::uint64_t position_;
  std::uint64_t end_;
};

/// Appends to a string.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  void u8(std::uint8_t value) { number(value, 1); }
  void u16(std::uint16_t value) { number(value, 2); }
  void u32(std::uint32_t value) { number(value, 4); }
  void u64(std::uint64_t value) { number(value, 8); }
  void i32(std::int32_t value) { number(static_cast<std::uint32_t>(value), 4); }
  /// A number of items; std::runtime_error if it takes more than 32 bits.
  void count(std::size_t value);
  /// u16 length and bytes; std::runtime_error if there are more than 65,535.
  void string(std::string_view value);
  /// u32 length and bytes.
  void chars(std::string_view value);

 private:
  void number(std::uint64_t value, std::size_t width);

  std::string& out_;
};

/// All bytes of a regular file; std::runtime_error if it cannot be read.
std::string contents_of_file(const std::string& path);

}  // namespace dumpi
