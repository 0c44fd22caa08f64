// Collective engines: return codes, what they refuse, their end, limits.
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "tests/nic/collective_tree.h"

namespace nic_test {
namespace {

constexpr auto nowhere = static_cast<std::uint32_t>(-1);

void expect_error_event(const TreeNode& node, std::uint64_t reduction, const char* says) {
  gni_cq_entry_t entry = 0;
  EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(node.events, entry));
  EXPECT_EQ(node.id, GNI_CQ_GET_CE_ID(entry));
  EXPECT_EQ(reduction, GNI_CQ_GET_REDUCTN_ID(entry));
  char text[256] = {};
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorStr(entry, text, sizeof text));
  EXPECT_NE(nullptr, std::strstr(text, says)) << text;
}

TEST(CollectiveEngine, CodesOfItsLife) {
  run_rank(
      [] {
        Side side(1);
        gni_ce_handle_t engine = nullptr;
        std::uint32_t id = 0;
        EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CeCreate(nullptr, &engine));
        EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CeCreate(side.nic, nullptr));
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_CeCreate(side.nic, &engine));
        EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CeGetId(nullptr, &id));
        EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CeGetId(engine, nullptr));
        EXPECT_EQ(GNI_RC_INVALID_PARAM,
                  GNI_CeGetId(reinterpret_cast<gni_ce_handle_t>(side.ep), &id));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeGetId(engine, &id));
        EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CeDestroy(nullptr));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeDestroy(engine));
        EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CeDestroy(engine));
        EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CeGetId(engine, &id));
        EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpSetCeAttr(nullptr, 1, 1, GNI_CE_CHILD_PE));
        EXPECT_EQ(GNI_RC_INVALID_PARAM,
                  GNI_EpSetCeAttr(side.ep, 1, GNI_CE_MAX_CHILDREN, GNI_CE_CHILD_PE));
        EXPECT_EQ(GNI_RC_INVALID_PARAM,
                  GNI_EpSetCeAttr(side.ep, 1, 1, static_cast<gni_ce_child_t>(3)));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpSetCeAttr(side.ep, 1, 31, GNI_CE_CHILD_VCE));
        EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CeCheckResult(nullptr, 1));
        gni_ce_result_t result{};
        EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CeCheckResult(&result, 1));
      },
      aries_parameters());
}

