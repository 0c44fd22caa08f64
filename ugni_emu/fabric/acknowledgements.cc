// Responses without data: collecting and sending.
#include "ugni_emu/fabric/acknowledgements.h"

#include <algorithm>
#include <cstring>

namespace ugni::fabric {
namespace {

constexpr std::size_t batch = 16;

}  // namespace

Acknowledgements::Acknowledgements(Links& links)
    : links_(&links), collected_(static_cast<std::size_t>(links.layout().size())) {}

void Acknowledgements::add(int rank, const Acknowledgement& acknowledgement, bool leaves,
                           bool wakes) {
  Collected& collected = of(rank);
  collected.wakes |= wakes;
  collected.items.push_back(acknowledgement);
  if (!collected.listed) ranks_.push_back(rank);
  collected.listed = true;
  if (leaves || collected.items.size() >= batch) collected.leaves = any_leaves_ = true;
}

std::uint16_t Acknowledgements::append(int rank, Buffer& message) {
  std::vector<Acknowledgement>& items = of(rank).items;
  if (items.empty()) return 0;
  const std::size_t room = (links_->limit(rank) - message.size) / sizeof(Acknowledgement);
  const std::size_t count = std::min(room, items.size());
  std::memcpy(message.bytes + message.size, items.data(), count * sizeof(Acknowledgement));
  message.size += count * sizeof(Acknowledgement);
  if (count == items.size()) {
    items.clear();
    of(rank).wakes = false;
  } else {
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return static_cast<std::uint16_t>(count);
}

void Acknowledgements::send(int rank, Collected& collected) {
  const bool wakes = collected.wakes;  // append() forgets it with the last of them
  while (!collected.items.empty()) {
    Buffer& buffer = links_->compose(rank);
    buffer.size = sizeof(MessageHead);
    const std::uint16_t count = append(rank, buffer);
    put_fixed(buffer.bytes,
              MessageHead{MessageKind::acknowledgements, 0, count, links_->layout().rank});
    links_->send(rank, buffer, wakes);
  }
  collected.leaves = collected.wakes = false;
}

void Acknowledgements::flush_those() {
  any_leaves_ = false;
  for (const int rank : ranks_) {
    if (of(rank).leaves) send(rank, of(rank));
  }
  std::erase_if(ranks_, [this](int rank) {
    of(rank).listed = !of(rank).items.empty();
    return !of(rank).listed;
  });
}

void Acknowledgements::flush_all() {
  for (const int rank : ranks_) of(rank).leaves = any_leaves_ = true;
  flush();
}

}  // namespace ugni::fabric
