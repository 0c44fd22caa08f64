// A rank's situation as bytes, on its way from its process to the launcher.
#include "launch/reports/situation_packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <vector>

#include "launch/symbols/code_place.h"

namespace launch {
namespace {

using corespec::Situation;

constexpr char separator = '\x1f';
constexpr std::size_t longest_text = 4000;

/// What a field holds; each is the letter, its length, a colon and so many bytes.
enum Field : char {
  call = 'c',
  place = 'p',
  details = 'd',
  note = 'n',
  entered = 'e',
  meeting = 'm',
  holds = 'h',
  wants = 'w',
  facts_unknown = 'u',
  gone = 'g'
};

void add(std::string& to, Field field, std::string_view text) {
  text = text.substr(0, longest_text);
  if (to.size() + text.size() + 16 > most_packed) return;
  to += fmt::format("{}{}:{}", static_cast<char>(field), text.size(), text);
}

/// "0-1023,1025" of ascending numbers.
std::string ranges_of(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += fmt::format("{}{}-{}", text.empty() ? "" : ",", ranks[i], ranks[last]);
    i = last + 1;
  }
  return text;
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end;
}

std::vector<std::string_view> parts_of(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool read_ranges(std::string_view text, int size, std::vector<int>& ranks) {
  for (const std::string_view part : parts_of(text, ',')) {
    const std::size_t dash = part.find('-');
    if (dash == std::string_view::npos) return false;
    int first = 0;
    int last = 0;
    if (!read_number(part.substr(0, dash), first) || !read_number(part.substr(dash + 1), last)) {
      return false;
    }
    const int above = ranks.empty() ? -1 : ranks.back();
    if (first <= above || last < first || last >= size) return false;
    for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
  }
  return true;
}

/// As it may be printed, but for `marks` that are read before.
std::string printable(std::string_view text, std::string_view marks) {
  std::string made(text);
  for (char& letter : made) {
    const auto code = static_cast<unsigned char>(letter);
    const bool control = code < 0x20 || code == 0x7f;
    if (control && marks.find(letter) == std::string_view::npos) letter = '?';
  }
  return made;
}

constexpr std::array rank_marks{Situation::rank_begins, Situation::rank_ends};
constexpr std::array all_marks{Situation::rank_begins, Situation::rank_ends, place_begins,
                               place_ends};

std::string printable(std::string_view text) {
  return printable(text, {rank_marks.data(), rank_marks.size()});
}

std::string with_marks(std::string_view text) {
  return printable(text, {all_marks.data(), all_marks.size()});
}

bool take_meeting(std::string_view text, int size, Situation& to) {
  const auto parts = parts_of(text, separator);
  std::uint64_t number = 0;
  std::vector<int> members;
  if (parts.size() != 4 || !read_number(parts[2], number) ||
      !read_ranges(parts[3], size, members)) {
    return false;
  }
  to.meeting = {printable(parts[0]), printable(parts[1]), number, [members] { return members; }};
  return true;
}

bool take_entered(std::string_view text, Situation& to) {
  const auto parts = parts_of(text, separator);
  std::uint64_t calls = 0;
  if (parts.size() != 3 || !read_number(parts[1], calls)) return false;
  to.entered[printable(parts[0])] = {calls, printable(parts[2])};
  return true;
}

bool take(char field, std::string_view text, int size, Situation& to) {
  switch (field) {
    case call:
      to.call = printable(text);
      return true;
    case place:
      to.place = with_marks(text);
      return true;
    case details:
      to.details = printable(text);
      return true;
    case note:
      to.notes.push_back(with_marks(text));
      return true;
    case entered:
      return take_entered(text, to);
    case meeting:
      return take_meeting(text, size, to);
    case holds:
      to.holds.push_back(printable(text));
      return true;
    case wants:
      to.wants = printable(text);
      return true;
    case facts_unknown:
      to.facts_known = false;
      return true;
    case gone:
      to.gone = true;
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string packed(const Situation& situation) {
  std::string bytes;
  add(bytes, call, situation.call);
  add(bytes, place, situation.place);
  add(bytes, details, situation.details);
  if (!situation.facts_known) add(bytes, facts_unknown, "");
  if (situation.gone) add(bytes, gone, "");
  if (!situation.wants.empty()) add(bytes, wants, situation.wants);
  if (situation.meeting) {
    const Situation::Meeting& its = *situation.meeting;
    const std::string members = ranges_of(its.members());
    // Of members that no few ranges describe nothing is said.
    if (members.size() < longest_text / 2) {
      add(bytes, meeting,
          fmt::format("{}{}{}{}{}{}{}", its.where, separator, its.call, separator, its.number,
                      separator, members));
    }
  }
  for (const auto& [where, its] : situation.entered) {
    add(bytes, entered,
        fmt::format("{}{}{}{}{}", where, separator, its.calls, separator, its.last));
  }
  for (const std::string& lock : situation.holds) add(bytes, holds, lock);
  for (const std::string& text : situation.notes) add(bytes, note, text);
  return bytes;
}

bool unpack(std::string_view bytes, int size, Situation& situation) {
  situation = Situation();
  while (!bytes.empty()) {
    const char field = bytes.front();
    const std::size_t colon = bytes.find(':');
    std::size_t length = 0;
    if (colon == std::string_view::npos || !read_number(bytes.substr(1, colon - 1), length)) {
      return false;
    }
    bytes.remove_prefix(colon + 1);
    if (length > bytes.size() || !take(field, bytes.substr(0, length), size, situation)) {
      return false;
    }
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace launch
