// Notes for a profile and a timeline.
#include "launch/live_rank/rank_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <utility>

#include "corespec/threads/current_thread.h"
#include "launch/profile/profile_file.h"

namespace launch {
namespace {

class Guard {
 public:
  explicit Guard(corespec::HandOverLock& lock) : lock_(lock) { lock_.lock(); }
  ~Guard() { lock_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  corespec::HandOverLock& lock_;
};

constexpr char separator = '|';

/// The next field of a text, which it takes off.
std::string_view take_field(std::string_view& text) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return field;
}

template <typename Number>
bool parse(std::string_view text, Number& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string text_of(const NotesWanted& wanted) {
  return fmt::format("{}{}{}|{}|{}|{}|{}|{}", wanted.profile ? "p" : "", wanted.timeline ? "t" : "",
                     wanted.faults ? "f" : "", wanted.window.from.ps(), wanted.window.to.ps(),
                     wanted.window.most, fmt::join(wanted.window.ranks, ","), wanted.folder);
}

std::optional<NotesWanted> notes_wanted(const std::vector<corespec::Setting>& settings) {
  for (const auto& [name, value] : settings) {
    if (name != notes_variable) continue;
    NotesWanted wanted;
    std::string_view rest = value;
    const std::string_view what = take_field(rest);
    wanted.profile = what.find('p') != std::string_view::npos;
    wanted.timeline = what.find('t') != std::string_view::npos;
    wanted.faults = what.find('f') != std::string_view::npos;
    std::int64_t from = 0;
    std::int64_t to = 0;
    if (!parse(take_field(rest), from) || !parse(take_field(rest), to)) return std::nullopt;
    wanted.window.from = corespec::Time::picoseconds(from);
    wanted.window.to = corespec::Time::picoseconds(to);
    if (!parse(take_field(rest), wanted.window.most)) return std::nullopt;
    std::string_view ranks = take_field(rest);
    while (!ranks.empty()) {
      const std::size_t end = std::min(ranks.find(','), ranks.size());
      int rank = 0;
      if (!parse(ranks.substr(0, end), rank)) return std::nullopt;
      wanted.window.ranks.insert(rank);
      ranks.remove_prefix(std::min(end + 1, ranks.size()));
    }
    wanted.folder = rest;
    return wanted;
  }
  return std::nullopt;
}

std::string profile_note(const NotesWanted& wanted, int rank) {
  return fmt::format("{}/profile.{}", wanted.folder, rank);
}

std::string timeline_note(const NotesWanted& wanted, int rank) {
  return fmt::format("{}/timeline.{}", wanted.folder, rank);
}

std::string fault_note(const NotesWanted& wanted, int rank) {
  return fmt::format("{}/faults.{}", wanted.folder, rank);
}

RankNotes::RankNotes(NotesWanted wanted, corespec::LiveNode& node, int rank)
    : wanted_(std::move(wanted)), node_(node), rank_(rank), log_(wanted_.window) {
  wanted_.timeline = wanted_.timeline && wanted_.window.holds_rank(rank);
  node_.domain().set_observer(this);
}

RankNotes::~RankNotes() { node_.domain().set_observer(nullptr); }

void RankNotes::observe(const corespec::Occurrence& occurrence) {
  const Guard guard(lock_);
  if (wanted_.profile) profile_.observe(occurrence);
  if (wanted_.timeline) log_.observe(occurrence);
}

void RankNotes::write() {
  node_.domain().set_observer(nullptr);
  const Guard guard(lock_);
  if (wanted_.profile) {
    ProfileData data = profile_.take(node_.domain().now());
    const corespec::Thread* const main = corespec::this_thread_or_null();
    for (RankProfile& rank : data.ranks) {
      if (main == nullptr || rank.rank != rank_) continue;
      rank.cpu_time = main->cpu_time();
      rank.without_cpu = main->stolen_time();
    }
    std::ofstream(profile_note(wanted_, rank_), std::ios::binary) << pack_profile(data);
  }
  if (!wanted_.timeline) return;
  std::ofstream(timeline_note(wanted_, rank_), std::ios::binary) << log_.packed();
}

}  // namespace launch