TEST(CollectiveEngine, CodesOfItsSetUp) {
  run_engine(2, 0, [](TreeNode& node) {
    const Side other(55);
    std::vector<gni_ep_handle_t> edges = node.participant_edges();
    const gni_ep_handle_t parent = node.edge(0, 1, 0, GNI_CE_CHILD_VCE);
    const auto with = [&](std::vector<gni_ep_handle_t> children) {
      return node.configure(std::move(children), nullptr, 0);
    };
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CeConfigure(nullptr, edges.data(), 2, nullptr, nullptr, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CeConfigure(node.engine, nullptr, 2, nullptr, nullptr, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, with({}));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, with(std::vector<gni_ep_handle_t>(33, edges[0])));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, with({edges[0], nullptr}));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, with({edges[0], edges[0]}));  // one number for two
    EXPECT_EQ(GNI_RC_INVALID_PARAM, with({edges[0], other.ep}));
    gni_ep_handle_t bare = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(node.owner().nic, nullptr, &bare));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpSetCeAttr(bare, 1, 5, GNI_CE_CHILD_PE));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, with({edges[0], bare}));  // not bound
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(bare, 0, 1));
    EXPECT_EQ(GNI_RC_SUCCESS, with({edges[0], bare}));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpSetCeAttr(bare, 1, 5, GNI_CE_CHILD_UNUSED));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, with({edges[0], bare}));
    // What an endpoint was goes with it.
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpSetCeAttr(bare, 1, 5, GNI_CE_CHILD_PE));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(bare));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(node.owner().nic, nullptr, &bare));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(bare, 0, 1));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, with({edges[0], bare}));

    EXPECT_EQ(GNI_RC_INVALID_PARAM, node.configure(edges, edges[0], 0));  // a participant
    EXPECT_EQ(GNI_RC_SUCCESS, node.configure(edges, parent, 0));
    const std::uint32_t wrong[] = {GNI_CE_MODE_ROUND_UP | GNI_CE_MODE_ROUND_ZERO,
                                   GNI_CE_MODE_RC_ADAPT | GNI_CE_MODE_RC_MIN_HASH,
                                   GNI_CE_MODE_CQE_ONCOMP | GNI_CE_MODE_CQE_ONERR, 0x20, 0x800};
    for (const std::uint32_t modes : wrong) {
      EXPECT_EQ(GNI_RC_INVALID_PARAM, node.configure(edges, nullptr, modes)) << modes;
    }
    const auto with_queue = [&](gni_cq_handle_t queue, std::uint32_t modes) {
      return GNI_CeConfigure(node.engine, edges.data(), 2, nullptr, queue, modes);
    };
    EXPECT_EQ(GNI_RC_INVALID_PARAM, with_queue(nullptr, GNI_CE_MODE_CQE_ONERR));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, with_queue(other.rx, GNI_CE_MODE_CQE_ONERR));
    EXPECT_EQ(GNI_RC_SUCCESS, with_queue(node.owner().rx, GNI_CE_MODE_CQE_ONERR));
    EXPECT_EQ(GNI_RC_SUCCESS, with_queue(node.owner().tx, GNI_CE_MODE_CQE_ONERR));
    EXPECT_EQ(GNI_RC_SUCCESS, with_queue(nullptr, GNI_CE_MODE_RC_NMIN_HASH));
    // While a reduction is under way its tree stays.
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(*node.participants[0],
                                         node.participants[0]->descriptor(GNI_FMA_CE_OR, 1, {})));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, with(edges));
  });
}

TEST(CollectiveEngine, CodesOfPosts) {
  run_engine(1, 0, [](TreeNode& node) {
    const Participant& participant = *node.participants[0];
    const auto well = participant.descriptor(GNI_FMA_CE_FPADD, 0xFFFFFFFF, {});
    const auto code_of = [&](const std::function<void(gni_post_descriptor_t&)>& change) {
      auto post = well;
      change(post);
      return GNI_PostFma(participant.side.ep, &post);
    };
    auto post = well;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(nullptr, &post));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(node.edge(0, 1, 1, GNI_CE_CHILD_VCE), &post));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CtPostFma(participant.side.ep, &post));
    const auto bad = GNI_RC_INVALID_PARAM;
    for (const unsigned none : {0x06U, 0x16U, 0x17U, 0x1EU, 0x34U, 0x3CU, 0x41U, 0x100U}) {
      EXPECT_EQ(bad, code_of([&](auto& p) { p.ce_cmd = static_cast<gni_ce_cmd_type_t>(none); }));
    }
    EXPECT_EQ(bad, code_of([](auto& p) { p.ce_mode = 0x20; }));
    EXPECT_EQ(bad, code_of([](auto& p) { p.ce_red_id = 1ULL << 32; }));
    EXPECT_EQ(bad, code_of([](auto& p) { p.cq_mode |= GNI_CQMODE_REMOTE_EVENT; }));
    EXPECT_EQ(bad, code_of([](auto& p) { p.local_mem_hndl = {}; }));
    EXPECT_EQ(bad, code_of([&](auto& p) {
                p.local_addr = (participant.side.base() + Side::memory_bytes - 16) & ~7ULL;
              }));
    EXPECT_EQ(GNI_RC_ALIGNMENT_ERROR, code_of([](auto& p) { p.local_addr += 4; }));
    // Nothing has left: the engine is free for the one that is right.
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(participant, well));
    EXPECT_EQ(GNI_RC_SUCCESS, participant.result());
    EXPECT_EQ(0xFFFFFFFFU, GNI_CE_RES_GET_RED_ID(participant.results));
  });
}

