// Segments between parts of a network.
#include "launch/virtual_run/router_border.h"

#include <cstdint>
#include <cstring>

namespace launch {
namespace {

/// What a router of another part gets, before the network's own bytes.
struct RouterEvent {
  corespec::Time at;
  std::uint64_t key;
  std::uint64_t arg;
};

}  // namespace

RouterBorder::RouterBorder(const Part& part, corespec::VirtualDomain& own,
                           corespec::Time least_delay)
    : part_(part), own_(own) {
  others_.reserve(part.count);
  for (std::size_t other = 0; other < part.count; ++other) {
    others_.emplace_back(static_cast<corespec::Border&>(*this), other, least_delay);
  }
}

corespec::EventDomain& RouterBorder::domain_of(std::size_t part) {
  if (part == part_.number) return own_;
  return others_[part];
}

void RouterBorder::set_network(gemini::Network& network) {
  network_ = &network;
  if (part_.mail == nullptr) return;
  part_.mail->set_reader(
      Subject::router_event,
      [this](std::size_t, std::span<const std::byte> letter) { receive(letter); });
}

void RouterBorder::send(std::size_t part, const corespec::EventQueue::Entry& entry) {
  Mail& mail = *part_.mail;
  const RouterEvent head{entry.at, entry.key, entry.arg};
  const std::size_t bytes = sizeof head + network_->packed_bytes(*entry.event);
  const std::span<std::byte> letter = mail.add(part, Subject::router_event, bytes);
  std::memcpy(letter.data(), &head, sizeof head);
  network_->pack(*entry.event, letter.subspan(sizeof head));
  mail.expect_at_routers(part, entry.at);
}

void RouterBorder::receive(std::span<const std::byte> letter) {
  const auto head = take_record<RouterEvent>(letter);
  own_.accept({head.at, head.key, &network_->unpack(letter), head.arg});
}

}  // namespace launch
