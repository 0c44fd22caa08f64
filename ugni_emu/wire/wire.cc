// The wire's abstract classes: their one home for type information, and what every wire has.
#include "ugni_emu/wire/wire.h"

#include "ugni_emu/wire/deferred_submit.h"

namespace ugni {

WireClient::~WireClient() = default;
Wire::Wire() : submits_(std::make_unique<DeferredSubmits>(*this)) {}
Wire::~Wire() = default;

}  // namespace ugni
