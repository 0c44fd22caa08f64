// Communication domains, handles, device queries.
#include <unistd.h>

#include "corespec/threads/current_thread.h"
#include "tests/nic/test_machine.h"

extern "C" int header_test_c_entry(gni_cq_entry_t entry);

namespace nic_test {
namespace {

TEST(DomainTest, HeaderWorksInC) { EXPECT_EQ(1, header_test_c_entry(0)); }

TEST(DomainTest, CreateAttachDestroy) {
  run_rank([] {
    gni_cdm_handle_t cdm = nullptr;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmCreate(1, 42, 7, 0, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmCreate(1, 0, 7, 0, &cdm));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmCreate(1, 42, 7, GNI_CDM_MODE_PRIV_RESERVED_1, &cdm));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CdmCreate(1, 42, 7, 0, &cdm));
    std::uint32_t address = 99;
    gni_nic_handle_t nic = nullptr;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmAttach(nullptr, 0, &address, &nic));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmAttach(cdm, 0, nullptr, &nic));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmAttach(cdm, 0, &address, nullptr));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_CdmAttach(cdm, 1, &address, &nic));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmAttach(cdm, static_cast<std::uint32_t>(-1), &address, &nic));
    EXPECT_EQ(0U, address);
    EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_CdmAttach(cdm, 0, &address, &nic));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(cdm));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmDestroy(cdm));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmDestroy(nullptr));
  });
}

TEST(DomainTest, OneInstanceOfACookieOnANic) {
  run_rank([] {
    Side first(5);
    gni_cdm_handle_t cdm = nullptr;
    std::uint32_t address = 0;
    gni_nic_handle_t nic = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CdmCreate(5, Side::tag, Side::cookie, 0, &cdm));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmAttach(cdm, 0, &address, &nic));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(first.cdm));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmAttach(cdm, 0, &address, &nic));
  });
}

TEST(DomainTest, DestroyTakesEverythingAlong) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    auto put = side.descriptor(GNI_POST_RDMA_PUT, peer, 5000);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &put));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(side.cdm));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpIdle(side.ep));
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqGetEvent(side.tx, &entry));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MemDeregister(side.nic, &side.handle));
    sleep_us(50);  // nothing of it comes back
  });
}

/// An endpoint, bound to `peer`, in a communication domain of any tag and cookie.
struct BoundEndpoint {
  BoundEndpoint(std::uint32_t instance, std::uint8_t tag, std::uint32_t cookie, const Side& peer) {
    std::uint32_t address = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmCreate(instance, tag, cookie, GNI_CDM_MODE_ERR_NO_KILL, &cdm));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmAttach(cdm, 0, &address, &nic));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqCreate(nic, 10, 0, 0, nullptr, nullptr, &queue));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(nic, queue, &ep));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, peer.address, peer.instance));
  }
  gni_cdm_handle_t cdm = nullptr;
  gni_nic_handle_t nic = nullptr;
  gni_cq_handle_t queue = nullptr;
  gni_ep_handle_t ep = nullptr;
};

TEST(DomainTest, TheDriverFindsTheProtectionTag) {
  run_rank([] {
    // The same cookie with the tag looked up and with the tag given: one protection domain.
    Side given(1);
    for (const std::uint32_t cookie : {Side::cookie, 12345U}) {
      const BoundEndpoint own(9, GNI_FIND_ALLOC_PTAG, cookie, given);
      auto put = given.descriptor(GNI_POST_FMA_PUT, given, 64);
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(own.ep, &put));
      gni_cq_entry_t entry = 0;
      EXPECT_EQ(cookie == Side::cookie ? GNI_RC_SUCCESS : GNI_RC_TRANSACTION_ERROR,
                next_event(own.queue, entry));
    }
  });
}

TEST(DomainTest, TheNicMayGoBeforeTheRank) {
  auto machine = std::make_unique<TestMachine>();
  std::unique_ptr<Side> side;
  machine->start(0, [&] {
    side = std::make_unique<Side>(1);
    side->bind(*side);
    auto put = side->descriptor(GNI_POST_RDMA_PUT, *side, 500);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side->ep, &put));
  });
  machine->run();
  machine->nodes[0]->set_device(nullptr);
  machine.reset();
}

TEST(DomainTest, NicAddressWithoutADomain) {
  run_rank([] {
    std::uint32_t address = 99;
    std::uint32_t cpu = 99;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmGetNicAddress(0, &address, &cpu));
    EXPECT_EQ(0U, address);
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_CdmGetNicAddress(1, &address, &cpu));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmGetNicAddress(0, nullptr, &cpu));
  });
}

