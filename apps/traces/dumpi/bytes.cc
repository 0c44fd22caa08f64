// Numbers and strings of a trace's file.
#include "apps/traces/dumpi/bytes.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace dumpi {

ByteReader::ByteReader(const std::string& name, std::string_view bytes, std::uint64_t position,
                       std::uint64_t end)
    : name_(name), bytes_(bytes), position_(position), end_(end) {}

void ByteReader::fail(std::uint64_t at, const std::string& what) const {
  throw std::runtime_error(fmt::format("{}: byte {}: {}", name_, at, what));
}

std::uint64_t ByteReader::number(std::size_t width) {
  if (end_ - position_ < width) {
    fail(position_,
         fmt::format("cut off: {} bytes of a number, must be {}", end_ - position_, width));
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value = value << 8 | static_cast<std::uint8_t>(bytes_[position_ + i]);
  }
  position_ += width;
  return value;
}

std::size_t ByteReader::count(std::size_t least) {
  const std::uint64_t at = position_;
  const std::uint64_t items = number(4);
  const std::uint64_t most = (end_ - position_) / least;
  if (items > most) fail(at, fmt::format("count {}: must be at most {}, as is left", items, most));
  return items;
}

std::string ByteReader::text(std::size_t length) {
  std::string value(bytes_.substr(position_, length));
  position_ += length;
  return value;
}

std::string ByteReader::string() {
  const std::uint64_t at = position_;
  const std::uint64_t length = number(2);
  if (length > end_ - position_) {
    fail(at, fmt::format("length {}: must be at most {}, as is left", length, end_ - position_));
  }
  return text(length);
}

std::string ByteReader::chars() { return text(count(1)); }

void ByteWriter::number(std::uint64_t value, std::size_t width) {
  for (std::size_t i = width; i > 0; --i) {
    out_.push_back(static_cast<char>(value >> (8 * (i - 1)) & 0xFF));
  }
}

void ByteWriter::count(std::size_t value) {
  if (value > std::numeric_limits<std::uint32_t>::max()) {
    throw std::runtime_error(fmt::format("{} items: must be less than 2^32", value));
  }
  number(value, 4);
}

void ByteWriter::string(std::string_view value) {
  if (value.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw std::runtime_error(
        fmt::format("a name of {} bytes: must be at most 65535", value.size()));
  }
  number(value.size(), 2);
  out_.append(value);
}

void ByteWriter::chars(std::string_view value) {
  count(value.size());
  out_.append(value);
}

std::string contents_of_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw std::runtime_error(fmt::format("{}: is no file that can be read", path));
  }
  std::ifstream in(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (!in) throw std::runtime_error(fmt::format("{}: cannot be read", path));
  return bytes;
}

}  // namespace dumpi
