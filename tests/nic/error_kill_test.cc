// Transaction errors: GNI_CDM_MODE_ERR_NO_KILL leaves them to the queue, without it they kill.
#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

struct Outcome {
  gni_return_t result = GNI_RC_SUCCESS;  ///< of the call that met the error, if it returned
  bool returned = false;
  int abort_code = 0;
  std::string abort_reason;
};

/// A put with a handle that the target has given back, then `take` from the queue.
Outcome failed_put(std::uint32_t modes,
                   const std::function<gni_return_t(Side&, gni_cq_entry_t*)>& take) {
  TestMachine machine(1);
  Outcome outcome;
  machine.start(0, [&] {
    Side side(1, modes, GNI_CQ_BLOCKING);
    Side peer(2);
    side.bind(peer);
    gni_post_descriptor_t put = side.descriptor(GNI_POST_FMA_PUT, peer, 8);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(peer.nic, &peer.handle));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
    sleep_us(100);
    gni_cq_entry_t event = 0;
    outcome.result = take(side, &event);
    outcome.returned = true;
  });
  const bool left = !machine.run_to_end();
  EXPECT_EQ(left, !outcome.returned);
  outcome.abort_code = machine.job.abort_code;
  outcome.abort_reason = machine.job.abort_reason;
  return outcome;
}

gni_return_t poll(Side& side, gni_cq_entry_t* event) { return GNI_CqGetEvent(side.tx, event); }

gni_return_t wait(Side& side, gni_cq_entry_t* event) {
  return GNI_CqWaitEvent(side.tx, 1000, event);
}

gni_return_t wait_vector(Side& side, gni_cq_entry_t* event) {
  std::uint32_t which = 0;
  return GNI_CqVectorWaitEvent(&side.tx, 1, 1000, event, &which);
}

TEST(ErrorKill, NotAskedForTheJobEnds) {
  for (const auto& take : {poll, wait, wait_vector}) {
    const Outcome outcome = failed_put(GNI_CDM_MODE_ERR_ALL_KILL, take);
    EXPECT_FALSE(outcome.returned);
    EXPECT_EQ(outcome.abort_code, 137);
    EXPECT_NE(outcome.abort_reason.find("names no registered region"), std::string::npos)
        << outcome.abort_reason;
  }
}

TEST(ErrorKill, NoKillLeavesItToTheQueue) {
  for (const auto& take : {poll, wait, wait_vector}) {
    const Outcome outcome = failed_put(GNI_CDM_MODE_ERR_NO_KILL, take);
    EXPECT_TRUE(outcome.returned);
    EXPECT_EQ(outcome.result, GNI_RC_TRANSACTION_ERROR);
    EXPECT_EQ(outcome.abort_reason, "");
  }
}

TEST(ErrorKill, TheDefaultIsToKill) {
  TestMachine machine(1);
  machine.start(0, [&] {
    gni_cdm_handle_t cdm = nullptr;
    gni_nic_handle_t nic = nullptr;
    gni_cq_handle_t queue = nullptr;
    gni_ep_handle_t endpoint = nullptr;
    std::uint32_t address = 0;
    std::uint64_t word = 0;
    gni_mem_handle_t handle = {};
    GNI_CdmCreate(1, 42, 7, 0, &cdm);
    GNI_CdmAttach(cdm, 0, &address, &nic);
    GNI_CqCreate(nic, 16, 0, GNI_CQ_NOBLOCK, nullptr, nullptr, &queue);
    GNI_EpCreate(nic, queue, &endpoint);
    GNI_EpBind(endpoint, address + 1, 1);  // no NIC is there
    GNI_MemRegister(nic, reinterpret_cast<std::uint64_t>(&word), sizeof word, nullptr,
                    GNI_MEM_READWRITE, static_cast<std::uint32_t>(-1), &handle);
    gni_post_descriptor_t put = {};
    put.type = GNI_POST_FMA_PUT;
    put.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
    put.local_addr = put.remote_addr = reinterpret_cast<std::uint64_t>(&word);
    put.local_mem_hndl = put.remote_mem_hndl = handle;
    put.length = sizeof word;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(endpoint, &put));
    sleep_us(100);
    gni_cq_entry_t event = 0;
    GNI_CqGetEvent(queue, &event);
    ADD_FAILURE() << "came back";
  });
  EXPECT_FALSE(machine.run_to_end());
  EXPECT_EQ(machine.job.abort_code, 137);
}

}  // namespace
}  // namespace nic_test