/// A new endpoint may lie where one of a domain that has gone lay: it has no part in a tree.
TEST(CollectiveEngine, PartsGoWithTheirDomain) {
  run_engine(1, 0, [](TreeNode& node) {
    gni_ep_handle_t before = nullptr;
    for (const bool again : {false, true}) {
      Participant guest(900);
      if (again) {
        EXPECT_EQ(before, guest.side.ep);
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(guest.side.ep, node.owner().address, 7));
      } else {
        before = guest.side.ep;
        guest.join(node.owner().address, node.id, 0);
      }
      auto post = guest.descriptor(GNI_FMA_CE_OR, 1, {});
      EXPECT_EQ(again ? GNI_RC_INVALID_PARAM : GNI_RC_SUCCESS, GNI_PostFma(guest.side.ep, &post));
      if (!again) {
        EXPECT_EQ(GNI_RC_SUCCESS, complete(guest.side, post));
      }
    }
  });
}

/// Events of the engine tell, too. What was refused does not count.
TEST(CollectiveEngine, RefusesWhatDiffers) {
  run_engine(2, GNI_CE_MODE_CQE_ONERR, [](TreeNode& node) {
    const Participant& first = *node.participants[0];
    const Participant& second = *node.participants[1];
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(first, first.descriptor(GNI_FMA_CE_IADD, 10, {1, 2})));
    const auto refused = [&](gni_post_descriptor_t post, std::uint64_t reduction) {
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, contribute(second, post));
      expect_error_event(node, reduction, "other children");
    };
    refused(second.descriptor(GNI_FMA_CE_IADD, 11, {}), 11);
    refused(second.descriptor(GNI_FMA_CE_IADD_S, 10, {}), 10);
    refused(second.descriptor(GNI_FMA_CE_OR, 10, {}), 10);
    refused(second.descriptor(GNI_FMA_CE_IADD, 10, {}, 0, 0), 10);
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CeCheckResult(first.results, 1));
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(second, second.descriptor(GNI_FMA_CE_IADD, 10, {3, 4})));
    for (const Participant* each : {&first, &second}) {
      EXPECT_EQ(GNI_RC_SUCCESS, each->result());
      EXPECT_EQ(4U, each->results->result1);
      EXPECT_EQ(6U, each->results->result2);
    }
  });
}

TEST(CollectiveEngine, KnowsItsChildren) {
  run_engine(2, GNI_CE_MODE_CQE_ONERR, [](TreeNode& node) {
    Participant stranger(700);
    const auto as = [&](std::uint32_t engine, std::uint32_t child) {
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpSetCeAttr(stranger.side.ep, engine, child, GNI_CE_CHILD_PE));
      return contribute(stranger, stranger.descriptor(GNI_FMA_CE_AND, 3, {}));
    };
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(stranger.side.ep, node.owner().address, 1));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, as(node.id, 2));
    expect_error_event(node, 3, "no such child");
    // No engine of this id, and none at all that hears of it.
    for (const std::uint32_t id : {node.id + 1, node.id & 0xFF, nowhere, 0U}) {
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, as(id, 0)) << id;
    }
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(node.events, &entry));
    // An engine is no participant.
    TreeNode below(1, 1);
    ASSERT_EQ(GNI_RC_SUCCESS,
              below.configure(below.participant_edges(),
                              below.edge(node.owner().address, node.id, 1, GNI_CE_CHILD_VCE), 0));
    below.participants[0]->join(below.owner().address, below.id, 0);
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(*below.participants[0],
                                         below.participants[0]->descriptor(GNI_FMA_CE_AND, 4, {})));
    expect_error_event(node, 4, "no such child");
    // Its participants hear of it as soon as it does.
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, below.participants[0]->result());
    const gni_ce_result_t& result = *below.participants[0]->results;
    gni_ce_result_t copy = result;
    EXPECT_EQ(0U, GNI_CE_RES_STATUS_OK(&copy));
    EXPECT_NE(0U, GNI_CE_RES_GET_STATUS(&copy));
    EXPECT_EQ(4U, GNI_CE_RES_GET_RED_ID(&copy));
    EXPECT_EQ(0U, GNI_CE_RES_GET_FPE(&copy));
  });
}

