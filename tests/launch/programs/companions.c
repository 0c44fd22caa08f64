/* What stands beside uGNI, as its clients use it: the first argument says which. */
#include <alps/alps.h>
#include <alps/alps_toolAssist.h>
#include <alps/libalpslli.h>
#include <alps/libalpsutil.h>
#include <errno.h>
#include <gni_pub.h>
#include <hugetlbfs.h>
#include <pmi.h>
#include <rca_lib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <udreg_pub.h>
#include <unistd.h>

#ifndef __CRAYXE
#error "the wrapper says which machine this is"
#endif

static int wrong = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  ++wrong;
  printf("wrong: %s\n", what);
}
#define CHECK(condition) check(condition, #condition)

static int number_in(const char* variable) { return atoi(getenv(variable)); }

/* ---- ALPS ---- */

/* Asks for `request` as libfabric does; the answer is the caller's to free(). */
static void* answer_to(int request, size_t expected) {
  int status = 77;
  size_t bytes = 0;
  CHECK(alps_app_lli_lock() == ALPS_APP_LLI_ALPS_STAT_OK);
  CHECK(alps_app_lli_put_request(request, NULL, 0) == ALPS_APP_LLI_ALPS_STAT_OK);
  CHECK(alps_app_lli_get_response(&status, &bytes) == ALPS_APP_LLI_ALPS_STAT_OK);
  CHECK(status == ALPS_APP_LLI_ALPS_STAT_OK && bytes == expected);
  void* answer = calloc(1, bytes);
  CHECK(alps_app_lli_get_response_bytes(answer, bytes) == ALPS_APP_LLI_ALPS_STAT_OK);
  CHECK(alps_app_lli_unlock() == ALPS_APP_LLI_ALPS_STAT_OK);
  return answer;
}

static void refused_requests(void) {
  int status = 77;
  size_t bytes = 77;
  char answer[64];
  CHECK(alps_app_lli_get_response(&status, &bytes) == ALPS_APP_LLI_ALPS_STAT_ERROR);
  CHECK(errno == ENOMSG && status == ALPS_APP_LLI_ALPS_STAT_ERROR && bytes == 0);
  CHECK(alps_app_lli_get_response_bytes(answer, 1) == ALPS_APP_LLI_ALPS_STAT_ERROR);
  CHECK(errno == ENOMSG);
  CHECK(alps_app_lli_put_request(4711, NULL, 0) == ALPS_APP_LLI_ALPS_STAT_ERROR);
  CHECK(errno == EINVAL);
  CHECK(alps_app_lli_put_request(ALPS_APP_LLI_ALPS_REQ_APID, NULL, 8) != ALPS_APP_LLI_ALPS_STAT_OK);
  CHECK(alps_app_lli_put_request(ALPS_APP_LLI_ALPS_REQ_APID, NULL, 0) == ALPS_APP_LLI_ALPS_STAT_OK);
  CHECK(alps_app_lli_get_response(NULL, &bytes) == ALPS_APP_LLI_ALPS_STAT_ERROR && errno == EINVAL);
  CHECK(alps_app_lli_get_response(&status, NULL) == ALPS_APP_LLI_ALPS_STAT_ERROR);
  CHECK(alps_app_lli_get_response_bytes(NULL, 8) == ALPS_APP_LLI_ALPS_STAT_ERROR);
  CHECK(alps_app_lli_get_response_bytes(answer, 9) == ALPS_APP_LLI_ALPS_STAT_ERROR);
  CHECK(errno == EMSGSIZE);
  CHECK(alps_app_lli_get_response_bytes(answer, 8) == ALPS_APP_LLI_ALPS_STAT_OK);
  CHECK(alps_app_lli_get_response_bytes(answer, 8) == ALPS_APP_LLI_ALPS_STAT_ERROR);
}

