// The wire's abstract classes: their one home for type information.
#include "ugni_emu/wire/wire.h"

namespace ugni {

WireClient::~WireClient() = default;
Wire::~Wire() = default;

}  // namespace ugni