TEST(DomainTest, HandlesOfAnotherRankAreInvalid) {
  TestMachine machine(2);
  Gate made;
  Gate tried;
  gni_nic_handle_t foreign = nullptr;
  machine.start(0, [&] {
    Side side(1);
    foreign = side.nic;
    made.open();
    tried.await();
  });
  machine.start(1, [&] {
    made.await();
    ASSERT_NE(nullptr, foreign);
    gni_ep_handle_t ep = nullptr;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpCreate(foreign, nullptr, &ep));
    Side own(2);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpCreate(foreign, own.tx, &ep));
    // A handle of another kind is no better.
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpIdle(reinterpret_cast<gni_ep_handle_t>(own.tx)));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpIdle(reinterpret_cast<gni_ep_handle_t>(-1)));
    tried.open();
  });
  machine.run();
}

// What destructors call after a rank has left its job.
TEST(DomainTest, AfterTheMachineEveryHandleIsInvalid) {
  corespec::ThreadAdopter* const before =
      corespec::exchange_thread_adopter(&corespec::no_more_threads());
  gni_cdm_handle_t cdm = nullptr;
  EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CdmCreate(1, 42, 7, 0, &cdm));
  std::uint32_t address = 0;
  std::uint32_t cpu = 0;
  EXPECT_EQ(GNI_RC_NO_MATCH, GNI_CdmGetNicAddress(0, &address, &cpu));
  int devices = 0;
  EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_GetNumLocalDevices(&devices));
  EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqTestEvent(nullptr));
  corespec::exchange_thread_adopter(before);
}

TEST(DomainTest, Queries) {
  run_rank([] {
    std::uint32_t version = 0;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetVersion(nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetVersion(&version));
    EXPECT_EQ(0x5d0102U, version);
    gni_version_info_t info;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetVersionInformation(nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetVersionInformation(&info));
    EXPECT_EQ(version, info.ugni_version);
    EXPECT_LT(0U, std::strlen(info.kgni_build_string));
    gni_nic_device_t type = GNI_DEVICE_LAST;
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_GetDeviceType(nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetDeviceType(&type));
    EXPECT_EQ(GNI_DEVICE_GEMINI, type);
    int count = 0;
    int ids[2] = {-1, -1};
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetNumLocalDevices(nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetNumLocalDevices(&count));
    EXPECT_EQ(1, count);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetLocalDeviceIds(0, ids));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetLocalDeviceIds(2, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetLocalDeviceIds(2, ids));
    EXPECT_EQ(0, ids[0]);
    EXPECT_EQ(-1, ids[1]);
    std::uint8_t ptag = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetPtag(0, Side::cookie, &ptag));
    EXPECT_EQ(42, ptag);
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_GetPtag(0, 1, &ptag));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetPtag(3, 1, &ptag));
    EXPECT_STREQ("GNI_RC_TRANSACTION_ERROR", gni_err_str[GNI_RC_TRANSACTION_ERROR]);
  });
}

TEST(DomainTest, Resources) {
  run_rank([] {
    gni_dev_res_desc_t device{1, 2, 3, 4};
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetDevResInfo(0, GNI_DEV_RES_CE, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetDevResInfo(3, GNI_DEV_RES_CE, &device));
    for (const auto none : {GNI_DEV_RES_FIRST, GNI_DEV_RES_LAST}) {
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetDevResInfo(0, none, &device));
    }
    EXPECT_EQ(4U, device.total);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetDevResInfo(0, GNI_DEV_RES_CE, &device));
    EXPECT_EQ(0U, device.available + device.reserved + device.held + device.total);
    gni_job_res_desc_t job{1, 2};
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetJobResInfo(0, 42, GNI_JOB_RES_CE, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetJobResInfo(3, 42, GNI_JOB_RES_CE, &job));
    for (const auto none : {GNI_JOB_RES_FIRST, GNI_JOB_RES_LAST}) {
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetJobResInfo(0, 42, none, &job));
    }
    EXPECT_EQ(2U, job.limit);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetJobResInfo(0, 42, GNI_JOB_RES_CE, &job));
    EXPECT_EQ(0U, job.used + job.limit);
  });
}