static void placement(uint64_t apid) {
  alpsAppLayout_t layout;
  int rank = -1, size = 0, nid = -1, here = 0;
  int *nids = NULL, *target_nids, *target_pes, *target_len, *start, *total, *per_node, *cpus;
  struct in_addr* ips;
  memset(&layout, 0x55, sizeof layout);
  CHECK(alps_get_placement_info(apid, &layout, &nids, &target_nids, &target_pes, &target_len, &ips,
                                &start, &total, &per_node, &cpus) == 1);
  CHECK(PMI_Get_rank(&rank) == PMI_SUCCESS && PMI_Get_size(&size) == PMI_SUCCESS);
  CHECK(layout.apid == apid && layout.numPes == size && layout.numCmds == 1);
  CHECK(layout.cmdNumber == 0 && layout.numTargets == 0);
  int most = 0;
  for (int i = 0; i < size; ++i) {
    CHECK(PMI_Get_nid(i, &nid) == PMI_SUCCESS && nids[i] == nid);
    int beside = 0;
    for (int other = 0; other < size; ++other) beside += nids[other] == nid;
    if (beside > most) most = beside;
  }
  CHECK(layout.controlNid == nids[rank]);
  CHECK(PMI_Get_clique_size(&here) == PMI_SUCCESS && layout.numPesHere == here);
  CHECK(nids[layout.firstPe] == nids[rank]);
  CHECK(layout.firstPe == 0 || nids[layout.firstPe - 1] != nids[rank]);
  CHECK(layout.peDepth == number_in("ALPS_APP_DEPTH"));
  CHECK(start[0] == 0 && total[0] == size && per_node[0] == most && cpus[0] == layout.peDepth);
  CHECK(target_nids == NULL && target_pes == NULL && target_len == NULL && ips == NULL);
  free(nids);
  free(start);
  free(total);
  free(per_node);
  free(cpus);
  CHECK(alps_get_placement_info(apid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
        1);
  CHECK(alps_get_placement_info(apid + 1, &layout, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                NULL) == -1);
  CHECK(errno == ESRCH);
}

static void use_alps(void) {
  refused_requests();
  uint64_t* apid = answer_to(ALPS_APP_LLI_ALPS_REQ_APID, sizeof(uint64_t));
  CHECK(*apid == strtoull(getenv("ALPS_APP_ID"), NULL, 10));
  alpsAppLLIGni_t* list = answer_to(ALPS_APP_LLI_ALPS_REQ_GNI, sizeof(alpsAppLLIGni_t));
  const alpsAppGni_t* rights = (alpsAppGni_t*)list->u.buf;
  CHECK(list->count == 1);
  CHECK(rights[0].ptag == number_in("PMI_GNI_PTAG"));
  CHECK((int)rights[0].cookie == number_in("PMI_GNI_COOKIE"));
  CHECK(rights[0].device_id == number_in("PMI_GNI_DEV_ID"));
  CHECK(rights[0].local_addr == number_in("PMI_GNI_LOC_ADDR"));
  placement(*apid);
  free(list);
  free(apid);
}

/* ---- RCA ---- */

static void use_rca(void) {
  rs_node_t node;
  CHECK(rca_get_nodeid(NULL) == -1);
  CHECK(rca_get_nodeid(&node) == 0);
  const int nid = (int)node.rs_node_s._node_id;
  CHECK(nid == number_in("PMI_GNI_LOC_ADDR"));
  CHECK(node.rs_node_s._node_state == RS_CS_READY);
  rca_mesh_coord_t greatest, own, other;
  CHECK(rca_get_max_dimension(NULL) == -1 && rca_get_max_dimension(&greatest) == 0);
  CHECK(rca_get_meshcoord((uint16_t)nid, NULL) == -1);
  CHECK(rca_get_meshcoord((uint16_t)nid, &own) == 0);
  rs_node_array_t all;
  CHECK(rca_get_sysnodes(NULL) == -1 && rca_get_sysnodes(&all) == 0);
  int is_torus = -1;
  CHECK(castor_rca_is_torus(NULL) == -1 && castor_rca_is_torus(&is_torus) == 0);
  CHECK(is_torus == 0 || is_torus == 1);
  const int nodes = is_torus ? 2 : 4; /* of a router */
  const int places = nodes * (greatest.mesh_x + 1) * (greatest.mesh_y + 1) * (greatest.mesh_z + 1);
  CHECK(is_torus ? all.na_len == places : all.na_len <= places);
  CHECK(rca_get_meshcoord((uint16_t)all.na_len, &other) == -1);
  /* The nodes of a router, and no more, have equal coordinates. */
  int beside = 0;
  for (int i = 0; i < all.na_len; ++i) {
    if ((int)all.na_ids[i].rs_node_s._node_id != i) CHECK(!"nodes by nid");
    if (rca_get_meshcoord((uint16_t)i, &other) != 0) CHECK(!"coordinates of every node");
    if (other.mesh_x > greatest.mesh_x || other.mesh_y > greatest.mesh_y ||
        other.mesh_z > greatest.mesh_z) {
      CHECK(!"coordinates in the torus");
    }
    beside += memcmp(&other, &own, sizeof own) == 0;
  }
  CHECK(beside == nodes);
  CHECK(all.na_ids[nid].rs_node_flat == node.rs_node_flat);
  printf("nid %d at %u,%u,%u of %u,%u,%u in c%u-%uc%us%un%u g%u\n", nid, own.mesh_x, own.mesh_y,
         own.mesh_z, greatest.mesh_x, greatest.mesh_y, greatest.mesh_z,
         (unsigned)node.rs_node_s._node_x, (unsigned)node.rs_node_s._node_row,
         (unsigned)node.rs_node_s._node_cage, (unsigned)node.rs_node_s._node_slot,
         (unsigned)node.rs_node_s._node_modcomp, (unsigned)node.rs_node_s._node_link);
  free(all.na_ids);
}

/* ---- UDREG, over real registrations ---- */

enum { page = 4096, blocks = 6 };
static int registered = 0, deregistered = 0, destroyed = 0;
static int room = 1000; /* of the device: registrations at a time */
static void* refused;   /* what the device does not register */
static gni_nic_handle_t nic;

static void* register_memory(void* address, uint64_t length, void* context) {
  if (context != &registered || registered - deregistered >= room) return NULL;
  if (address == refused) return UDREG_DEVICE_REG_FAILED;
  gni_mem_handle_t* memory = malloc(sizeof *memory);
  if (GNI_MemRegister(nic, (uint64_t)address, length, NULL, GNI_MEM_READWRITE, -1, memory) !=
      GNI_RC_SUCCESS) {
    free(memory);
    return NULL;
  }
  ++registered;
  return memory;
}

static uint32_t deregister_memory(void* data, void* context) {
  const int right = context == &deregistered && GNI_MemDeregister(nic, data) == GNI_RC_SUCCESS;
  CHECK(right);
  ++deregistered;
  free(data);
  return right ? 0 : 1;
}

static void count_end(void* context) { ++*(int*)context; }

static udreg_cache_attr_t attributes(const char* name, uint32_t entries, uint32_t modes) {
  udreg_cache_attr_t given;
  memset(&given, 0, sizeof given);
  strncpy(given.cache_name, name, UDREG_MAX_CACHENAME_LEN);
  given.max_entries = entries;
  given.modes = modes;
  given.reg_context = &registered;
  given.dreg_context = &deregistered;
  given.destructor_context = &destroyed;
  given.device_reg_func = register_memory;
  given.device_dereg_func = deregister_memory;
  given.destructor_callback = count_end;
  return given;
}

static uint64_t statistic(udreg_cache_handle_t cache, udreg_cache_stat_t which) {
  uint64_t value = 0;
  CHECK(UDREG_GetStat(cache, which, &value) == UDREG_RC_SUCCESS);
  return value;
}

static void refused_caches(void) {
  char name[] = "refused", other[] = "none";
  udreg_cache_handle_t cache = NULL;
  udreg_cache_attr_t given = attributes(name, 4, 0);
  CHECK(UDREG_CacheCreate(NULL) == UDREG_RC_INVALID_PARAM);
  given.cache_name[0] = '\0';
  CHECK(UDREG_CacheCreate(&given) == UDREG_RC_INVALID_PARAM);
  given = attributes(name, 0, 0);
  CHECK(UDREG_CacheCreate(&given) == UDREG_RC_INVALID_PARAM);
  given = attributes(name, 4, 0);
  given.device_reg_func = NULL;
  CHECK(UDREG_CacheCreate(&given) == UDREG_RC_INVALID_PARAM);
  given = attributes(name, 4, 0);
  given.device_dereg_func = NULL;
  CHECK(UDREG_CacheCreate(&given) == UDREG_RC_INVALID_PARAM);
  given = attributes(name, 4, 0);
  CHECK(UDREG_CacheCreate(&given) == UDREG_RC_SUCCESS);
  CHECK(UDREG_CacheCreate(&given) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_CacheAccess(other, &cache) == UDREG_RC_NO_MATCH);
  CHECK(UDREG_CacheAccess(NULL, &cache) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_CacheAccess(name, NULL) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_CacheAccess(name, &cache) == UDREG_RC_SUCCESS);
  udreg_entry_t* entry = NULL;
  uint64_t value = 0;
  CHECK(UDREG_Register(NULL, name, 1, &entry) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_Register(cache, NULL, 1, &entry) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_Register(cache, name, 0, &entry) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_Register(cache, name, ~(uint64_t)0, &entry) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_Register(cache, name, 1, NULL) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_Unregister(cache, NULL) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_Unregister(NULL, entry) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_Evict(cache) == UDREG_RC_NO_MATCH);
  CHECK(UDREG_Evict(NULL) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_GetStat(cache, UDREG_STAT_CACHE_HIT, NULL) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_GetStat(cache, (udreg_cache_stat_t)9, &value) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_CacheDestroy(cache) == UDREG_RC_INVALID_PARAM); /* accessed */
  CHECK(UDREG_CacheRelease(cache) == UDREG_RC_SUCCESS);
  CHECK(UDREG_CacheRelease(cache) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_CacheRelease(NULL) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_CacheDestroy(cache) == UDREG_RC_SUCCESS);
  CHECK(UDREG_CacheDestroy(cache) == UDREG_RC_INVALID_PARAM);
  CHECK(destroyed == 1);
}

static udreg_cache_handle_t open_cache(char* name, uint32_t entries, uint32_t modes) {
  udreg_cache_attr_t given = attributes(name, entries, modes);
  udreg_cache_handle_t cache = NULL;
  CHECK(UDREG_CacheCreate(&given) == UDREG_RC_SUCCESS);
  CHECK(UDREG_CacheAccess(name, &cache) == UDREG_RC_SUCCESS);
  registered = deregistered = 0;
  return cache;
}

static void close_cache(udreg_cache_handle_t cache) {
  CHECK(UDREG_CacheRelease(cache) == UDREG_RC_SUCCESS);
  CHECK(UDREG_CacheDestroy(cache) == UDREG_RC_SUCCESS);
  CHECK(registered == deregistered);
}

/* Without lazy deregistration an entry lives as long as its uses. */
static void eager_cache(char* memory) {
  char name[] = "eager";
  udreg_cache_handle_t cache = open_cache(name, 2, UDREG_CC_MODE_USE_LARGE_PAGES);
  udreg_entry_t *whole, *part, *other, *none;
  CHECK(UDREG_Register(cache, memory + 100, 2 * page, &whole) == UDREG_RC_SUCCESS);
  CHECK(whole->address == (uint64_t)memory && whole->length == 3 * page);
  CHECK(UDREG_Register(cache, memory + page + 7, 10, &part) == UDREG_RC_SUCCESS);
  CHECK(part == whole && whole->ref_count == 2 && registered == 1);
  CHECK(UDREG_Register(cache, memory + 2 * page, 2 * page, &other) == UDREG_RC_SUCCESS);
  CHECK(other != whole && registered == 2);
  CHECK(UDREG_Register(cache, memory + 5 * page, 1, &none) == UDREG_RC_NO_SPACE);
  CHECK(UDREG_Unregister(cache, part) == UDREG_RC_SUCCESS && deregistered == 0);
  CHECK(UDREG_DecrRefcount(cache, whole) == UDREG_RC_SUCCESS && deregistered == 1);
  CHECK(UDREG_Unregister(cache, whole) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_Register(cache, memory + 5 * page, 1, &none) == UDREG_RC_SUCCESS);
  CHECK(statistic(cache, UDREG_STAT_CACHE_HIT) == 1);
  CHECK(statistic(cache, UDREG_STAT_CACHE_MISS) == 4);
  CHECK(statistic(cache, UDREG_STAT_CACHE_EVICTED) == 0);
  close_cache(cache); /* with entries in use */
}

/* With it, what is unused stays until its place is wanted, the longest unused first. */
static void lazy_cache(char* memory) {
  char name[] = "lazy";
  const uint32_t modes = UDREG_CC_MODE_USE_LAZY_DEREG | UDREG_CC_MODE_USE_KERNEL_CACHE;
  udreg_cache_handle_t cache = open_cache(name, 3, modes);
  udreg_entry_t *entry[blocks], *again;
  for (int i = 0; i < 3; ++i) {
    CHECK(UDREG_Register(cache, memory + i * page, page, &entry[i]) == UDREG_RC_SUCCESS);
  }
  for (int i = 2; i >= 0; --i) CHECK(UDREG_Unregister(cache, entry[i]) == UDREG_RC_SUCCESS);
  CHECK(registered == 3 && deregistered == 0);
  CHECK(UDREG_Register(cache, memory + 2 * page, page, &again) == UDREG_RC_SUCCESS);
  CHECK(again == entry[2] && again->ref_count == 1 && registered == 3);
  /* Block 1 is now unused for longest. */
  CHECK(UDREG_Register(cache, memory + 3 * page, page, &entry[3]) == UDREG_RC_SUCCESS);
  CHECK(deregistered == 1);
  CHECK(UDREG_Register(cache, memory, page, &again) == UDREG_RC_SUCCESS);
  CHECK(again == entry[0] && registered == 4);
  CHECK(UDREG_Evict(cache) == UDREG_RC_NO_MATCH);
  CHECK(UDREG_Register(cache, memory + 4 * page, page, &entry[4]) == UDREG_RC_NO_SPACE);
  CHECK(UDREG_Unregister(cache, entry[3]) == UDREG_RC_SUCCESS);
  CHECK(UDREG_Evict(cache) == UDREG_RC_SUCCESS && deregistered == 2);
  CHECK(statistic(cache, UDREG_STAT_CACHE_EVICTED) == 2);
  close_cache(cache);
}

/* The device has less room than the cache has entries. */
static void full_device(char* memory) {
  char name[] = "device";
  udreg_cache_handle_t cache = open_cache(name, 100, UDREG_CC_MODE_USE_LAZY_DEREG);
  udreg_entry_t* entry[blocks];
  room = 2;
  for (int i = 0; i < blocks; ++i) {
    CHECK(UDREG_Register(cache, memory + i * page, page, &entry[i]) == UDREG_RC_SUCCESS);
    CHECK(UDREG_Unregister(cache, entry[i]) == UDREG_RC_SUCCESS);
  }
  CHECK(registered == blocks && deregistered == blocks - 2);
  for (int i = 0; i < 2; ++i) {
    CHECK(UDREG_Register(cache, memory + i * page, page, &entry[i]) == UDREG_RC_SUCCESS);
  }
  CHECK(UDREG_Register(cache, memory + 2 * page, page, &entry[2]) == UDREG_RC_NO_SPACE);
  room = 1000;
  close_cache(cache);
}

/* For memory that cannot be registered no other has to go. */
static void refusing_device(char* memory) {
  char name[] = "refusing";
  udreg_cache_handle_t cache = open_cache(name, 2, UDREG_CC_MODE_USE_LAZY_DEREG);
  udreg_entry_t *unused, *entry = NULL;
  CHECK(UDREG_Register(cache, memory, page, &unused) == UDREG_RC_SUCCESS);
  CHECK(UDREG_Unregister(cache, unused) == UDREG_RC_SUCCESS);
  refused = memory + page;
  CHECK(UDREG_Register(cache, memory + page, page, &entry) == UDREG_RC_INVALID_PARAM);
  CHECK(entry == NULL && registered == 1 && deregistered == 0);
  refused = NULL;
  CHECK(UDREG_Register(cache, memory + page, page, &entry) == UDREG_RC_SUCCESS);
  CHECK(statistic(cache, UDREG_STAT_CACHE_MISS) == 3);
  CHECK(UDREG_ResetStat(cache, UDREG_STAT_CACHE_MISS) == UDREG_RC_SUCCESS);
  CHECK(statistic(cache, UDREG_STAT_CACHE_MISS) == 0);
  CHECK(UDREG_Register(cache, memory, page, &unused) == UDREG_RC_SUCCESS);
  CHECK(statistic(cache, UDREG_STAT_CACHE_HIT) == 1);
  CHECK(UDREG_ResetStat(cache, UDREG_STAT_CACHE_EVICTED) == UDREG_RC_SUCCESS);
  CHECK(statistic(cache, UDREG_STAT_CACHE_HIT) == 1);
  CHECK(UDREG_ResetStat(cache, (udreg_cache_stat_t)9) == UDREG_RC_INVALID_PARAM);
  CHECK(UDREG_ResetStat(NULL, UDREG_STAT_CACHE_HIT) == UDREG_RC_INVALID_PARAM);
  close_cache(cache);
}

/* Unregister makes room at once. */
static void evicting_cache(char* memory) {
  char name[] = "evicting";
  const uint32_t modes = UDREG_CC_MODE_USE_LAZY_DEREG | UDREG_CC_MODE_USE_EVICT_W_UNREG;
  udreg_cache_handle_t cache = open_cache(name, 2, modes);
  udreg_entry_t* entry[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(UDREG_Register(cache, memory + i * page, page, &entry[i]) == UDREG_RC_SUCCESS);
  }
  CHECK(UDREG_Unregister(cache, entry[0]) == UDREG_RC_SUCCESS && deregistered == 1);
  CHECK(UDREG_Unregister(cache, entry[1]) == UDREG_RC_SUCCESS && deregistered == 1);
  close_cache(cache);
}

/* A PUT to itself through handles from the cache. */
static void put_by_cache(gni_ep_handle_t end, gni_cq_handle_t queue, char* memory) {
  char name[] = "put";
  udreg_cache_handle_t cache = open_cache(name, 4, UDREG_CC_MODE_USE_LAZY_DEREG);
  udreg_entry_t *from, *to;
  CHECK(UDREG_Register(cache, memory, page, &from) == UDREG_RC_SUCCESS);
  CHECK(UDREG_Register(cache, memory + 3 * page, page, &to) == UDREG_RC_SUCCESS);
  for (int i = 0; i < page; ++i) memory[i] = (char)(i * 7 + i / 256);
  gni_post_descriptor_t put;
  memset(&put, 0, sizeof put);
  put.type = GNI_POST_RDMA_PUT;
  put.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  put.local_addr = (uint64_t)memory;
  put.local_mem_hndl = *(gni_mem_handle_t*)from->device_data;
  put.remote_addr = (uint64_t)(memory + 3 * page);
  put.remote_mem_hndl = *(gni_mem_handle_t*)to->device_data;
  put.length = page;
  CHECK(GNI_PostRdma(end, &put) == GNI_RC_SUCCESS);
  gni_cq_entry_t event;
  gni_post_descriptor_t* done = NULL;
  while (GNI_CqGetEvent(queue, &event) == GNI_RC_NOT_DONE) continue;
  CHECK(GNI_GetCompleted(queue, event, &done) == GNI_RC_SUCCESS && done == &put);
  CHECK(memcmp(memory, memory + 3 * page, page) == 0);
  close_cache(cache);
}

static void use_udreg(void) {
  uint32_t address = 0;
  gni_cdm_handle_t domain;
  gni_cq_handle_t queue;
  gni_ep_handle_t end;
  int rank = 0;
  CHECK(PMI_Get_rank(&rank) == PMI_SUCCESS);
  CHECK(GNI_CdmCreate((uint32_t)rank, (uint8_t)number_in("PMI_GNI_PTAG"),
                      (uint32_t)number_in("PMI_GNI_COOKIE"), 0, &domain) == GNI_RC_SUCCESS);
  CHECK(GNI_CdmAttach(domain, 0, &address, &nic) == GNI_RC_SUCCESS);
  CHECK(GNI_CqCreate(nic, 8, 0, GNI_CQ_NOBLOCK, NULL, NULL, &queue) == GNI_RC_SUCCESS);
  CHECK(GNI_EpCreate(nic, queue, &end) == GNI_RC_SUCCESS);
  CHECK(GNI_EpBind(end, address, (uint32_t)rank) == GNI_RC_SUCCESS);
  void* memory = NULL;
  CHECK(posix_memalign(&memory, page, blocks * page) == 0);
  memset(memory, 0, blocks * page);
  refused_caches();
  eager_cache(memory);
  lazy_cache(memory);
  full_device(memory);
  refusing_device(memory);
  evicting_cache(memory);
  put_by_cache(end, queue, memory);
  CHECK(GNI_CdmDestroy(domain) == GNI_RC_SUCCESS);
  free(memory);
}

/* ---- huge pages ---- */

/* Debian's library, unmodified; each rank has it to itself, with or without free huge pages. */
static void use_hugetlbfs(void) {
  long sizes[16];
  int spawned = 0, rank = -1;
  CHECK(PMI_Init(&spawned) == PMI_SUCCESS && PMI_Get_rank(&rank) == PMI_SUCCESS);
  const int count = gethugepagesizes(NULL, 0);
  CHECK(count >= 0 && count < 15 && getpagesizes(sizes, 16) == count + 1);
  CHECK(sizes[0] == sysconf(_SC_PAGESIZE));
  char* const region = get_hugepage_region(5000, GHR_DEFAULT);
  CHECK(region != NULL);
  memset(region, rank + 1, 5000);
  CHECK(PMI_Barrier() == PMI_SUCCESS);
  for (int at = 0; at < 5000; ++at) CHECK(region[at] == rank + 1);
  free_hugepage_region(region);
  CHECK(PMI_Finalize() == PMI_SUCCESS);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "alps") == 0) use_alps();
  if (strcmp(what, "rca") == 0) use_rca();
  if (strcmp(what, "udreg") == 0) use_udreg();
  if (strcmp(what, "hugetlbfs") == 0) use_hugetlbfs();
  printf("%d wrong\n", wrong);
  return wrong;
}
