// The rank that calls a GNI function: its table of live objects.
#include "ugni_emu/gni/gni_caller.h"

namespace gni {

Objects& Caller::objects() {
  if (objects_ == nullptr) {
    auto table = std::make_unique<Objects>();
    objects_ = table.get();
    process_->set_state(corespec::Process::Slot::gni, std::move(table));
  }
  return *objects_;
}

}  // namespace gni