TEST(DomainTest, ResourcesAreCountedAndRunOut) {
  corespec::Parameters parameters = free_software();
  parameters.nic_cqs = 7;
  parameters.nic_fma_windows = 3;
  run_rank(
      [] {
        const auto device = [](gni_dev_res_t kind) {
          gni_dev_res_desc_t has{};
          EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetDevResInfo(0, kind, &has));
          EXPECT_EQ(has.total, has.available + has.held);
          return has;
        };
        const auto job = [](gni_job_res_t kind) {
          gni_job_res_desc_t has{};
          EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetJobResInfo(0, Side::tag, kind, &has));
          return has;
        };
        const Side side(1);  // two queues, a region
        auto two = std::make_unique<Side>(2);
        const Side shared(3, GNI_CDM_MODE_FMA_SHARED);
        EXPECT_EQ(7U, device(GNI_DEV_RES_CQ).total);
        EXPECT_EQ(1U, device(GNI_DEV_RES_CQ).available);
        EXPECT_EQ(6U, job(GNI_JOB_RES_CQ).used);
        EXPECT_EQ(2U, job(GNI_JOB_RES_FMA).used);
        EXPECT_EQ(3U, job(GNI_JOB_RES_FMA).limit);
        EXPECT_EQ(3U, job(GNI_JOB_RES_MDD).used);
        EXPECT_EQ(4096U, device(GNI_DEV_RES_MDD).total);
        gni_cq_handle_t queue = nullptr;
        gni_cq_handle_t more = nullptr;
        const auto create = [&](gni_cq_handle_t& into) {
          return GNI_CqCreate(side.nic, 8, 0, GNI_CQ_NOBLOCK, nullptr, nullptr, &into);
        };
        EXPECT_EQ(GNI_RC_SUCCESS, create(queue));
        EXPECT_EQ(GNI_RC_ERROR_RESOURCE, create(more));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqDestroy(queue));
        EXPECT_EQ(GNI_RC_SUCCESS, create(queue));
        two.reset();
        EXPECT_EQ(GNI_RC_SUCCESS, create(more));
        EXPECT_EQ(1U, job(GNI_JOB_RES_FMA).used);
        EXPECT_EQ(2U, job(GNI_JOB_RES_MDD).used);
        gni_cdm_handle_t cdm[3] = {};
        gni_return_t code = GNI_RC_SUCCESS;
        for (std::uint32_t i = 0; i < 3; ++i) {
          std::uint32_t address = 0;
          gni_nic_handle_t nic = nullptr;
          ASSERT_EQ(GNI_RC_SUCCESS, GNI_CdmCreate(10 + i, Side::tag, Side::cookie, 0, &cdm[i]));
          code = GNI_CdmAttach(cdm[i], 0, &address, &nic);
          EXPECT_EQ(i < 2 ? GNI_RC_SUCCESS : GNI_RC_ERROR_RESOURCE, code);
        }
      },
      parameters);
}

TEST(DomainTest, RootSetsAJobsLimits) {
  run_rank([] {
    const Side side(1);
    const auto set = [](gni_job_res_t kind, std::uint64_t value, std::uint8_t tag = Side::tag) {
      return GNI_SetJobResInfo(0, tag, kind, value);
    };
    EXPECT_EQ(GNI_RC_INVALID_PARAM, set(GNI_JOB_RES_LAST, 5));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, set(GNI_JOB_RES_CQ, 5, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SetJobResInfo(9, Side::tag, GNI_JOB_RES_CQ, 5));
    if (geteuid() != 0) {
      EXPECT_EQ(GNI_RC_PERMISSION_ERROR, set(GNI_JOB_RES_CQ, 5));
      return;
    }
    EXPECT_EQ(GNI_RC_ILLEGAL_OP, set(GNI_JOB_RES_MDD, 5));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, set(GNI_JOB_RES_CQ, 1 << 30));
    EXPECT_EQ(GNI_RC_NOT_DONE, set(GNI_JOB_RES_CQ, 1));  // two are in use
    EXPECT_EQ(GNI_RC_SUCCESS, set(GNI_JOB_RES_CQ, 3));
    gni_cq_handle_t queue = nullptr;
    const auto create = [&] {
      return GNI_CqCreate(side.nic, 8, 0, GNI_CQ_NOBLOCK, nullptr, nullptr, &queue);
    };
    EXPECT_EQ(GNI_RC_SUCCESS, create());
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, create());
  });
}

TEST(DomainTest, ForeignCookieCannotReachMemory) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    const BoundEndpoint foreign(1, Side::tag, 666, peer);
    const auto before = peer.memory;
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 64);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(foreign.ep, &put));
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(foreign.queue, entry));
    gni_post_descriptor_t* found = nullptr;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, GNI_GetCompleted(foreign.queue, entry, &found));
    EXPECT_EQ(&put, found);
    EXPECT_EQ(before, peer.memory);
  });
}

}  // namespace
}  // namespace nic_test
