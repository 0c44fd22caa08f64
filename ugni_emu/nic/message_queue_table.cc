// What the processes of a node share of a message queue.
#include "ugni_emu/nic/message_queue_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace nic {
namespace {

bool equal(const gni_msgq_attr_t& a, const gni_msgq_attr_t& b) {
  return a.max_msg_sz == b.max_msg_sz && a.smsg_q_sz == b.smsg_q_sz &&
         a.rcv_pool_sz == b.rcv_pool_sz && a.num_msgq_eps == b.num_msgq_eps &&
         a.nloc_insts == b.nloc_insts && a.modes == b.modes && a.rcv_cq_sz == b.rcv_cq_sz;
}

}  // namespace

// ---- a connection

// ConnRelease looks at what is being sent after it has closed the connection: a sender that comes
// between them finds it closed.
gni_return_t MessageConnection::begin_send(std::uint32_t instance, const gni_msgq_rem_inst_t*& to) {
  sending_.fetch_add(1);
  const auto refuse = [this](gni_return_t code) {
    sending_.fetch_sub(1);
    return code;
  };
  if (state_.load() != connected) return refuse(GNI_RC_INVALID_STATE);
  const auto end = to_.begin() + instances_;
  to = std::find_if(to_.begin(), end, [&](const auto& each) { return each.id == instance; });
  if (to == end) return refuse(GNI_RC_NO_MATCH);
  std::uint32_t left = credits_.load();
  do {
    if (left == 0) return refuse(GNI_RC_NOT_DONE);
  } while (!credits_.compare_exchange_weak(left, left - 1));
  return GNI_RC_SUCCESS;
}

void MessageConnection::end_send(bool undelivered) {
  if (undelivered) credits_.fetch_add(1);
  sending_.fetch_sub(1);
}

bool MessageConnection::give_credits(std::uint32_t generation, std::uint32_t count) {
  if (state_.load() != connected || generation_.load() != generation)
    return true;  // an earlier one's
  std::uint32_t now = credits_.load();
  do {
    if (count > all_credits_.load() - std::min(all_credits_.load(), now)) return false;
  } while (!credits_.compare_exchange_weak(now, now + count));
  return true;
}

std::uint32_t MessageConnection::credits_to_return(std::uint32_t all_credits) {
  const std::uint32_t owed = owed_.fetch_add(1) + 1;
  return owed >= std::max(1U, all_credits / 2) ? owed_.exchange(0) : 0;
}

// ---- the node's table

/// Zeroed memory: no instances.
struct MessageQueueTable::Shared {
  std::atomic<std::uint32_t> taken;
  std::uint32_t instances;
  gni_msgq_attr_t attributes;
  std::array<gni_msgq_rem_inst_t, GNI_MSGQ_NODE_INSTS_MAX> local;
};

/// One process of the node at a time changes the table, for a moment.
class MessageQueueTable::Turn {
 public:
  explicit Turn(Shared& shared) : shared_(shared) {
    while (shared_.taken.exchange(1, std::memory_order_acquire) != 0) continue;
  }
  ~Turn() { shared_.taken.store(0, std::memory_order_release); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Shared& shared_;
};

MessageQueueTable::MessageQueueTable(corespec::Node& node, const ugni::ProtectionName& name)
    : node_(&node),
      name_(fmt::format("nic.msgq.{}.{}", name.cookie, name.ptag)),
      shared_(reinterpret_cast<Shared*>(node.memory().segment(name_, sizeof(Shared)))) {}

gni_return_t MessageQueueTable::join(const gni_msgq_attr_t& attributes,
                                     const gni_msgq_rem_inst_t& self) {
  const Turn turn(*shared_);
  if (shared_->instances == 0) shared_->attributes = attributes;
  if (!equal(shared_->attributes, attributes)) return GNI_RC_INVALID_STATE;
  if (shared_->instances == attributes.nloc_insts) return GNI_RC_INVALID_STATE;
  attributes_ = attributes;
  if (attributes.num_msgq_eps != 0) {
    connections_ = reinterpret_cast<MessageConnection*>(node_->memory().segment(
        name_ + ".connections", attributes.num_msgq_eps * sizeof(MessageConnection)));
  }
  shared_->local[shared_->instances++] = self;
  return GNI_RC_SUCCESS;
}

void MessageQueueTable::leave(std::uint32_t instance) {
  const Turn turn(*shared_);
  const auto end = shared_->local.begin() + shared_->instances;
  const auto own = std::find_if(shared_->local.begin(), end,
                                [&](const auto& each) { return each.id == instance; });
  std::copy(own + 1, end, own);
  if (--shared_->instances == 0 && connections_ != nullptr) {
    node_->memory().remove(name_ + ".connections");
  }
}

MessageConnection* MessageQueueTable::find(ugni::NicAddress peer) const {
  const std::uint32_t count = attributes_.num_msgq_eps;
  for (std::uint32_t i = 0; i < count; ++i) {
    MessageConnection& each = connections_[(peer % count + i) % count];
    if (each.state_.load() != MessageConnection::free && each.address_.load() == peer) {
      return &each;
    }
  }
  return nullptr;
}

gni_return_t MessageQueueTable::reserve(ugni::NicAddress self, ugni::NicAddress peer,
                                        gni_msgq_ep_attr_t& told) {
  const Turn turn(*shared_);
  if (find(peer) != nullptr || shared_->instances < attributes_.nloc_insts) {
    return GNI_RC_INVALID_STATE;
  }
  const std::uint32_t count = attributes_.num_msgq_eps;
  MessageConnection* place = nullptr;
  for (std::uint32_t i = 0; i < count && place == nullptr; ++i) {
    MessageConnection& each = connections_[(peer % count + i) % count];
    if (each.state_.load() == MessageConnection::free) place = &each;
  }
  if (place == nullptr) return GNI_RC_ERROR_RESOURCE;
  place->address_.store(peer);
  place->generation_.fetch_add(1);
  place->owed_.store(0);
  place->state_.store(MessageConnection::reserved);
  told.pe_addr = self;
  told.max_msg_sz = attributes_.max_msg_sz;
  told.smsg_q_sz = attributes_.smsg_q_sz;
  told.num_insts = shared_->instances;
  std::copy_n(shared_->local.begin(), shared_->instances, told.insts);
  return GNI_RC_SUCCESS;
}

gni_return_t MessageQueueTable::connect(ugni::NicAddress peer, const gni_msgq_ep_attr_t& told) {
  const Turn turn(*shared_);
  MessageConnection* const place = find(peer);
  if (place == nullptr) return GNI_RC_NO_MATCH;
  if (place->state_.load() == MessageConnection::connected) return GNI_RC_INVALID_STATE;
  place->max_message_.store(std::min(attributes_.max_msg_sz, told.max_msg_sz));
  place->all_credits_.store(told.smsg_q_sz);
  place->credits_.store(told.smsg_q_sz);
  place->instances_ = told.num_insts;
  std::copy_n(told.insts, told.num_insts, place->to_.begin());
  place->state_.store(MessageConnection::connected);
  return GNI_RC_SUCCESS;
}

gni_return_t MessageQueueTable::release(ugni::NicAddress peer) {
  const Turn turn(*shared_);
  MessageConnection* const place = find(peer);
  if (place == nullptr) return GNI_RC_NO_MATCH;
  const std::uint32_t before = place->state_.exchange(MessageConnection::reserved);
  if (place->sending_.load() != 0) {
    place->state_.store(before);
    return GNI_RC_NOT_DONE;
  }
  place->state_.store(MessageConnection::free);
  return GNI_RC_SUCCESS;
}

}  // namespace nic
