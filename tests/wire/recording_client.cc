// The recording client.
#include "tests/wire/recording_client.h"

#include <algorithm>
#include <cstring>

namespace wire_test {

using ugni::ResponseStatus;
using ugni::TransactionKind;

std::uint64_t RecordingClient::add(std::span<std::byte> memory, bool direct, bool writable,
                                   bool wakes) {
  const ugni::DomainName domain = domains_.empty() ? ugni::DomainName{} : *domains_.begin();
  const ugni::ExposedRegion region{memory.data(), memory.size(), domain.protection(),
                                   next_handle_,  writable,      !keeps_payloads,
                                   wakes};
  const std::uint64_t registration = direct ? (*wire_)->expose(region) : 0;
  regions_[next_handle_] = {memory, registration, writable};
  return next_handle_++;
}

void RecordingClient::drop(std::uint64_t handle) {
  (*wire_)->conceal(regions_.at(handle).registration);
  regions_.erase(handle);
}

std::uint64_t RecordingClient::begin(ugni::Transaction& transaction, std::span<std::byte> local) {
  transaction.initiator_key = next_number_;
  posts_[next_number_] = {transaction, local, 0, 0, false, false, false, ResponseStatus::ok, {}};
  return next_number_++;
}

bool RecordingClient::all_ended() const {
  return std::all_of(posts_.begin(), posts_.end(),
                     [](const auto& each) { return each.second.ended; });
}

void RecordingClient::read_source(ugni::Transaction& transaction, std::uint64_t offset,
                                  std::span<std::byte> into) {
  std::memcpy(into.data(), posts_.at(transaction.initiator_key).local.data() + offset, into.size());
}

void RecordingClient::request_sent(const ugni::Transaction& transaction) {
  Post& post = posts_.at(transaction.initiator_key);
  ++post.sent;
  post.sent_after_end = post.ended;
}

bool RecordingClient::awaits_sent(const ugni::Transaction& transaction) {
  return transaction.injector != 0;
}

ResponseStatus RecordingClient::check(const ugni::Transaction& transaction) {
  const ugni::ProtectionName name{transaction.cookie, transaction.ptag};
  const bool known = std::any_of(domains_.begin(), domains_.end(),
                                 [&](const auto& domain) { return domain.protection() == name; });
  if (!known) return ResponseStatus::no_such_domain;
  const bool addressed = transaction.kind == TransactionKind::put ||
                         transaction.kind == TransactionKind::get ||
                         transaction.kind == TransactionKind::atomic;
  if (!addressed) return ResponseStatus::ok;
  const auto region = regions_.find(transaction.remote_handle.qword1);
  if (region == regions_.end()) return ResponseStatus::invalid_handle;
  const std::span<std::byte> memory = region->second.memory;
  const auto base = reinterpret_cast<std::uint64_t>(memory.data());
  const bool atomic = transaction.kind == TransactionKind::atomic;
  const std::uint64_t end = transaction.remote_address + (atomic ? 8 : transaction.length);
  if (transaction.remote_address < base || end > base + memory.size()) {
    return ResponseStatus::out_of_bounds;
  }
  const bool writes = transaction.kind != TransactionKind::get;
  return writes && !region->second.writable ? ResponseStatus::permission : ResponseStatus::ok;
}

ResponseStatus RecordingClient::request_arrived(ugni::SegmentView segment) {
  const ugni::Transaction& transaction = segment.transaction;
  if (transaction.kind != TransactionKind::datagram) {
    const ResponseStatus status = check(transaction);
    if (status != ResponseStatus::ok) return status;
  }
  auto* const memory = reinterpret_cast<std::byte*>(transaction.remote_address);
  const auto data = segment.payload.bytes();
  if (transaction.kind == TransactionKind::get && !segment.in_place) {
    segment.payload =
        ugni::Payload(std::span<const std::byte>(memory + segment.offset, segment.length));
  } else if (transaction.kind == TransactionKind::put && segment.length != 0 && !segment.in_place) {
    std::memcpy(memory + segment.offset, data.data(), segment.length);
  } else if (transaction.kind == TransactionKind::atomic) {
    std::uint64_t old = 0;
    std::memcpy(&old, memory, sizeof old);
    const std::uint64_t sum = old + transaction.immediate[0];
    std::memcpy(memory, &sum, sizeof sum);
    segment.payload = ugni::Payload(std::as_bytes(std::span(&old, 1)));
  }
  std::vector<std::byte>& pieces = pieces_[{transaction.source_instance, transaction.injector}];
  if (keep_ && transaction.kind != TransactionKind::get) {
    pieces.insert(pieces.end(), data.begin(), data.end());
  }
  if (!segment.last) return ResponseStatus::ok;
  ++arrived_;
  if (keep_) {
    arrivals_.push_back({transaction, std::move(pieces), segment.in_place, domain_->now()});
    pieces.clear();
  }
  if (on_arrival) on_arrival();
  return ResponseStatus::ok;
}

void RecordingClient::response_arrived(ugni::SegmentView segment) {
  const auto found = posts_.find(segment.transaction.initiator_key);
  if (found == posts_.end()) return;
  Post& post = found->second;
  post.answered += segment.length;
  post.in_place = segment.in_place;
  if (segment.status != ResponseStatus::ok) post.status = segment.status;
  const auto data = segment.payload.bytes();
  if (!data.empty()) std::memcpy(post.local.data() + segment.offset, data.data(), data.size());
  if (segment.last) {
    post.ended = true;
    post.ended_at = domain_->now();
  }
}

ugni::DirectMemory RecordingClient::source_memory(const ugni::Transaction& transaction) {
  const std::span<std::byte> local = posts_.at(transaction.initiator_key).local;
  for (const auto& [handle, region] : regions_) {
    const bool inside = local.data() >= region.memory.data() &&
                        local.data() + local.size() <= region.memory.data() + region.memory.size();
    if (inside && region.registration != 0) {
      return {local.data(), region.registration, moves_ahead, moves_unnoticed};
    }
  }
  return {};
}

ugni::DirectMemory RecordingClient::target_memory(const ugni::Transaction& transaction) {
  if (check(transaction) != ResponseStatus::ok) return {};
  const Region& region = regions_.at(transaction.remote_handle.qword1);
  if (region.registration == 0) return {};
  return {reinterpret_cast<std::byte*>(transaction.remote_address), region.registration};
}

}  // namespace wire_test
