// One rank's uGNI link to its partner: domain, queues, endpoint and one registered buffer each.
//
// MPI calls only start the job and exchange addresses and handles; what is measured is uGNI.
#pragma once

#include <gni_pub.h>
#include <mpi.h>
#include <stdint.h>

#include "benchmarks/common/program.h"

/// What the partner needs to know to reach this rank's memory.
typedef struct {
  uint32_t nic_address, instance;
  uint64_t base;
  gni_mem_handle_t memory;
} ugni_address;

/// A link; `local` gets events of this rank's own posts, `remote` those of data that arrives.
typedef struct {
  const char* program;
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t local, remote;
  gni_ep_handle_t endpoint;
  unsigned char* buffer;
  gni_mem_handle_t memory;
  ugni_address peer;
} ugni_link;

/// Ends the job with one line unless `code` is success.
static inline void ugni_check(const char* program, const char* call, gni_return_t code) {
  if (code == GNI_RC_SUCCESS) return;
  fprintf(stderr, "%s: %s: %s\n", program, call, gni_err_str[code]);
  MPI_Abort(MPI_COMM_WORLD, exit_failed);
}

/// A number that the launcher left in the environment (first item of a colon-separated list), as
/// on the real machine; `fallback` where there is none.
static inline uint32_t launcher_number(const char* name, uint32_t fallback) {
  const char* text = getenv(name);
  if (text == NULL || !isdigit((unsigned char)text[0])) return fallback;
  return (uint32_t)strtoul(text, NULL, 10);
}

/// A communication domain beside the MPI library's own, under the job's tag and cookie.
static inline void ugni_open_domain(ugni_link* link, uint32_t instance, uint32_t* nic_address) {
  const uint32_t cookie =
      launcher_number("PMI_GNI_COOKIE", GNI_JOB_CREATE_COOKIE(GNI_PKEY_USER_START + 1, 0));
  const uint8_t ptag = (uint8_t)launcher_number("PMI_GNI_PTAG", GNI_FIND_ALLOC_PTAG);
  const uint32_t device = launcher_number("PMI_GNI_DEV_ID", 0);
  ugni_check(link->program, "GNI_CdmCreate",
             GNI_CdmCreate(instance, ptag, cookie, GNI_CDM_MODE_ERR_NO_KILL, &link->domain));
  ugni_check(link->program, "GNI_CdmAttach",
             GNI_CdmAttach(link->domain, device, nic_address, &link->nic));
}

/// Opens a link from the calling rank to `partner` with `bytes` of registered memory and queues
/// of `entries`; `remote_mode` is the arrival queue's (polling or blocking). Collective.
static inline void ugni_open(ugni_link* link, const char* program, int partner, long bytes,
                             uint32_t entries, gni_cq_mode_t remote_mode) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(link, 0, sizeof *link);
  link->program = program;
  ugni_address self;
  memset(&self, 0, sizeof self);
  self.instance = 0x100000u + (uint32_t)rank;  // MPI libraries use the rank itself
  ugni_open_domain(link, self.instance, &self.nic_address);
  ugni_check(program, "GNI_CqCreate",
             GNI_CqCreate(link->nic, entries, 0, GNI_CQ_NOBLOCK, NULL, NULL, &link->local));
  ugni_check(program, "GNI_CqCreate",
             GNI_CqCreate(link->nic, entries, 0, remote_mode, NULL, NULL, &link->remote));
  link->buffer = make_buffer(program, bytes);
  ugni_check(program, "GNI_MemRegister",
             GNI_MemRegister(link->nic, (uint64_t)(uintptr_t)link->buffer, (uint64_t)bytes,
                             link->remote, GNI_MEM_READWRITE, (uint32_t)-1, &link->memory));
  self.base = (uint64_t)(uintptr_t)link->buffer;
  self.memory = link->memory;
  MPI_Sendrecv(&self, (int)sizeof self, MPI_BYTE, partner, 0, &link->peer, (int)sizeof link->peer,
               MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ugni_check(program, "GNI_EpCreate", GNI_EpCreate(link->nic, link->local, &link->endpoint));
  ugni_check(program, "GNI_EpBind",
             GNI_EpBind(link->endpoint, link->peer.nic_address, link->peer.instance));
}

/// Closes the link; nothing may be outstanding on either side. Collective.
static inline void ugni_close(ugni_link* link) {
  MPI_Barrier(MPI_COMM_WORLD);
  ugni_check(link->program, "GNI_EpUnbind", GNI_EpUnbind(link->endpoint));
  ugni_check(link->program, "GNI_EpDestroy", GNI_EpDestroy(link->endpoint));
  ugni_check(link->program, "GNI_MemDeregister", GNI_MemDeregister(link->nic, &link->memory));
  ugni_check(link->program, "GNI_CqDestroy", GNI_CqDestroy(link->remote));
  ugni_check(link->program, "GNI_CqDestroy", GNI_CqDestroy(link->local));
  ugni_check(link->program, "GNI_CdmDestroy", GNI_CdmDestroy(link->domain));
  free(link->buffer);
}

/// Takes one finished descriptor from the queue of own posts; NULL if none has finished.
static inline gni_post_descriptor_t* ugni_completed(ugni_link* link) {
  gni_cq_entry_t event = 0;
  const gni_return_t code = GNI_CqGetEvent(link->local, &event);
  if (code == GNI_RC_NOT_DONE) return NULL;
  ugni_check(link->program, "GNI_CqGetEvent", code);
  gni_post_descriptor_t* done = NULL;
  ugni_check(link->program, "GNI_GetCompleted", GNI_GetCompleted(link->local, event, &done));
  return done;
}
