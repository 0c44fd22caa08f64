/* The public header as C programs see it: it compiles, sizes and values are the real ones. */
#include <stddef.h>

#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/include/pmi.h"

_Static_assert(sizeof(gni_mem_handle_t) == 16, "memory handle");
_Static_assert(sizeof(gni_cq_entry_t) == 8, "queue entry");
_Static_assert(GNI_VERSION == 0x005d0102, "version");
_Static_assert(GNI_GET_MINOR(GNI_VERSION) == 0x5d, "minor version");
_Static_assert(GNI_POST_RDMA_GET == 2 && GNI_POST_CQWRITE == 7, "post types");
_Static_assert(GNI_RC_ERROR_NOMEM == 13, "return codes");
_Static_assert(GNI_FMA_ATOMIC_FADD == 0x008 && GNI_FMA_ATOMIC_CSWAP == 0x00D, "atomics");
_Static_assert(GNI_FMA_ATOMIC2_FPADD_SC == 0x37C, "atomics of Aries");
_Static_assert(GNI_DLVMODE_IN_ORDER == 3, "delivery modes");
_Static_assert(offsetof(gni_smsg_attr_t, mbox_maxcredit) == 44, "mailbox attributes");
#ifndef GNI_CQ_GET_REM_INST_ID
#error "the accessor macros have to exist"
#endif

/* Called by the C++ tests, so that this file takes part. */
int header_test_c_entry(gni_cq_entry_t entry);
int header_test_c_entry(gni_cq_entry_t entry) {
  GNI_CQ_SET_INST_ID(entry, 77);
  GNI_CQ_SET_TYPE(entry, GNI_CQ_EVENT_TYPE_SMSG);
  return GNI_CQ_STATUS_OK(entry) && GNI_CQ_GET_MSG_ID(entry) == 77 &&
         GNI_CQ_GET_TYPE(entry) == GNI_CQ_EVENT_TYPE_SMSG;
}
