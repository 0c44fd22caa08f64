/* Programs on PMI and uGNI that hang: the first argument says what rank 0 waits for, which nothing
   brings. */
#include <gni_pub.h>
#include <pmi.h>
#include <stdlib.h>
#include <string.h>

static gni_nic_handle_t attach(int rank, uint32_t* address) {
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  const uint8_t tag = (uint8_t)atoi(getenv("PMI_GNI_PTAG"));
  const uint32_t cookie = (uint32_t)atoi(getenv("PMI_GNI_COOKIE"));
  GNI_CdmCreate((uint32_t)rank, tag, cookie, 0, &domain);
  GNI_CdmAttach(domain, 0, address, &nic);
  return nic;
}

static void wait_event(gni_nic_handle_t nic) {
  gni_cq_handle_t queue;
  gni_cq_entry_t event;
  GNI_CqCreate(nic, 16, 0, GNI_CQ_BLOCKING, NULL, NULL, &queue);
  GNI_CqWaitEvent(queue, (uint64_t)-1, &event);
}

static void wait_channel(gni_nic_handle_t nic) {
  gni_comp_chan_handle_t channel;
  gni_cq_handle_t queue;
  GNI_CompChanCreate(nic, &channel);
  GNI_CompChanGetEvent(channel, &queue);
}

static void wait_error(gni_nic_handle_t nic) {
  gni_err_handle_t errors;
  gni_error_event_t event;
  uint32_t count = 0;
  GNI_SubscribeErrors(nic, 0, GNI_ERRMASK_TRANSACTION, 0, &errors);
  GNI_WaitErrorEvents(errors, &event, 1, 1, &count);
}

/* To itself, from which no other one comes. */
static void wait_datagram(gni_nic_handle_t nic, uint32_t address, const char* what) {
  gni_ep_handle_t endpoint;
  gni_post_state_t state;
  uint32_t from = 0;
  uint32_t instance = 0;
  uint64_t id = 7;
  char word[8] = "hello";
  char answer[8];
  GNI_EpCreate(nic, NULL, &endpoint);
  GNI_EpBind(endpoint, address, 77);
  if (strcmp(what, "datagram") == 0) {
    GNI_EpPostData(endpoint, word, sizeof word, answer, sizeof answer);
    GNI_EpPostDataWait(endpoint, (uint32_t)-1, &state, &from, &instance);
    return;
  }
  GNI_EpPostDataWId(endpoint, word, sizeof word, answer, sizeof answer, id);
  if (strcmp(what, "datagram_by_id") == 0) {
    GNI_EpPostDataWaitById(endpoint, id, (uint32_t)-1, &state, &from, &instance);
  } else {
    GNI_PostdataProbeWaitById(nic, (uint32_t)-1, &id);
  }
}

int main(int argc, char** argv) {
  int spawned = 0;
  int rank = 0;
  uint32_t address = 0;
  const char* what = argc > 1 ? argv[1] : "";
  PMI_Init(&spawned);
  PMI_Get_rank(&rank);
  if (rank == 0) {
    gni_nic_handle_t nic = attach(rank, &address);
    if (strcmp(what, "event") == 0) {
      wait_event(nic);
    } else if (strcmp(what, "channel") == 0) {
      wait_channel(nic);
    } else if (strcmp(what, "error") == 0) {
      wait_error(nic);
    } else {
      wait_datagram(nic, address, what);
    }
  }
  PMI_Barrier();
  PMI_Finalize();
  return 0;
}