/// Who says to be a child has to be on the child's node.
TEST(CollectiveEngine, AChildIsOnItsNode) {
  CollectiveTree tree(2, 1, 1);
  std::atomic<std::uint32_t> root{0};
  tree.run([&](int node, TreeNode& own, Meeting& all) {
    if (node == 0) root.store(own.id);
    all.meet();
    if (node == 1) {
      const Participant liar(800);
      liar.join(0, root.load(), 0);
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR,
                contribute(liar, liar.descriptor(GNI_FMA_CE_OR, 2, {4, 4})));
    }
    all.meet();
    if (node == 0) expect_error_event(own, 2, "no such child");
    const Participant& participant = *own.participants[0];
    EXPECT_EQ(GNI_RC_SUCCESS,
              contribute(participant, participant.descriptor(GNI_FMA_CE_OR, 2, {1, 1})));
    EXPECT_EQ(GNI_RC_SUCCESS, participant.result());
    EXPECT_EQ(1U, participant.results->result1);
  });
}

/// An engine belongs to the tag and cookie of its domain, whatever the id says.
TEST(CollectiveEngine, IsOfOneProtectionDomain) {
  run_engine(1, GNI_CE_MODE_CQE_ONERR, [](TreeNode& node) {
    gni_cdm_handle_t cdm = nullptr;
    gni_nic_handle_t nic = nullptr;
    gni_cq_handle_t queue = nullptr;
    gni_ep_handle_t ep = nullptr;
    gni_mem_handle_t handle{};
    std::uint32_t address = 0;
    gni_ce_result_t result{};
    ASSERT_EQ(GNI_RC_SUCCESS,
              GNI_CdmCreate(5, Side::tag, Side::cookie + 1, GNI_CDM_MODE_ERR_NO_KILL, &cdm));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CdmAttach(cdm, 0, &address, &nic));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CqCreate(nic, 4, 0, 0, nullptr, nullptr, &queue));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(nic, queue, &ep));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, address, 1));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpSetCeAttr(ep, node.id, 0, GNI_CE_CHILD_PE));
    const auto at = reinterpret_cast<std::uint64_t>(&result);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(nic, at, sizeof result, nullptr, GNI_MEM_READWRITE,
                                              no_index, &handle));
    auto post = node.participants[0]->descriptor(GNI_FMA_CE_OR, 2, {1, 1});
    post.local_addr = at;
    post.local_mem_hndl = handle;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(ep, &post));
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(queue, entry));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(node.events, &entry));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(cdm));
  });
}

/// In the middle of a reduction: those who wait for it learn that there will be no result.
TEST(CollectiveEngine, DestroyedInTheMiddle) {
  CollectiveTree tree(3, 2, 1);
  tree.run([](int node, TreeNode& own, Meeting& all) {
    const Participant& first = *own.participants[0];
    const Participant& second = *own.participants[1];
    // On node 1 one participant is missing: node 2 has sent its part up.
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(first, first.descriptor(GNI_FMA_CE_XOR, 8, {})));
    if (node != 1) {
      EXPECT_EQ(GNI_RC_SUCCESS, contribute(second, second.descriptor(GNI_FMA_CE_XOR, 8, {})));
    }
    sleep_us(20);
    all.meet();
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CeCheckResult(first.results, 1));
    all.meet();
    if (node == 1) {
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeDestroy(own.engine));
    }
    if (node != 0) {
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, first.result());
      EXPECT_EQ(0U, GNI_CE_RES_STATUS_OK(first.results));
      EXPECT_EQ(8U, GNI_CE_RES_GET_RED_ID(first.results));
    }
    if (node == 2) {
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, second.result());
      expect_error_event(own, 8, "collective engine");
    }
    if (node == 1) {  // too late
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR,
                contribute(second, second.descriptor(GNI_FMA_CE_XOR, 8, {})));
    }
    all.meet();
    if (node == 0) {
      EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CeCheckResult(first.results, 1));
    }
  });
}

