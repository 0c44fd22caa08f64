// GNI_CtPostFma, GNI_CtPostCqWrite: several transactions with one completion.
#include <new>
#include <span>
#include <vector>

#include "ugni_emu/gni/checked_post.h"
#include "ugni_emu/gni/gni_caller.h"

namespace {

using ugni::TransactionKind;

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t most_bytes_shared = std::uint64_t{1} << 20;

/// A link as a descriptor of its own.
struct Link {
  gni_ep_handle_t endpoint = nullptr;
  gni_post_descriptor_t descriptor{};
};

/// Type and modes are the head's.
Link link_like(const gni_post_descriptor_t& head, gni_ep_handle_t endpoint) {
  Link link{endpoint, {}};
  link.descriptor.type = head.type;
  link.descriptor.cq_mode = head.cq_mode & GNI_CQMODE_REMOTE_EVENT;
  link.descriptor.dlvr_mode = head.dlvr_mode;
  return link;
}

// The kinds of links begin alike, but are types of their own.
template <typename Descriptor>
Link transfer(const gni_post_descriptor_t& head, const Descriptor& from) {
  Link link = link_like(head, from.ep_hndl);
  link.descriptor.length = from.length;
  link.descriptor.remote_addr = from.remote_addr;
  link.descriptor.remote_mem_hndl = from.remote_mem_hndl;
  link.descriptor.local_addr = from.local_addr;
  return link;
}

Link take(const gni_post_descriptor_t& head, const gni_ct_put_post_descriptor_t& from) {
  return transfer(head, from);
}

Link take(const gni_post_descriptor_t& head, const gni_ct_get_post_descriptor_t& from) {
  Link link = transfer(head, from);
  link.descriptor.local_mem_hndl = from.local_mem_hndl;
  return link;
}

Link take(const gni_post_descriptor_t& head, const gni_ct_amo_post_descriptor_t& from) {
  Link link = transfer(head, from);
  link.descriptor.local_mem_hndl = from.local_mem_hndl;
  link.descriptor.amo_cmd = from.amo_cmd;
  link.descriptor.first_operand = from.first_operand;
  link.descriptor.second_operand = from.second_operand;
  return link;
}

Link take(const gni_post_descriptor_t& head, const gni_ct_cqw_post_descriptor_t& from) {
  Link link = link_like(head, from.ep_hndl);
  link.descriptor.remote_mem_hndl = from.remote_mem_hndl;
  link.descriptor.cqwrite_value = from.cqwrite_value;
  return link;
}

template <typename Descriptor>
void take_all(const gni_post_descriptor_t& head, std::vector<Link>& links) {
  for (const void* at = head.next_descr; at != nullptr;) {
    const auto& from = *static_cast<const Descriptor*>(at);
    links.push_back(take(head, from));
    at = from.next_descr;
  }
}

/// The chain's links, the head first.
std::vector<Link> links_of(gni_ep_handle_t endpoint, const gni_post_descriptor_t& head) {
  std::vector<Link> links{{endpoint, head}};
  switch (head.type) {
    case GNI_POST_FMA_PUT:
      take_all<gni_ct_put_post_descriptor_t>(head, links);
      break;
    case GNI_POST_FMA_GET:
      take_all<gni_ct_get_post_descriptor_t>(head, links);
      break;
    case GNI_POST_AMO:
      take_all<gni_ct_amo_post_descriptor_t>(head, links);
      break;
    default:
      take_all<gni_ct_cqw_post_descriptor_t>(head, links);
      break;
  }
  return links;
}

gni_return_t check_length(const nic::Domain& domain, std::span<const Link> links) {
  const bool shared = (domain.modes() & GNI_CDM_MODE_FMA_SHARED) != 0;
  const std::uint64_t most = shared ? most_bytes_shared : most_bytes;
  std::uint64_t length = 0;
  for (const Link& link : links) {
    if (link.descriptor.length > most - length) return GNI_RC_SIZE_ERROR;
    length += link.descriptor.length;
  }
  return GNI_RC_SUCCESS;
}

gni_return_t check_all(const gni::Caller& caller, std::span<const Link> links, TransactionKind kind,
                       std::vector<gni::CheckedPost>& checked) {
  for (const Link& link : links) {
    gni::CheckedPost& fresh = checked.emplace_back();
    gni_return_t result = gni::check_post(caller, link.endpoint, &link.descriptor, kind, fresh);
    if (result == GNI_RC_SUCCESS && kind != TransactionKind::cq_write) {
      result = gni::check_fma(fresh);
    }
    if (result != GNI_RC_SUCCESS) return result;
    if (checked.size() > 1) fresh.queue = nullptr;  // the completion is the head's
  }
  return GNI_RC_SUCCESS;
}

/// Room for all, or for none.
bool begin_all(const gni::Caller& caller, std::span<const gni::CheckedPost> checked,
               std::vector<nic::Posting>& postings) {
  for (const gni::CheckedPost& each : checked) {
    nic::Nic& nic = each.endpoint->domain->nic();
    const std::uint8_t events = postings.empty() ? gni::events_of(each) : std::uint8_t{0};
    const nic::Posting posting =
        nic.begin(caller.thread(), *each.endpoint, each.queue, each.kind, events);
    if (!posting) {
      for (const nic::Posting& made : postings) nic.take_back(made);
      return false;
    }
    postings.push_back(posting);
  }
  return true;
}

gni_return_t post_chain(const gni::Caller& caller, gni_ep_handle_t ep_hndl,
                        gni_post_descriptor_t* head, TransactionKind kind) {
  const std::vector<Link> links = links_of(ep_hndl, *head);
  const nic::Endpoint* first = caller.find(ep_hndl);
  if (first == nullptr) return GNI_RC_INVALID_PARAM;
  if (const gni_return_t result = check_length(*first->domain, links); result != GNI_RC_SUCCESS) {
    return result;
  }
  std::vector<gni::CheckedPost> checked;
  if (const gni_return_t result = check_all(caller, links, kind, checked);
      result != GNI_RC_SUCCESS) {
    return result;
  }
  nic::Domain& domain = *first->domain;
  std::vector<ugni::Payload> payloads(links.size());
  corespec::Time cost;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const gni_post_descriptor_t& descriptor = links[i].descriptor;
    cost += gni::fma_cost(caller.parameters(), descriptor.length);
    if (kind != TransactionKind::put) continue;
    const auto* bytes = reinterpret_cast<const std::byte*>(descriptor.local_addr);
    payloads[i] =
        ugni::Payload(domain.nic().wire().payloads(), std::span(bytes, descriptor.length));
  }
  caller.charge(cost);
  if (kind == TransactionKind::cq_write) caller.sync();
  std::vector<nic::Posting> postings;
  if (!begin_all(caller, checked, postings)) return GNI_RC_ERROR_RESOURCE;
  for (std::size_t i = 0; i < links.size(); ++i) {
    gni::fill(postings[i], checked[i], i == 0 ? head : nullptr);
    postings[i].submission->payload = std::move(payloads[i]);
  }
  domain.nic().chain(postings);
  for (const nic::Posting& posting : postings) {
    if (kind == TransactionKind::cq_write) {
      posting.submission->perform();
      ++domain.statistics().cq_writes;
    } else {
      caller.thread().defer(*posting.submission);
      ++domain.statistics().fma_descriptors;
    }
  }
  return GNI_RC_SUCCESS;
}

}  // namespace

gni_return_t GNI_CtPostFma(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr) try {
  const gni::Caller caller;
  TransactionKind kind = TransactionKind::put;
  if (post_descr == nullptr || post_descr->type == GNI_POST_FMA_PUT_W_SYNCFLAG ||
      !gni::fma_kind(post_descr->type, kind) ||
      (post_descr->dlvr_mode & GNI_DLVMODE_ORDERED_TAIL) != 0) {
    return GNI_RC_INVALID_PARAM;
  }
  return post_chain(caller, ep_hndl, post_descr, kind);
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_RESOURCE;
}

gni_return_t GNI_CtPostCqWrite(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr) try {
  const gni::Caller caller;
  if (post_descr == nullptr || post_descr->type != GNI_POST_CQWRITE) return GNI_RC_INVALID_PARAM;
  return post_chain(caller, ep_hndl, post_descr, TransactionKind::cq_write);
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_RESOURCE;
}
