// Reads of a Gemini's registers: the kernel's time, and the way to the router and back.
#include "ugni_emu/nic/register_reader.h"

#include <utility>

#include "corespec/config/parameters.h"
#include "ugni_emu/nic/nic.h"

namespace nic {

std::optional<std::vector<std::uint64_t>> RegisterReader::read(
    corespec::Thread& thread, ugni::NicAddress nic, std::vector<ugni::Register> registers) {
  const corespec::Parameters& parameters = nic_->node().parameters();
  thread.charge(parameters.system_call);
  thread.sync();
  const auto count = static_cast<std::int64_t>(registers.size());
  reads_.push_back(std::make_unique<Read>(nic, std::move(registers)));
  Read& read = *reads_.back();
  const bool sent = nic_->wire().read_registers(nic_->address(), read);
  for (std::uint64_t seen = read.signal.epoch(); sent && !read.done; seen = read.signal.epoch()) {
    thread.spin(read.signal, seen, parameters.poll_period);
  }
  std::optional<std::vector<std::uint64_t>> values;
  if (sent) {
    values = std::move(read.values);
    thread.charge(parameters.register_read * count);
  }
  std::erase_if(reads_, [&read](const auto& each) { return each.get() == &read; });
  return values;
}

}  // namespace nic
