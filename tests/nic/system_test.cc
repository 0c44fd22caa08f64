// What the system does with jobs and nodes; functions that are declared and not there.
#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

TEST(SystemQueries, TranslationAndInjection) {
  run_rank([] {
    std::uint32_t granularity = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetNttGran(0, &granularity));
    EXPECT_EQ(1U, granularity);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetNttGran(7, &granularity));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetNttGran(0, nullptr));
    gni_bi_desc_t injection{};
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetBIConfig(0, &injection));
    EXPECT_EQ(100U, injection.current_bw);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetBIConfig(7, &injection));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetBIConfig(0, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_BISyncWait(0, 10));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_BISyncWait(7, 10));
  });
}

/// What is refused is said once for each function.
TEST(SystemQueries, WhatIsNotAvailableSaysSoOnce) {
  run_rank([] {
    gni_job_limits_t limits{};
    gni_ntt_descriptor_t table{};
    std::uint32_t base = 0;
    testing::internal::CaptureStderr();
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(GNI_RC_PERMISSION_ERROR, GNI_ConfigureJob(0, 1, 42, 7, &limits));
      EXPECT_EQ(GNI_RC_PERMISSION_ERROR, GNI_ConfigureJob(0, 1, 42, 7, nullptr));
      EXPECT_EQ(GNI_RC_PERMISSION_ERROR, GNI_ConfigureNTT(0, &table, &base));
      EXPECT_EQ(GNI_RC_PERMISSION_ERROR,
                GNI_ConfigureNTTandJob(0, 1, 42, 7, &limits, &table, &base));
      EXPECT_EQ(GNI_RC_PERMISSION_ERROR, GNI_SuspendJob(0, 1, 42, 7, 10));
      EXPECT_EQ(GNI_RC_PERMISSION_ERROR, GNI_ResumeJob(0, 1, 42, 7));
      EXPECT_EQ(GNI_RC_PERMISSION_ERROR, GNI_SetBIConfig(0, 50, 50, 0));
    }
    const std::string said = testing::internal::GetCapturedStderr();
    for (const char* name : {"GNI_ConfigureJob ", "GNI_ConfigureNTT ", "GNI_ConfigureNTTandJob ",
                             "GNI_SuspendJob ", "GNI_ResumeJob ", "GNI_SetBIConfig "}) {
      const std::string line = std::string("castor: ") + name + "is not available: ";
      const std::size_t at = said.find(line);
      EXPECT_NE(std::string::npos, at) << said;
      EXPECT_EQ(std::string::npos, said.find(line, at + 1)) << said;
    }
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_ConfigureJob(5, 1, 42, 7, &limits));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_ConfigureJob(0, 1, 0, 7, &limits));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_ConfigureNTT(5, &table, &base));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SuspendJob(0, 1, 0, 7, 10));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_ResumeJob(5, 1, 42, 7));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SetBIConfig(0, 101, 50, 0));
  });
}

TEST(SystemQueries, AGeminiHasNoCollectiveEngine) {
  run_rank([] {
    Side side(1);
    gni_ce_handle_t engine = nullptr;
    gni_ce_result_t result{};
    std::uint32_t id = 0;
    testing::internal::CaptureStderr();
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, GNI_CeCreate(side.nic, &engine));
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, GNI_CeGetId(engine, &id));
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, GNI_EpSetCeAttr(side.ep, 1, 1, GNI_CE_CHILD_PE));
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, GNI_CeConfigure(engine, &side.ep, 1, side.ep, side.tx, 0));
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, GNI_CeCheckResult(&result, 1));
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, GNI_CeDestroy(engine));
    EXPECT_EQ("", testing::internal::GetCapturedStderr());  // this is no news
  });
}

TEST(LaterVersions, HoldsAndCapabilities) {
  run_rank([] {
    Side side(1);
    int first = -1;
    int second = -1;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmHold(0, 7, &first));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmHold(Side::tag, 7, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmHold(Side::tag, Side::cookie, &first));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmHold(Side::tag, Side::cookie, &second));
    EXPECT_NE(first, second);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmRelease(first));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmRelease(first));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmRelease(0));
    gni_revision_info_t info{};
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetCapabilities(nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetCapabilities(&info));
    EXPECT_EQ(std::uint32_t{GNI_MINOR_REV}, info.user_minor_revision);
    gni_revision_info_t peer = info;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_ValidateCapabilities(info, peer));
    peer.requirement[5] = 8;
    EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_ValidateCapabilities(info, peer));
    EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_ValidateCapabilities(peer, info));
    info.capabilities[5] = 12;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_ValidateCapabilities(info, peer));
    std::uint64_t old = 0;
    EXPECT_EQ(GNI_RC_ILLEGAL_OP,
              GNI_SetDeviceOrbMMR(side.nic, GNI_DEV_ORB_MMR_MAX_PID_CNT, 5, &old));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SetDeviceOrbMMR(side.nic, GNI_DEV_ORB_MMR_LAST, 5, &old));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_SetDeviceOrbMMR(nullptr, GNI_DEV_ORB_MMR_MAX_PID_CNT, 5, &old));
    EXPECT_STREQ("MAX_PID_CNT", gni_dev_orb_mmr_to_str(GNI_DEV_ORB_MMR_MAX_PID_CNT));
    gni_dev_res_desc_t virtual_handles{};
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SetMddResources(side.nic, 16));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetDevResInfo(0, GNI_DEV_RES_VMDH, &virtual_handles));
    EXPECT_EQ(16U, virtual_handles.held);
    EXPECT_STREQ("VMDH", gni_dev_res_to_str(GNI_DEV_RES_VMDH));
  });
}

TEST(LaterVersions, WhatIsNotThereSaysSo) {
  run_rank([] {
    Side side(1);
    gni_dqueue_in_attr_t in{};
    gni_dqueue_out_attr_t out{};
    gni_dqueue_handle_t queue = nullptr;
    int descriptor = -1;
    testing::internal::CaptureStderr();
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, GNI_DqueueInit(side.nic, &in, &out, &queue));
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, GNI_DqueueConnect(queue, &out, 1));
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, GNI_DqueuePut(queue, &out, 4, 0, 1));
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, GNI_DqueueProgress(queue));
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, GNI_DqueueFini(queue));
    EXPECT_EQ(GNI_RC_PERMISSION_ERROR, GNI_ConfigureJobFd(0, 1, 42, 7, nullptr, &descriptor));
    const std::string said = testing::internal::GetCapturedStderr();
    for (const char* name : {"GNI_DqueueInit ", "GNI_DqueueConnect ", "GNI_DqueuePut ",
                             "GNI_DqueueProgress ", "GNI_DqueueFini ", "GNI_ConfigureJobFd "}) {
      EXPECT_NE(std::string::npos, said.find(std::string("castor: ") + name)) << said;
    }
  });
}

}  // namespace
}  // namespace nic_test
