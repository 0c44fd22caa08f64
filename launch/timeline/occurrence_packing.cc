// Occurrences as bytes, and back.
#include "launch/timeline/occurrence_packing.h"

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace launch {

using corespec::Occurrence;

namespace {

/// Begins a parcel; behind it the new texts, then the occurrences. There the texts' numbers, from 1
/// on, stand in place of their addresses; 0 is none.
struct Head {
  char magic[8] = {'c', 'a', 's', 't', 'o', 'r', 'o', '2'};
  std::uint64_t texts = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t occurrences = 0;
};

[[noreturn]] void refuse() { throw std::runtime_error("a part of the timeline is damaged"); }

}  // namespace

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
    case Occurrence::Kind::thread_lost:
    case Occurrence::Kind::lock_waited:
    case Occurrence::Kind::message_sent:
    case Occurrence::Kind::message_received:
      return true;
  }
  return false;
}

std::uint64_t OccurrencePacker::number_of(const char* text) {
  if (text == nullptr) return 0;
  const auto [found, fresh] = numbers_.try_emplace(text, numbers_.size() + 1);
  if (fresh) {
    texts_.append(text).push_back('\0');
    ++new_texts_;
  }
  return found->second;
}

void OccurrencePacker::add(const TimedOccurrence& timed) {
  Packed& packed = all_.emplace_back(Packed{timed});
  Occurrence& occurrence = packed.timed.occurrence;
  packed.call = number_of(std::exchange(occurrence.call, nullptr));
  packed.protocol = number_of(std::exchange(occurrence.protocol, nullptr));
}

std::string OccurrencePacker::take() {
  static_assert(std::is_trivially_copyable_v<Packed>);
  Head head;
  head.texts = std::exchange(new_texts_, 0);
  head.text_bytes = texts_.size();
  head.occurrences = all_.size();
  std::string bytes;
  bytes.reserve(sizeof head + texts_.size() + all_.size() * sizeof(Packed));
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
  bytes += std::exchange(texts_, {});
  bytes.append(reinterpret_cast<const char*>(all_.data()), all_.size() * sizeof(Packed));
  all_.clear();
  return bytes;
}

/// Returns what follows the texts.
std::string_view OccurrenceReader::read_texts(std::string_view bytes, std::uint64_t count) {
  for (; count > 0; --count) {
    const std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos) refuse();
    texts_.push_back(kept_->keep(bytes.substr(0, end)));
    bytes.remove_prefix(end + 1);
  }
  return bytes;
}

void OccurrenceReader::read(std::string_view parcel, const Take& take) {
  using Packed = OccurrencePacker::Packed;
  Head head;
  const Head wanted;
  if (parcel.size() < sizeof head) refuse();
  std::memcpy(&head, parcel.data(), sizeof head);
  const std::string_view rest = parcel.substr(sizeof head);
  if (std::memcmp(head.magic, wanted.magic, sizeof head.magic) != 0 ||
      head.text_bytes > rest.size() || head.texts > head.text_bytes) {
    refuse();
  }
  const std::string_view after = read_texts(rest.substr(0, head.text_bytes), head.texts);
  const std::string_view occurrences = rest.substr(head.text_bytes);
  if (!after.empty() || occurrences.size() % sizeof(Packed) != 0 ||
      occurrences.size() / sizeof(Packed) != head.occurrences) {
    refuse();
  }
  for (std::size_t at = 0; at < occurrences.size(); at += sizeof(Packed)) {
    Packed each;
    std::memcpy(&each, occurrences.data() + at, sizeof each);
    constexpr std::size_t place_of_flag = offsetof(Packed, timed) +
                                          offsetof(TimedOccurrence, occurrence) +
                                          offsetof(Occurrence, goes_on);
    const auto goes_on = static_cast<unsigned char>(occurrences[at + place_of_flag]);
    Occurrence& occurrence = each.timed.occurrence;
    if (goes_on > 1 || each.call >= texts_.size() || each.protocol >= texts_.size() ||
        !of_timeline(occurrence.kind)) {
      refuse();
    }
    occurrence.call = texts_[each.call];
    occurrence.protocol = texts_[each.protocol];
    take(each.timed);
  }
}

}  // namespace launch