/// The same when the engine goes with its domain.
TEST(CollectiveEngine, ItsDomainGoesInTheMiddle) {
  run_engine(2, 0, [](TreeNode& node) {
    const Participant& guest = *node.participants[1];
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(guest, guest.descriptor(GNI_FMA_CE_XOR, 8, {})));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(node.owner().cdm));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, guest.result());
    EXPECT_EQ(0U, GNI_CE_RES_STATUS_OK(guest.results));
  });
}

/// Engines whose parent goes, or is told to have other children, fail their reductions.
TEST(CollectiveEngine, TheParentIsGone) {
  CollectiveTree tree(2, 1, 1);
  tree.run([](int node, TreeNode& own, Meeting& all) {
    if (node == 0) {
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeDestroy(own.engine));
    }
    all.meet();
    const Participant& participant = *own.participants[0];
    const auto post = participant.descriptor(GNI_FMA_CE_IADD, 9, {1, 1});
    if (node == 0) {
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, contribute(participant, post));
    } else {
      EXPECT_EQ(GNI_RC_SUCCESS, contribute(participant, post));
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, participant.result());
      expect_error_event(own, 9, "no such child");
    }
  });
}

/// The memory for the result has gone meanwhile: the engine says that it was not delivered.
TEST(CollectiveEngine, ResultsThatCannotBeDelivered) {
  run_engine(2, GNI_CE_MODE_CQE_ONERR, [](TreeNode& node) {
    Participant& gone = *node.participants[0];
    const Participant& other = *node.participants[1];
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(gone, gone.descriptor(GNI_FMA_CE_OR, 6, {1, 1})));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(gone.side.nic, &gone.side.handle));
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(other, other.descriptor(GNI_FMA_CE_OR, 6, {2, 2})));
    EXPECT_EQ(GNI_RC_SUCCESS, other.result());
    EXPECT_EQ(3U, other.results->result1);
    expect_error_event(node, 6, "no registered region");
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CeCheckResult(gone.results, 1));
  });
}

/// GASNet's engines have the queue of the owner's posts: one event of a post, one of the engine.
TEST(CollectiveEngine, ItsQueueMayBeThatOfThePosts) {
  run_engine(1, 0, [](TreeNode& node) {
    const Participant& participant = *node.participants[0];
    const gni_cq_handle_t queue = node.owner().tx;
    auto post = participant.descriptor(GNI_FMA_CE_OR, 8, {1, 1});
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(participant, post));  // so that it is one of posts
    EXPECT_EQ(GNI_RC_SUCCESS, participant.result());
    gni_ep_handle_t edge = node.edge(0, 0, 0, GNI_CE_CHILD_PE);
    ASSERT_EQ(GNI_RC_SUCCESS,
              GNI_CeConfigure(node.engine, &edge, 1, nullptr, queue, GNI_CE_MODE_CQE_ONCOMP));
    post = participant.descriptor(GNI_FMA_CE_OR, 9, {1, 1});
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(participant.side.ep, &post));
    int of_posts = 0;
    for (int i = 0; i < 2; ++i) {
      gni_cq_entry_t entry = 0;
      gni_post_descriptor_t* posted = nullptr;
      ASSERT_EQ(GNI_RC_SUCCESS, next_event(queue, entry));
      if (GNI_GetCompleted(queue, entry, &posted) == GNI_RC_SUCCESS) {
        EXPECT_EQ(&post, posted);
        ++of_posts;
        continue;
      }
      EXPECT_EQ(9U, GNI_CQ_GET_REDUCTN_ID(entry));
      EXPECT_EQ(node.id, GNI_CQ_GET_CE_ID(entry));
    }
    EXPECT_EQ(1, of_posts);
  });
}

TEST(CollectiveEngine, ItsQueueMayGo) {
  run_engine(1, GNI_CE_MODE_CQE_ONCOMP, [](TreeNode& node) {
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqDestroy(node.events));
    const Participant& participant = *node.participants[0];
    EXPECT_EQ(GNI_RC_SUCCESS,
              contribute(participant, participant.descriptor(GNI_FMA_CE_OR, 6, {1, 1})));
    EXPECT_EQ(GNI_RC_SUCCESS, participant.result());
  });
}

