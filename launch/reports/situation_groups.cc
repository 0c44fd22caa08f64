// What many ranks are doing, in few lines: ranks that do the same are said together.
#include "launch/reports/situation_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace launch {
namespace {

using corespec::Situation;

constexpr std::size_t most_groups = 32;
/// Fewer ranks that differ in other ranks' numbers are clearer one by one.
constexpr std::size_t fewest_alike = 3;

/// `text` with every marked rank replaced by what `say(number)` gives.
template <class Say>
std::string with_ranks(std::string_view text, const Say& say) {
  std::string made;
  for (;;) {
    const std::size_t begin = text.find(Situation::rank_begins);
    made += text.substr(0, begin);
    if (begin == std::string_view::npos) return made;
    const std::size_t end = text.find(Situation::rank_ends, begin);
    if (end == std::string_view::npos) return made;
    int number = 0;
    std::from_chars(text.data() + begin + 1, text.data() + end, number);
    made += say(number);
    text.remove_prefix(end + 1);
  }
}

/// How far `other` lies from `rank`, the nearer way round: above -size / 2, up to size / 2.
int distance(int rank, int other, int size) {
  const int up = ((other - rank) % size + size) % size;
  return up > size / 2 ? up - size : up;
}

struct Group {
  std::vector<int> ranks;
  std::string text;
};

Group of_one(int rank, std::string_view text) {
  return {{rank}, with_ranks(text, [](int number) { return fmt::format("rank {}", number); })};
}

/// What ranks at the same distances from others have in common.
std::string in_relation(const std::vector<int>& ranks, std::string_view text, int size) {
  const int first = ranks.front();
  return with_ranks(text, [&](int number) {
    const int far = distance(first, number, size);
    if (far == 0) return std::string("the rank itself");
    const bool round = std::any_of(ranks.begin(), ranks.end(),
                                   [&](int rank) { return rank + far < 0 || rank + far >= size; });
    return fmt::format("rank r {} {}{}", far < 0 ? '-' : '+', std::abs(far),
                       round ? fmt::format(" (modulo {})", size) : "");
  });
}

/// "in MPI_Recv at ring.c:41 (main): receive of ...", "computes at ring.c:50 (main)".
std::string beginning(const Situation& situation) {
  if (situation.call.empty()) return situation.details + situation.place;
  return "in " + situation.call + situation.place + situation.details;
}

}  // namespace

void SituationGroups::add(int rank, Situation situation) {
  for (const auto& [where, entered] : situation.entered) entered_[where][rank] = entered;
  for (const std::string& lock : situation.holds) {
    std::vector<int>& ranks = holders_[lock];
    if (ranks.empty() || ranks.back() != rank) ranks.push_back(rank);
  }
  situation.entered.clear();
  situation.holds.clear();
  situation.place = named(situation.place);
  for (std::string& note : situation.notes) note = named(note);
  situations_.emplace_back(rank, std::move(situation));
}

/// Many ranks are at one place.
std::string SituationGroups::named(std::string_view text) {
  if (text.empty()) return {};
  const auto known = named_.find(text);
  if (known != named_.end()) return known->second;
  return named_[std::string(text)] = with_places(text, say_places_);
}

/// The ranks that have not come to a collective call, or have come with another one.
std::string SituationGroups::missing(const Situation::Meeting& meeting) const {
  const auto place = entered_.find(meeting.where);
  if (place == entered_.end()) return {};
  std::vector<int> absent;
  std::vector<int> elsewhere;  // that is all that is known of them
  std::vector<int> gone;
  std::map<std::string, std::vector<int>> others;
  bool some_unknown = false;
  auto known = situations_.begin();
  for (const int member : meeting.members()) {
    known = std::lower_bound(known, situations_.end(), member,
                             [](const auto& each, int rank) { return each.first < rank; });
    if (known == situations_.end() || known->first != member) {
      some_unknown = true;
      continue;
    }
    if (known->second.gone) {
      gone.push_back(member);
      continue;
    }
    const auto entered = place->second.find(member);
    if (entered == place->second.end() && !known->second.facts_known) {
      if (known->second.call != meeting.call) elsewhere.push_back(member);
    } else if (entered == place->second.end() || entered->second.calls < meeting.number) {
      absent.push_back(member);
    } else if (entered->second.calls == meeting.number && entered->second.last != meeting.call) {
      others[entered->second.last].push_back(member);
    }
  }
  std::string text;
  if (some_unknown) text += fmt::format(" (collective call {} there)", meeting.number);
  if (!absent.empty()) {
    text += fmt::format("; {} {} not called it", ranks_text(absent),
                        absent.size() == 1 ? "has" : "have");
  }
  if (!elsewhere.empty()) {
    text += fmt::format("; {} {} elsewhere", ranks_text(elsewhere),
                        elsewhere.size() == 1 ? "is" : "are");
  }
  if (!gone.empty()) {
    text += fmt::format("; {} {} gone", ranks_text(gone), gone.size() == 1 ? "is" : "are");
  }
  for (const auto& [call, ranks] : others) {
    text += fmt::format("; {} {} called {} instead", ranks_text(ranks),
                        ranks.size() == 1 ? "has" : "have", call);
  }
  return text;
}

