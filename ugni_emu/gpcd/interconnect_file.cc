// The reader of `rtr --interconnect`'s output, for C: whole files, or one Gemini's part.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "corespec/host/printable.h"
#include "ugni_emu/gemini/topology/directions.h"
#include "ugni_emu/gemini/topology/tile.h"
#include "ugni_emu/gpcd/interconnect_line.h"

namespace gpcd {
namespace {

void say(std::string_view text, char* error, std::size_t room) {
  if (error == nullptr || room == 0) return;
  const std::size_t length = std::min(text.size(), room - 1);
  std::memcpy(error, text.data(), length);
  error[length] = 0;
}

/// What `body()` returns; -1 and the error's text if it throws.
template <typename Body>
int telling_errors(char* error, std::size_t room, const Body& body) {
  try {
    return body();
  } catch (const std::exception& failure) {
    say(failure.what(), error, room);
    return -1;
  }
}

[[noreturn]] void refuse_line(std::string_view name, std::size_t number, std::string_view what) {
  throw std::invalid_argument(corespec::printable(name) + ":" + std::to_string(number) + ": " +
                              std::string(what));
}

/// Calls `body(line)` for each line that has more than blanks, as long as that returns 0. An error
/// in a line names file and line.
template <typename Body>
int for_each_line(std::string_view text, std::string_view name, const Body& body) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t length = text.find('\n');
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    int result = 0;
    try {
      result = body(line);
    } catch (const std::invalid_argument& error) {
      refuse_line(name, number, error.what());
    }
    if (result != 0) return result;
  }
  return 0;
}

int read_text(std::string_view text, std::string_view name, castor_interconnect_visit_t visit,
              void* data) {
  return for_each_line(text, name, [&](std::string_view line) {
    const castor_interconnect_line_t read = parse_line(line);
    return visit(&read, data);
  });
}

[[noreturn]] void refuse_file(const char* name, int why) {
  throw std::runtime_error(corespec::printable(name) + ": " + std::generic_category().message(why));
}

std::string file_text(const char* name) {
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse_file(name, errno);
  std::string text;
  std::array<char, 1 << 16> piece{};
  ssize_t got = 0;
  do {
    got = read(file, piece.data(), piece.size());
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  } while (got > 0 || (got < 0 && errno == EINTR));
  const int why = errno;
  close(file);
  if (got < 0) refuse_file(name, why);
  return text;
}

/// Where the next line begins that has `place` in its first bracket, from the line at `from` on.
std::size_t find_line(std::string_view text, std::string_view place, std::size_t from) {
  while (true) {
    // The text of a large system has 14 MB: memmem() skips through it.
    const void* const found =
        memmem(text.data() + from, text.size() - from, place.data(), place.size());
    if (found == nullptr) return std::string_view::npos;
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1: the text's beginning
    if (text.find('[', line) == at) return line;
    from = at + place.size();
  }
}

/// Takes a Gemini's lines one by one.
class OwnLines {
 public:
  explicit OwnLines(castor_interconnect_line_t* lines) : lines_(lines) {}

  int count() const { return count_; }

  void add(std::string_view text) {
    const castor_interconnect_line_t line = parse_line(text);
    bool& taken = seen_[gemini::tile_at(static_cast<unsigned>(line.from.tile_row),
                                        static_cast<unsigned>(line.from.tile_column))];
    if (taken) throw std::invalid_argument("a line of this tile stands before this one");
    if (count_ == CASTOR_INTERCONNECT_GEMINI_LINES) {
      throw std::invalid_argument("a Gemini has no more than 40 tiles with a line");
    }
    taken = true;
    lines_[count_++] = line;
  }

 private:
  castor_interconnect_line_t* lines_;
  int count_ = 0;
  std::array<bool, gemini::kTiles> seen_{};
};

int lines_of(std::string_view text, std::string_view name, const std::array<int, 3>& gemini,
             castor_interconnect_line_t* lines) {
  const std::string at = "(" + std::to_string(gemini[0]) + "," + std::to_string(gemini[1]) + "," +
                         std::to_string(gemini[2]) + ")";
  const std::string place = "[" + at + "]";
  OwnLines own(lines);
  std::size_t line = find_line(text, place, 0);
  while (line != std::string_view::npos) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    try {
      own.add(text.substr(line, end - line));
    } catch (const std::invalid_argument& error) {
      const auto before = text.substr(0, line);
      const auto number = 1 + std::count(before.begin(), before.end(), '\n');
      refuse_line(name, static_cast<std::size_t>(number), error.what());
    }
    line = find_line(text, place, end);
  }
  if (own.count() == 0) {
    throw std::invalid_argument(corespec::printable(name) + ": no line of the Gemini at " + at);
  }
  return own.count();
}

}  // namespace
}  // namespace gpcd

extern "C" {

const char* castor_interconnect_direction_name(int direction) {
  if (direction < 0 || direction >= static_cast<int>(gemini::kDirections.size())) return nullptr;
  return gemini::name_of(static_cast<gemini::Direction>(direction)).data();
}

int castor_interconnect_parse_line(const char* text, size_t length,
                                   castor_interconnect_line_t* line, char* error, size_t room) {
  return gpcd::telling_errors(error, room, [&] {
    *line = gpcd::parse_line({text, length});
    return 0;
  });
}

int castor_interconnect_read(const char* text, size_t length, const char* name,
                             castor_interconnect_visit_t visit, void* data, char* error,
                             size_t room) {
  return gpcd::telling_errors(error, room, [&] {
    return gpcd::read_text({text, length}, name, visit, data);
  });
}

int castor_interconnect_read_file(const char* name, castor_interconnect_visit_t visit, void* data,
                                  char* error, size_t room) {
  return gpcd::telling_errors(
      error, room, [&] { return gpcd::read_text(gpcd::file_text(name), name, visit, data); });
}

int castor_interconnect_of_gemini(const char* text, size_t length, const char* name, int x, int y,
                                  int z, castor_interconnect_line_t* lines, char* error,
                                  size_t room) {
  return gpcd::telling_errors(error, room, [&] {
    return gpcd::lines_of({text, length}, name, {x, y, z}, lines);
  });
}

}  // extern "C"
