// GNI_PostFma of type GNI_POST_CE.
#pragma once

#include "ugni_emu/include/gni_pub.h"

namespace gni {

/// What a participant contributes to a reduction.
gni_return_t post_collective(gni_ep_handle_t ep_hndl, gni_post_descriptor_t& descriptor);

}  // namespace gni
