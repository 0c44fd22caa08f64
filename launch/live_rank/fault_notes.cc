// Faults as records in a file.
#include "launch/live_rank/fault_notes.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "corespec/host/os_thread.h"

namespace launch {

static_assert(std::is_trivially_copyable_v<faults::Fault>);

FaultNotes::FaultNotes(const std::string& name) {
  if (!name.empty()) file_ = open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

FaultNotes::~FaultNotes() {
  if (file_ >= 0) close(file_);
}

void FaultNotes::add(const faults::Fault& fault) const {
  if (file_ < 0) return;
  const corespec::WithoutCancellation without_cancellation;
  // Where there is no room for it the list lacks one.
  [[maybe_unused]] const ssize_t written = write(file_, &fault, sizeof fault);
}

std::vector<faults::Fault> FaultNotes::read(const std::string& name) {
  std::ifstream stream(name, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::vector<faults::Fault> faults(bytes.size() / sizeof(faults::Fault));
  if (!faults.empty()) std::memcpy(faults.data(), bytes.data(), faults.size() * sizeof faults[0]);
  return faults;
}

}  // namespace launch
