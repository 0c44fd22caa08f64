// Where routers, their ports and their links lie.
#include "ugni_emu/gemini/message/router_array.h"

#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <new>

namespace gemini {
namespace {

constexpr std::size_t huge_page = 2 * 1024 * 1024;

constexpr std::size_t whole_lines(std::size_t bytes) {
  return (bytes + alignof(Router) - 1) / alignof(Router) * alignof(Router);
}

}  // namespace

RouterArray::RouterArray(const Timing& timing, RouterShare& share)
    : timing_(timing),
      share_(share),
      links_(timing.topology.links_per_router()),
      nics_(timing.topology.nics_per_router()),
      stride_(nics_ * sizeof(MessagePort) + sizeof(Router) +
              whole_lines((links_ + nics_) * sizeof(Link))) {
  const std::size_t needed = timing.topology.routers() * stride_;
  const std::size_t page = needed < huge_page ? alignof(Router) : huge_page;
  const std::size_t bytes = (needed + page - 1) / page * page;
  memory_ = static_cast<std::byte*>(std::aligned_alloc(page, bytes));
  if (memory_ == nullptr) throw std::bad_alloc();
  if (page == huge_page) madvise(memory_, bytes, MADV_HUGEPAGE);
  first_ = memory_ + nics_ * sizeof(MessagePort);
}

RouterArray::~RouterArray() {
  for (std::size_t number = 0; number < size_; ++number) {
    Router& router = at(number);
    for (unsigned nic = 0; nic < nics_; ++nic) std::destroy_at(&router.port(nic));
    std::destroy_n(&router.link(0), links_ + nics_);
    std::destroy_at(&router);
  }
  std::free(memory_);
}

void RouterArray::add(corespec::EventDomain& domain, corespec::EventDomain& nodes,
                      const std::function<corespec::EventSource()>& make_source) {
  const auto number = static_cast<RouterId>(size_);
  auto* const place = reinterpret_cast<Router*>(first_ + size_ * stride_);
  const Router::Position position{first_, static_cast<std::uint32_t>(stride_), number};
  Router& router =
      *std::construct_at(place, timing_, share_, position, domain, nodes, make_source());
  for (unsigned link = 0; link < links_ + nics_; ++link) std::construct_at(&router.link(link));
  for (unsigned nic = 0; nic < nics_; ++nic) {
    std::construct_at(&router.port(nic), MessageCarrier(router, timing_),
                      timing_.topology.nid_at(number, nic), nic, make_source());
  }
  ++size_;
}

}  // namespace gemini
