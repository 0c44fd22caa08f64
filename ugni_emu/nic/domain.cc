// Communication domains: identity, mailboxes, what happens when parts of them go.
#include "ugni_emu/nic/domain.h"

#include <memory>
#include <string>
#include <vector>

#include "corespec/events/observer.h"
#include "corespec/threads/node.h"
#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/nic.h"

namespace nic {

Domain::Domain(Nic& nic, DomainId id, std::uint32_t modes, std::uint32_t place)
    : nic_(&nic),
      arrival_signal_(arrival_signal_of(nic.node(), id.instance, id.cookie)),
      id_(id),
      modes_(modes),
      place_(place),
      memory_(&nic.regions(id.protection())),
      datagrams_(*this, finished_datagrams_) {}

Domain::~Domain() {
  drop_mailboxes();
  landed_.for_each([](std::uint64_t, Message* message) { message->give_back(); });
  detach();
}

void Domain::drop_mailboxes() {
  std::vector<Mailbox*> all;
  mailboxes_.for_each([&](std::uint64_t, Mailbox* mailbox) { all.push_back(mailbox); });
  for (Mailbox* mailbox : all) remove(*mailbox);
}

void Domain::detach() {
  if (nic_ != nullptr && attached_) nic_->detach(*this);
  attached_ = false;
}

void Domain::about_to_go(std::span<CompletionQueue* const> queues) {
  drop_mailboxes();
  if (nic_ == nullptr) return;
  for (CompletionQueue* queue : queues) nic_->waiters().wake(*queue, true);
  if (attached_) datagrams_.leave();
  detach();
}

gni_return_t Domain::attach() {
  const gni_return_t result = nic_->attach(*this);
  attached_ = result == GNI_RC_SUCCESS;
  return result;
}

void Domain::raise_interrupt() {
  ++statistics_.interrupts;
  nic_->node().raise_interrupt();
}

void Domain::observe_event(bool remote) const {
  const corespec::EventDomain& events = nic_->node().domain();
  corespec::observe(events, [&] {
    corespec::Occurrence made{corespec::Occurrence::Kind::event_queued};
    made.place = nic_->address();
    made.part = remote ? 1 : 0;
    made.begin = made.end = events.now();
    return made;
  });
}

void Domain::address(ugni::Transaction& transaction, const Endpoint& endpoint,
                     ugni::TransactionKind kind) const {
  transaction = {};
  transaction.kind = kind;
  transaction.ptag = id_.ptag;
  transaction.cookie = id_.cookie;
  transaction.source = nic_->address();
  transaction.source_instance = id_.instance;
  transaction.target = endpoint.remote_address;
  transaction.target_instance = endpoint.remote_instance;
  transaction.remote_event = endpoint.words_set ? endpoint.remote_event : id_.instance;
}

Mailbox* Domain::find_mailbox(std::uint64_t address) {
  Mailbox** found = mailboxes_.find(address);
  return found == nullptr ? nullptr : *found;
}

Mailbox* Domain::mailbox_for(const FarEnd& from, std::uint64_t address) {
  Mailbox* const found = find_mailbox(address);
  if (found != nullptr && found->endpoint != nullptr) {
    return found->endpoint->far_end() == from ? found : nullptr;
  }
  auto* const first = static_cast<EarlyMailbox*>(found);
  for (EarlyMailbox* early = first; early != nullptr; early = early->next) {
    if (early->from == from) return early;
  }
  auto made = std::make_unique<EarlyMailbox>(address, from, first);
  mailboxes_.insert(address, made.get());
  return made.release();
}

bool Domain::open_mailbox(Endpoint& endpoint, std::uint64_t address) {
  Mailbox* const found = find_mailbox(address);
  if (found != nullptr && found->endpoint != nullptr) return false;
  mailboxes_.insert(address, &endpoint.mailbox);  // may throw, and has then done nothing
  auto* const first = static_cast<EarlyMailbox*>(found);
  EarlyMailbox* early = first;
  while (early != nullptr && early->from != endpoint.far_end()) early = early->next;
  endpoint.mailbox.open(*this, address, endpoint, early);
  drop(first);
  return true;
}

void Domain::drop(EarlyMailbox* first) {
  while (first != nullptr) {
    EarlyMailbox* const next = first->next;
    first->drop_messages();
    delete first;
    first = next;
  }
}

void Domain::close_mailbox(Endpoint& endpoint) {
  if (!endpoint.connected()) return;
  endpoint.mailbox.domain->take_out(endpoint.mailbox);
  endpoint.mailbox.endpoint = nullptr;
}

void Domain::land(std::uint64_t address, Message* message) {
  if (Message* before = take_landed(address)) before->give_back();  // overwritten, like memory
  landed_.insert(address, message);
}

const Message* Domain::landed_at(std::uint64_t address) const {
  Message* const* found = landed_.find(address);
  return found == nullptr ? nullptr : *found;
}

Message* Domain::take_landed(std::uint64_t address) {
  Message** found = landed_.find(address);
  if (found == nullptr) return nullptr;
  Message* const taken = *found;
  landed_.erase(address);
  return taken;
}

void Domain::take_out(Mailbox& mailbox) {
  mailboxes_.erase(mailbox.address());
  mailbox.drop_messages();
}

void Domain::remove(Mailbox& mailbox) {
  if (mailbox.endpoint == nullptr) {
    mailboxes_.erase(mailbox.address());
    drop(static_cast<EarlyMailbox*>(&mailbox));
  } else {
    take_out(mailbox);
    mailbox.endpoint = nullptr;
  }
}

void Domain::remove_ownerless_mailboxes(std::uint64_t address, std::uint64_t length) {
  std::vector<Mailbox*> ownerless;
  mailboxes_.for_each([&](std::uint64_t key, Mailbox* mailbox) {
    if (key - address < length && mailbox->endpoint == nullptr) ownerless.push_back(mailbox);
  });
  for (Mailbox* mailbox : ownerless) remove(*mailbox);
}

void Domain::forget(CompletionQueue& queue) {
  memory_->forget(queue);
  nic_->forget_queue(queue);
}

void Domain::forget(Endpoint& endpoint) {
  if (endpoint.queue != nullptr) endpoint.queue->drop_endpoint();
  close_mailbox(endpoint);
  datagrams_.forget(endpoint);
  if (nic_ != nullptr) nic_->forget_endpoint(endpoint);
}

corespec::Signal& Domain::arrival_signal_of(corespec::Node& node, std::uint32_t instance,
                                            std::uint32_t cookie) {
  return node.memory().signal("nic." + std::to_string(cookie) + '.' + std::to_string(instance));
}

}  // namespace nic
