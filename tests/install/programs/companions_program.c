/* A program on what stands beside uGNI, as its users build it: prints "right". */
#include <alps/libalpslli.h>
#include <alps/libalpsutil.h>
#include <castor_interconnect.h>
#include <gni_pub.h>
#include <gpcd_lib.h>
#include <pmi2.h>
#include <rca_lib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <udreg_pub.h>

#ifndef __CRAYXE
#error "wrappers and cray-ugni say which machine this is"
#endif

/* The context counts. */
static void* register_memory(void* address, uint64_t length, void* context) {
  (void)address;
  (void)length;
  ++*(int*)context;
  return context;
}

static uint32_t deregister_memory(void* data, void* context) {
  --*(int*)context;
  return data != context;
}

static int cache_works(void) {
  int registrations = 0;
  char* memory = (char*)malloc(10000);
  char name[] = "cache";
  udreg_cache_attr_t attributes;
  udreg_cache_handle_t cache;
  udreg_entry_t *entry, *again;
  memset(&attributes, 0, sizeof attributes);
  strcpy(attributes.cache_name, name);
  attributes.max_entries = 8;
  attributes.reg_context = attributes.dreg_context = &registrations;
  attributes.device_reg_func = register_memory;
  attributes.device_dereg_func = deregister_memory;
  int right = UDREG_CacheCreate(&attributes) == UDREG_RC_SUCCESS &&
              UDREG_CacheAccess(name, &cache) == UDREG_RC_SUCCESS &&
              UDREG_Register(cache, memory, 10000, &entry) == UDREG_RC_SUCCESS &&
              UDREG_Register(cache, memory + 1, 5, &again) == UDREG_RC_SUCCESS && entry == again &&
              registrations == 1 && UDREG_CacheRelease(cache) == UDREG_RC_SUCCESS &&
              UDREG_CacheDestroy(cache) == UDREG_RC_SUCCESS && registrations == 0;
  free(memory);
  return right;
}

static int registers_have_names(void) {
  gpcd_context_t* context = gpcd_create_context();
  int right = gpcd_context_add_mmr(
                  context, gpcd_lookup_mmr_byname("GM_5_7_TILE_PERFORMANCE_COUNTERS_5")) == 0 &&
              gpcd_context_add_mmr(context, gpcd_lookup_mmr_byname("no such register")) == -1;
  right = right && context->count == 1 && castor_interconnect_direction_name(6) == NULL &&
          strcmp(castor_interconnect_direction_name(CASTOR_INTERCONNECT_Z_MINUS), "Z-") == 0;
  return gpcd_remove_context(context) == 0 && right;
}

int main(void) {
  uint64_t apid = 0;
  size_t bytes = 0;
  int status = -1, rank = -1, devices = 0;
  int* nids = NULL;
  rs_node_t node;
  int right = GNI_GetNumLocalDevices(&devices) == GNI_RC_SUCCESS && devices == 1;
  right = right && PMI2_Init(NULL, NULL, &rank, NULL) == PMI2_SUCCESS;
  right = right && alps_app_lli_put_request(ALPS_APP_LLI_ALPS_REQ_APID, NULL, 0) == 0 &&
          alps_app_lli_get_response(&status, &bytes) == 0 && bytes == sizeof apid &&
          alps_app_lli_get_response_bytes(&apid, bytes) == 0;
  right = right && alps_get_placement_info(apid, NULL, &nids, NULL, NULL, NULL, NULL, NULL, NULL,
                                           NULL, NULL) == 1;
  right = right && rca_get_nodeid(&node) == 0 && (int)node.rs_node_s._node_id == nids[rank];
  right = right && cache_works() && registers_have_names() && PMI2_KVS_Fence() == PMI2_SUCCESS;
  if (!right || rank == 0) printf(right ? "right\n" : "wrong\n");
  free(nids);
  PMI2_Finalize();
  return !right;
}
