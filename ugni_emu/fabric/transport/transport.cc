// Buffers for what is to be sent.
#include "ugni_emu/fabric/transport/transport.h"

namespace ugni::fabric {

Buffer& BufferPool::take() {
  if (free_.empty()) {
    buffers_.push_back(std::make_unique<Buffer>());
    return *buffers_.back();
  }
  Buffer& buffer = *free_.back();
  free_.pop_back();
  return buffer;
}

}  // namespace ugni::fabric