std::string SituationGroups::holders(const std::string& lock) const {
  const auto found = holders_.find(lock);
  if (found == holders_.end()) return {};
  return fmt::format("; {} {} it", ranks_text(found->second),
                     found->second.size() == 1 ? "holds" : "hold");
}

std::vector<SituationGroups::Item> SituationGroups::whole_texts() const {
  // Many ranks wait in one collective: its members are looked through once.
  std::map<std::string, std::string> missing_texts;
  std::vector<Item> items;
  items.reserve(situations_.size());
  for (const auto& [rank, situation] : situations_) {
    std::string text = beginning(situation);
    if (situation.meeting) {
      const auto& meeting = *situation.meeting;
      const auto [place, fresh] = missing_texts.try_emplace(
          fmt::format("{} {} {}", meeting.where, meeting.number, meeting.call));
      if (fresh) place->second = missing(meeting);
      text += place->second;
    }
    if (!situation.wants.empty()) text += holders(situation.wants);
    for (const std::string& note : situation.notes) text += "\n  " + note;
    items.push_back({rank, std::move(text)});
  }
  return items;
}

std::string SituationGroups::text() const {
  const std::vector<Item> items = whole_texts();
  std::map<std::string_view, std::vector<int>> alike;
  for (const Item& item : items) alike[item.text].push_back(item.rank);
  // Of those that are alone: by what remains of them when only distances count.
  std::map<std::string, std::vector<const Item*>> related;
  std::vector<Group> groups;
  for (const Item& item : items) {
    std::vector<int>& ranks = alike[item.text];
    if (ranks.size() == 1 && item.text.find(Situation::rank_begins) != std::string::npos) {
      related[with_ranks(item.text, [&](int number) {
        return fmt::format("{}{}", Situation::rank_begins, distance(item.rank, number, size_));
      })].push_back(&item);
    } else if (ranks.front() == item.rank) {
      Group group = of_one(item.rank, item.text);
      group.ranks = ranks;
      groups.push_back(std::move(group));
    }
  }
  for (const auto& [key, same] : related) {
    if (same.size() < fewest_alike) {
      for (const Item* item : same) groups.push_back(of_one(item->rank, item->text));
      continue;
    }
    std::vector<int> ranks;
    for (const Item* item : same) ranks.push_back(item->rank);
    std::string said = in_relation(ranks, same.front()->text, size_);
    groups.push_back({std::move(ranks), std::move(said)});
  }
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return a.ranks.front() < b.ranks.front(); });

  std::string all;
  std::size_t more_ranks = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i >= most_groups) {
      more_ranks += groups[i].ranks.size();
      continue;
    }
    std::string_view rest = groups[i].text;
    const std::size_t end = rest.find('\n');
    all += fmt::format("{}: {}: {}\n", speaker_, ranks_text(groups[i].ranks), rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    while (!rest.empty()) {
      const std::size_t next = std::min(rest.find('\n'), rest.size());
      all += fmt::format("{}: {}\n", speaker_, rest.substr(0, next));
      rest.remove_prefix(std::min(next + 1, rest.size()));
    }
  }
  if (more_ranks != 0) {
    all += fmt::format("{}: and {} more ranks in {} other states\n", speaker_, more_ranks,
                       groups.size() - most_groups);
  }
  return all;
}

void add_other_threads(Situation& main, const std::vector<Situation>& others) {
  std::map<std::string, int> alike;
  for (const Situation& other : others) {
    ++alike[beginning(other)];
  }
  for (const auto& [text, count] : alike) {
    main.notes.push_back(count == 1 ? fmt::format("another of its threads: {}", text)
                                    : fmt::format("{} more of its threads: {}", count, text));
  }
}

std::string ranks_text(const std::vector<int>& ranks) {
  constexpr std::size_t most_ranges = 16;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  std::size_t ranges = 0;
  for (std::size_t i = 0; i < ranks.size(); ++ranges) {
    if (ranges == most_ranges) return text + fmt::format(" and {} more", ranks.size() - i);
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (last == i + 1) last = i;  // two numbers are no range
    if (i != 0) text += ", ";
    text += last == i ? fmt::format("{}", ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace launch
