// What a rank's signals need of a machine in virtual time.
#include "launch/virtual_run/virtual_signal_host.h"

#include "corespec/threads/node.h"
#include "corespec/virtual/virtual_domain.h"
#include "corespec/virtual/virtual_thread.h"

namespace launch {
namespace {

corespec::VirtualDomain& domain_of(const corespec::Thread& thread) {
  return static_cast<corespec::VirtualDomain&>(thread.node().domain());
}

}  // namespace

void VirtualSignalHost::call_aside(corespec::Thread& thread, corespec::Aside& aside) {
  static_cast<corespec::VirtualThread&>(thread).call_aside(aside);
}

corespec::Time VirtualSignalHost::now(const corespec::Thread& thread) const {
  return domain_of(thread).now();
}

void VirtualSignalHost::schedule(const corespec::Thread& thread, corespec::Time at,
                                 corespec::Event& event, std::uint64_t arg) {
  domain_of(thread).schedule(at, thread.node().source(), event, arg);
}

void VirtualSignalHost::cancel(const corespec::Thread& thread, const corespec::Event& event) {
  domain_of(thread).cancel(event);
}

}  // namespace launch