/// 64 reductions may be under way; one more is refused until there is room.
TEST(CollectiveEngine, SoManyReductionsAndNoMore) {
  run_engine(2, 0, [](TreeNode& node) {
    const Participant& eager = *node.participants[0];
    const Participant& late = *node.participants[1];
    for (std::size_t k = 0; k < 64; ++k) {
      EXPECT_EQ(GNI_RC_SUCCESS, contribute(eager, eager.descriptor(GNI_FMA_CE_IADD, k, {k, 1}, k)));
    }
    auto more = eager.descriptor(GNI_FMA_CE_IADD, 64, {64, 1}, 64);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(eager.side.ep, &more));
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(eager.side.tx, entry));
    std::uint32_t recoverable = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorRecoverable(entry, &recoverable));
    EXPECT_NE(0U, recoverable);
    gni_post_descriptor_t* posted = nullptr;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, GNI_GetCompleted(eager.side.tx, entry, &posted));
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(late, late.descriptor(GNI_FMA_CE_IADD, 0, {1000, 1})));
    EXPECT_EQ(GNI_RC_SUCCESS, eager.result(0));
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(eager, more));
    for (std::size_t k = 1; k <= 64; ++k) {
      EXPECT_EQ(GNI_RC_SUCCESS,
                contribute(late, late.descriptor(GNI_FMA_CE_IADD, k, {1000, 1}, k)));
      EXPECT_EQ(GNI_RC_SUCCESS, eager.result(k));
      EXPECT_EQ(1000 + k, eager.results[k].result1);
    }
  });
}

TEST(CollectiveEngine, ANodeHasSoMany) {
  corespec::Parameters parameters = aries_parameters();
  parameters.nic_ces = 2;
  run_rank(
      [] {
        const Side one(1);
        auto other = std::make_unique<Side>(2);
        gni_ce_handle_t engine = nullptr;
        gni_ce_handle_t more = nullptr;
        std::uint32_t first_id = 0;
        std::uint32_t id = 0;
        const auto device = [] {
          gni_dev_res_desc_t has{};
          EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetDevResInfo(0, GNI_DEV_RES_CE, &has));
          EXPECT_EQ(2U, has.total);
          return has.available;
        };
        EXPECT_EQ(2U, device());
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeCreate(one.nic, &engine));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeGetId(engine, &first_id));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeCreate(other->nic, &more));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeGetId(more, &id));
        EXPECT_NE(first_id, id);
        EXPECT_EQ(0U, device());
        EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_CeCreate(one.nic, &more));
        other.reset();  // and its engine
        gni_job_res_desc_t job{};
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetJobResInfo(0, Side::tag, GNI_JOB_RES_CE, &job));
        EXPECT_EQ(1U, job.used);
        EXPECT_EQ(2U, job.limit);
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeCreate(one.nic, &more));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeDestroy(more));
        if (geteuid() != 0) return;
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_SetJobResInfo(0, Side::tag, GNI_JOB_RES_CE, 1));
        EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_CeCreate(one.nic, &more));
      },
      parameters);
}

/// A contribution that is lost on its way counts as not sent.
TEST(CollectiveEngine, LostContributionsAreSentAgain) {
  corespec::Parameters parameters = aries_parameters();
  parameters.lost_transactions = 3;
  run_engine(
      3, 0,
      [](TreeNode& node) {
        int lost = 0;
        for (std::uint64_t k = 0; k < 20; ++k) {
          for (const auto& each : node.participants) {
            while (contribute(*each, each->descriptor(GNI_FMA_CE_IADD, k, {k, 1})) !=
                   GNI_RC_SUCCESS) {
              ++lost;
            }
          }
          for (const auto& each : node.participants) {
            EXPECT_EQ(GNI_RC_SUCCESS, each->result());
            EXPECT_EQ(3 * k, each->results->result1);
          }
        }
        EXPECT_GT(lost, 5);
      },
      parameters);
}

}  // namespace
}  // namespace nic_test
