// The values of a Gemini's registers: what GPCD's kernel module does.
#include "ugni_emu/gpcd/read_registers.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/job/adopt_process.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/process.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/gemini/topology/system_shape.h"
#include "ugni_emu/gpcd/mmr_names.h"
#include "ugni_emu/nic/nic.h"

namespace gpcd {
namespace {

/// There in a rank that was told why it can read nothing.
class Told final : public corespec::ProcessState {};

int not_available(corespec::Process* process) {
  constexpr auto slot = corespec::Process::Slot::gpcd;
  if (process == nullptr || process->state(slot) == nullptr) {
    std::fputs(
        "castor: GPCD's counters are not available: Geminis count in virtual time, unless "
        "CASTOR_COUNTERS is off; a read returns -1\n",
        stderr);
    if (process != nullptr) process->set_state(slot, std::make_unique<Told>());
  }
  return ENOTSUP;
}

/// Whether the NIC at `address` is one of the caller's Gemini.
bool is_own(const corespec::Process& process, std::uint32_t address) {
  const auto system = gemini::SystemShape::parse(process.job().parameters().system);
  const auto own = static_cast<std::uint32_t>(process.node().nid());
  return address < system.nodes() && system.share_router(address, own);
}

std::vector<ugni::Register> registers_of(const gpcd_context_t& context) {
  std::vector<ugni::Register> registers;
  for (const gpcd_mmr_list_t* entry = context.list; entry != nullptr; entry = entry->next) {
    registers.push_back(register_of(entry->item));
  }
  return registers;
}

}  // namespace

int read_registers(gpcd_context_t& context) {
  if (context.list == nullptr) return 0;
  corespec::Thread* const thread = corespec::adopt_thread();
  corespec::Process* const process = thread == nullptr ? nullptr : thread->process();
  if (process == nullptr) return not_available(nullptr);
  const corespec::LibraryCall library_call(thread, "gpcd_context_read_mmr_vals");
  const corespec::DomainHold hold(thread);
  if (context.nic_addr != 0 && !is_own(*process, context.nic_addr)) return EPERM;
  nic::Nic* const nic = nic::Nic::of(process->node());
  const ugni::NicAddress address = context.nic_addr == 0 ? nic->address() : context.nic_addr;
  const std::optional<std::vector<std::uint64_t>> values =
      nic->register_reader().read(*thread, address, registers_of(context));
  if (!values) return not_available(process);
  std::size_t number = 0;
  for (gpcd_mmr_list_t* entry = context.list; entry != nullptr; entry = entry->next) {
    entry->value = (*values)[number++];
  }
  return 0;
}

}  // namespace gpcd
