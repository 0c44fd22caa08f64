// A ring of lines.
#include "ugni_emu/fabric/host/host_queue.h"

#include <algorithm>
#include <cstring>

#include "corespec/events/prefetch_lines.h"

namespace ugni::fabric {
namespace {
constexpr std::size_t lines_ahead = 4;  // most messages take no more
}  // namespace

bool HostQueueWriter::has_room(std::uint64_t up_to) {
  if (up_to - read_ <= Shared::room) return true;
  read_ = shared_->read.load(std::memory_order_acquire);
  return up_to - read_ <= Shared::room;
}

bool HostQueueWriter::write(std::span<const std::byte> message) {
  const std::size_t bytes = taken_by(message.size());
  std::uint64_t start = position_;
  if (left(start) < bytes) start += left(start);
  if (!has_room(start + bytes)) return false;
  Head& there = head(*shared_, start);
  std::memcpy(reinterpret_cast<std::byte*>(&there) + sizeof(Head), message.data(), message.size());
  there.word.store(Head::message + static_cast<std::uint32_t>(message.size()),
                   std::memory_order_release);
  if (start != position_) {
    head(*shared_, position_).word.store(Head::to_the_beginning, std::memory_order_release);
  }
  position_ = start + bytes;
  // The reader had these lines last. The next message is written sooner if they are here.
  const std::size_t ahead = std::min(left(position_), lines_ahead * line);
  for (std::size_t at = 0; at < ahead; at += line) {
    corespec::prefetch_line_to_write(&head(*shared_, position_ + at));
  }
  return true;
}

std::span<const std::byte> HostQueueReader::look() {
  for (;;) {
    Head& there = head(*shared_, position_);
    const std::uint32_t word = there.word.load(std::memory_order_acquire);
    if (word == Head::nothing) return {};
    if (word != Head::to_the_beginning) {
      const std::byte* const message = reinterpret_cast<const std::byte*>(&there) + sizeof(Head);
      // No writer goes beyond the end, nor does a reader whose writer's memory is damaged.
      seen_ = std::min<std::size_t>(word - Head::message, left(position_) - sizeof(Head));
      const std::size_t more = std::min(taken_by(seen_), lines_ahead * line);  // next() writes them
      for (std::size_t at = line; at < more; at += line) {
        corespec::prefetch_line_to_write(&head(*shared_, position_ + at));
      }
      return {message, seen_};
    }
    there.word.store(Head::nothing, std::memory_order_relaxed);
    position_ += left(position_);
  }
}

void HostQueueReader::next() {
  const std::size_t bytes = taken_by(seen_);
  for (std::size_t at = 0; at < bytes; at += line) {
    head(*shared_, position_ + at).word.store(Head::nothing, std::memory_order_relaxed);
  }
  position_ += bytes;
  shared_->read.store(position_, std::memory_order_release);
}

}  // namespace ugni::fabric
