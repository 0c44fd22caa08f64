// Occurrences as bytes, and back.
#include "launch/timeline/occurrence_log.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace launch {

using corespec::Occurrence;
using corespec::Time;

namespace {

/// Begins what is packed; behind it the texts, each with a zero byte, then the occurrences. There
/// the texts' numbers, from 1 on, stand in place of their addresses; 0 is none.
struct Head {
  char magic[8] = {'c', 'a', 's', 't', 'o', 'r', 'o', '1'};
  std::uint64_t texts = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t occurrences = 0;
};

struct Packed {
  Occurrence occurrence;
  std::uint64_t call = 0;
  std::uint64_t protocol = 0;
};
static_assert(std::is_trivially_copyable_v<Packed>);

bool of_timeline(Occurrence::Kind kind) {
  switch (kind) {
    case Occurrence::Kind::posted:
    case Occurrence::Kind::link_passed:
    case Occurrence::Kind::delivered:
    case Occurrence::Kind::event_queued:
    case Occurrence::Kind::transfer_posted:
      return false;
    case Occurrence::Kind::injected:
    case Occurrence::Kind::interrupt_raised:
    case Occurrence::Kind::noise:
    case Occurrence::Kind::thread_switched:
    case Occurrence::Kind::thread_left:
    case Occurrence::Kind::call_begun:
    case Occurrence::Kind::call_ended:
    case Occurrence::Kind::lock_waited:
    case Occurrence::Kind::message_sent:
    case Occurrence::Kind::message_received:
      return true;
  }
  return false;
}

[[noreturn]] void refuse() { throw std::runtime_error("a rank's part of the timeline is damaged"); }

}  // namespace

void OccurrenceLog::observe(const Occurrence& occurrence) {
  if (!of_timeline(occurrence.kind) || occurrence.begin > window_.to) return;
  if (occurrence.end < window_.from) {
    // The call that is under way when the window begins.
    if (occurrence.kind == Occurrence::Kind::call_begun) before_[occurrence.thread] = occurrence;
    return;
  }
  if (kept_.size() < window_.most) kept_.push_back(occurrence);
}

std::string OccurrenceLog::packed() const {
  std::unordered_map<const char*, std::uint64_t> numbers;
  std::string texts;
  const auto number_of = [&](const char* text) -> std::uint64_t {
    if (text == nullptr) return 0;
    const auto [found, fresh] = numbers.try_emplace(text, numbers.size() + 1);
    if (fresh) texts.append(text).push_back('\0');
    return found->second;
  };
  std::vector<Packed> all;
  all.reserve(before_.size() + kept_.size());
  const auto pack = [&](const Occurrence& each) {
    Packed packed{each, number_of(each.call), number_of(each.protocol)};
    packed.occurrence.call = packed.occurrence.protocol = nullptr;
    all.push_back(packed);
  };
  for (const auto& [thread, each] : before_) pack(each);
  for (const Occurrence& each : kept_) pack(each);
  Head head;
  head.texts = numbers.size();
  head.text_bytes = texts.size();
  head.occurrences = all.size();
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes += texts;
  bytes.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Packed));
  return bytes;
}

void OccurrenceList::add(const std::string& packed) {
  Head head;
  const Head wanted;
  if (packed.size() < sizeof head) refuse();
  std::memcpy(&head, packed.data(), sizeof head);
  const std::size_t rest = packed.size() - sizeof head;
  if (std::memcmp(head.magic, wanted.magic, sizeof head.magic) != 0 || head.text_bytes > rest ||
      head.occurrences != (rest - head.text_bytes) / sizeof(Packed)) {
    refuse();
  }
  std::vector<const char*> texts{nullptr};
  const char* at = packed.data() + sizeof head;
  const char* const end = at + head.text_bytes;
  while (at < end) {
    const auto* const last =
        static_cast<const char*>(std::memchr(at, 0, static_cast<std::size_t>(end - at)));
    if (last == nullptr) refuse();
    const auto [found, fresh] = known_.try_emplace(std::string(at, last), nullptr);
    if (fresh) found->second = texts_.emplace_back(found->first).c_str();
    texts.push_back(found->second);
    at = last + 1;
  }
  for (std::uint64_t i = 0; i < head.occurrences; ++i, at += sizeof(Packed)) {
    Packed each;
    std::memcpy(&each, at, sizeof each);
    unsigned char goes_on = 0;
    std::memcpy(&goes_on, at + offsetof(Packed, occurrence) + offsetof(Occurrence, goes_on), 1);
    if (goes_on > 1 || each.call >= texts.size() || each.protocol >= texts.size() ||
        !of_timeline(each.occurrence.kind)) {
      refuse();
    }
    each.occurrence.call = texts[each.call];
    each.occurrence.protocol = texts[each.protocol];
    all_.push_back(each.occurrence);
  }
}

std::vector<Occurrence>& OccurrenceList::in_order() {
  std::stable_sort(all_.begin(), all_.end(),
                   [](const Occurrence& a, const Occurrence& b) { return a.begin < b.begin; });
  return all_;
}

}  // namespace launch
