// The NIC: its domains, and the wire's calls handed to initiator and target side.
#include "ugni_emu/nic/nic.h"

#include "corespec/config/parameters.h"
#include "corespec/host/check.h"
#include "ugni_emu/wire/observed.h"

namespace nic {
namespace {

constexpr std::uint64_t no_key = ~std::uint64_t{0};

ugni::DomainName name_of(const Domain& domain) {
  return {domain.id().instance, domain.id().cookie, domain.id().ptag};
}

}  // namespace

Nic::Nic(corespec::Node& node, ugni::Wire& wire)
    : node_(&node),
      wire_(&wire),
      events_(&node.domain()),
      bte_(*this, static_cast<unsigned>(node.parameters().bte_channels)),
      datagram_driver_(*this),
      waiters_(node),
      resources_(node),
      errors_(node),
      aries_(node.parameters().nic == "aries"),
      lost_one_in_(static_cast<std::int64_t>(node.parameters().lost_transactions)),
      random_(static_cast<std::uint64_t>(node.parameters().seed),
              0x6c6f737400000000ULL + static_cast<std::uint64_t>(node.nid())) {
  wire.attach(address(), *this, node.domain());
  faults_ = wire.faults_at(address());
  if (node.parameters().transactions_may_fail()) untracked_ = std::make_unique<Untracked>(wire);
}

// What it has scheduled stays in the node's domain, which runs no event any more.
Nic::~Nic() {
  domains_.for_each([](std::uint64_t, Domain* domain) { domain->nic_is_gone(); });
}

gni_return_t Nic::attach(Domain& domain) {
  const std::uint64_t key = key_of(domain.id());
  if (key == no_key || domains_.find(key) != nullptr) return GNI_RC_INVALID_PARAM;
  const bool own_window = (domain.modes() & GNI_CDM_MODE_FMA_SHARED) == 0;
  if (own_window && !resources_.take(NodeResources::Kind::fma_windows)) {
    return GNI_RC_ERROR_RESOURCE;
  }
  if (!wire_->domain_attached(address(), name_of(domain))) {
    if (own_window) resources_.give_back(NodeResources::Kind::fma_windows);
    return GNI_RC_ERROR_RESOURCE;
  }
  domains_.insert(key, &domain);
  domain.memory().add_domain();
  // Domains that want a single channel are spread over the channels.
  if (domain.modes() & GNI_CDM_MODE_BTE_SINGLE_CHANNEL) {
    domain.bte_channel = static_cast<std::uint8_t>(single_channel_domains_++ % bte_.channels());
  }
  datagram_driver_.attached(domain);
  return GNI_RC_SUCCESS;
}

void Nic::detach(Domain& domain) {
  domains_.erase(key_of(domain.id()));
  if ((domain.modes() & GNI_CDM_MODE_FMA_SHARED) == 0) {
    resources_.give_back(NodeResources::Kind::fma_windows);
  }
  wire_->domain_detached(address(), name_of(domain));
  domain.memory().drop_domain(domain);
  waiters_.wake(domain.datagrams(), true);
  bte_.forget(domain);
  if (engines_ != nullptr) engines_->forget(domain);
  for (std::uint32_t number = 0; number < posts_.size(); ++number) {
    Post& post = posts_[number];
    if (!post.live || post.domain != &domain) continue;
    post.domain = nullptr;
    post.endpoint = nullptr;
    post.queue = nullptr;
    post.events = post.harvest = 0;
    if (post.finished && !post.chained) posts_.give_back(number);
  }
}

CollectiveEngines& Nic::engines() {
  if (engines_ == nullptr) engines_ = std::make_unique<CollectiveEngines>();
  return *engines_;
}

RegisterReader& Nic::register_reader() {
  if (register_reader_ == nullptr) register_reader_ = std::make_unique<RegisterReader>(*this);
  return *register_reader_;
}

Domain* Nic::find_domain(const DomainId& id) {
  Domain** found = domains_.find(key_of(id));
  return found != nullptr && (*found)->id() == id ? *found : nullptr;
}

RegionTable* Nic::find_regions(const ugni::ProtectionName& name) {
  for (const auto& table : regions_) {
    if (table->name() == name) return table->has_domains() ? table.get() : nullptr;
  }
  return nullptr;
}

RegionTable& Nic::regions(const ugni::ProtectionName& name) {
  for (const auto& table : regions_) {
    if (table->name() == name) return *table;
  }
  return *regions_.emplace_back(std::make_unique<RegionTable>(*wire_, address(), name));
}

ugni::ResponseStatus Nic::request_arrived(ugni::SegmentView segment) {
  const ugni::Transaction& transaction = segment.transaction;
  CASTOR_CHECK(segment.offset + segment.length <= transaction.length,
               "the wire has delivered more bytes than a transaction has");
  if (segment.last) {
    corespec::observe(*events_, [&] {
      const corespec::Time now = events_->now();
      return ugni::observed(corespec::Occurrence::Kind::delivered, transaction, address(),
                            transaction.length, now, now);
    });
  }
  if (transaction.kind == ugni::TransactionKind::datagram) {
    datagram_driver_.arrived(segment);
    return ugni::ResponseStatus::ok;
  }
  RegionTable* regions = find_regions({transaction.cookie, transaction.ptag});
  if (regions == nullptr) {
    if (segment.last) pieces_.end(segment);
    return ugni::ResponseStatus::no_such_domain;
  }
  const bool by_vmdh = transaction.kind != ugni::TransactionKind::collective &&
                       (transaction.remote_handle.qword1 & memory_handle::vmdh_bit) != 0;
  const ugni::ResponseStatus status =
      by_vmdh ? arrive_by_vmdh(*regions, segment) : arrive(*regions, segment);
  const auto noted = ugni::is_done(status) ? ugni::ResponseStatus::ok : status;
  events_->record(static_cast<std::uint64_t>(transaction.kind) << 56 |
                      static_cast<std::uint64_t>(noted) << 48 |
                      (segment.length & 0xFFFFFFFFFFFFULL),
                  transaction.initiator_key);
  return status;
}

}  // namespace nic
