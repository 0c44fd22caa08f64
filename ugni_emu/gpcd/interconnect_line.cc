// A line of `rtr --interconnect`, read.
#include "ugni_emu/gpcd/interconnect_line.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "corespec/host/printable.h"
#include "ugni_emu/gemini/topology/cabinet_place.h"
#include "ugni_emu/gemini/topology/directions.h"
#include "ugni_emu/gemini/topology/tile.h"

namespace gpcd {
namespace {

constexpr std::string_view blanks = " \t\r";

/// What is left of a line.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : left_(text) { skip_blanks(); }

  bool at_end() const { return left_.empty(); }

  /// Throws: what stands here, or that the line ends here, and what must be.
  [[noreturn]] void refuse(std::string_view wanted) const {
    constexpr std::size_t most_shown = 40;
    const std::string_view word = left_.substr(0, left_.find_first_of(blanks));
    const std::string shown = corespec::printable(word.substr(0, most_shown));
    throw std::invalid_argument((word.empty() ? "the line ends" : "'" + shown + "'") + " where " +
                                std::string(wanted) + " must be");
  }

  /// The next word and the blanks behind it; `end` ends one, too.
  std::string_view word(std::string_view end = {}) {
    std::size_t length = left_.find_first_of(blanks);
    if (!end.empty()) length = std::min(length, left_.find(end));
    const std::string_view taken = left_.substr(0, length);
    left_.remove_prefix(taken.size());
    skip_blanks();
    return taken;
  }

  bool take(std::string_view text) {
    if (!left_.starts_with(text)) return false;
    left_.remove_prefix(text.size());
    return true;
  }

  std::optional<int> number() {
    std::uint16_t value = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (error != std::errc()) return std::nullopt;
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return value;
  }

  void skip_blanks() {
    left_.remove_prefix(std::min(left_.find_first_not_of(blanks), left_.size()));
  }

 private:
  std::string_view left_;
};

/// "l32" at the end of a tile's name.
bool read_tile_number(std::string_view text, castor_interconnect_tile_t& tile) {
  if (text[0] != 'l' && text[0] != '1') return false;
  tile.tile_row = text[1] - '0';
  tile.tile_column = text[2] - '0';
  return tile.tile_row >= 0 && tile.tile_row < static_cast<int>(gemini::kTileRows) &&
         tile.tile_column >= 0 && tile.tile_column < static_cast<int>(gemini::kTileColumns);
}

void read_name(LineReader& line, castor_interconnect_tile_t& tile) {
  constexpr std::size_t number_length = 3;
  const LineReader before = line;
  const std::string_view name = line.word("[");
  const std::size_t length = std::max(name.size(), number_length) - number_length;
  const auto place = gemini::parse_cname(name.substr(0, length));
  if (!place || !read_tile_number(name.substr(length), tile)) {
    before.refuse("a tile such as c0-0c0s0g0l00");
  }
  tile.column = place->column;
  tile.row = place->row;
  tile.cage = place->cage;
  tile.slot = place->slot;
  tile.gemini = place->gemini;
}

void read_coordinates(LineReader& line, castor_interconnect_tile_t& tile) {
  const LineReader before = line;
  const auto take = [&](std::string_view text, int& value) {
    const bool found = line.take(text);
    const std::optional<int> number = found ? line.number() : std::nullopt;
    if (number) value = *number;
    return number.has_value();
  };
  if (!take("[(", tile.x) || !take(",", tile.y) || !take(",", tile.z) || !line.take(")]")) {
    before.refuse("coordinates such as [(0,0,0)]");
  }
}

castor_interconnect_tile_t read_tile(LineReader& line) {
  castor_interconnect_tile_t tile{};
  read_name(line, tile);
  read_coordinates(line, tile);
  return tile;
}

/// A whole word that must stand here.
void expect(LineReader& line, std::string_view text) {
  const LineReader before = line;
  if (line.word() != text) before.refuse(text);
}

castor_interconnect_direction_t read_direction(LineReader& line) {
  const LineReader before = line;
  const std::string_view word = line.word();
  for (const gemini::Direction direction : gemini::kDirections) {
    if (word == gemini::name_of(direction)) {
      return static_cast<castor_interconnect_direction_t>(direction);
    }
  }
  before.refuse("a direction (X+, X-, Y+, Y-, Z+ or Z-)");
}

void read_type(LineReader& line, castor_interconnect_line_t& read) {
  const LineReader before = line;
  const std::string_view word = line.word();
  if (word == "mezzanine") {
    read.type = CASTOR_INTERCONNECT_MEZZANINE;
  } else if (word == "backplane") {
    read.type = CASTOR_INTERCONNECT_BACKPLANE;
  } else {
    LineReader cable(word);
    const std::optional<int> number = cable.take("cable") ? cable.number() : std::nullopt;
    const std::string_view dimension = cable.word();
    if (!number || (dimension != "x" && dimension != "y" && dimension != "z")) {
      before.refuse("a type (mezzanine, backplane, or a cable such as cable11x)");
    }
    read.type = CASTOR_INTERCONNECT_CABLE;
    read.cable_class = *number;
    read.cable_dimension = dimension.front();
  }
}

}  // namespace

castor_interconnect_line_t parse_line(std::string_view text) {
  LineReader line(text);
  castor_interconnect_line_t read{};
  read.from = read_tile(line);
  line.skip_blanks();
  read.direction = read_direction(line);
  expect(line, "->");
  read.to = read_tile(line);
  line.skip_blanks();
  expect(line, "LinkType:");
  read_type(line, read);
  if (!line.at_end()) line.refuse("the line's end");
  return read;
}

}  // namespace gpcd
