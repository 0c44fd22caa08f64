// DMAPP: every transfer and atomic in its three forms (blocking, with an id, implicit), with data.
#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "tests/dmapp/job.h"

namespace castor_test {
namespace {

constexpr std::size_t words = 24;
using Words = std::vector<std::int64_t>;

/// What ways_to_end have in common: begins, and returns when the data are there.
struct WayToEnd {
  const char* name;
  /// Calls `blocking()`, `with_id(id)` or `implicit()`, and completes it.
  template <typename Blocking, typename WithId, typename Implicit>
  void run(const Blocking& blocking, const WithId& with_id, const Implicit& implicit) const {
    dmapp_syncid_handle_t id = nullptr;
    int done = 0;
    switch (number) {
      case 0:
        EXPECT_EQ(DMAPP_RC_SUCCESS, blocking());
        break;
      case 1:
        ASSERT_EQ(DMAPP_RC_SUCCESS, with_id(&id));
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_syncid_wait(&id));
        EXPECT_EQ(DMAPP_RC_INVALID_PARAM, with_id(nullptr));
        break;
      case 2:
        ASSERT_EQ(DMAPP_RC_SUCCESS, with_id(&id));
        while (done == 0) ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_syncid_test(&id, &done));
        break;
      case 3:
        ASSERT_EQ(DMAPP_RC_SUCCESS, implicit());
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_wait());
        break;
      default:
        ASSERT_EQ(DMAPP_RC_SUCCESS, implicit());
        while (done == 0) ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_test(&done));
    }
  }
  int number;
};
constexpr WayToEnd ways_to_end[] = {{"blocking", 0},
                                    {"with an id, waited for", 1},
                                    {"with an id, tested", 2},
                                    {"implicit, waited for", 3},
                                    {"implicit, tested", 4}};

/// The memory of three PEs and what the first one moves.
class Scene {
 public:
  explicit Scene(int pe) : heap(job_info().sheap_seg) {
    remote = static_cast<std::int64_t*>(dmapp_sheap_malloc(words * 8));
    for (std::size_t i = 0; i < words; ++i) remote[i] = there(pe, i);
    own.resize(words);
    reset();
    barrier();
  }
  static std::int64_t there(int pe, std::size_t i) {
    return 1000 * pe + 10 * static_cast<std::int64_t>(i);
  }
  static std::int64_t here(std::size_t i) { return -7 - 3 * static_cast<std::int64_t>(i); }
  void reset() {
    for (std::size_t i = 0; i < words; ++i) own[i] = here(i);
  }
  /// What a PE's memory holds now.
  Words of(int pe) {
    Words found(words);
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get(found.data(), remote, &heap, pe, words, DMAPP_QW));
    return found;
  }
  /// Puts there what there was at first.
  void restore(int pe) {
    Words first(words);
    for (std::size_t i = 0; i < words; ++i) first[i] = there(pe, i);
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put(remote, &heap, pe, first.data(), words, DMAPP_QW));
  }
  /// At first, with these changed: place and value.
  static Words changed(int pe, const std::vector<std::pair<std::size_t, std::int64_t>>& changes) {
    Words all(words);
    for (std::size_t i = 0; i < words; ++i) all[i] = there(pe, i);
    for (const auto& [place, value] : changes) all[place] = value;
    return all;
  }
  static Words own_changed(const std::vector<std::pair<std::size_t, std::int64_t>>& changes) {
    Words all(words);
    for (std::size_t i = 0; i < words; ++i) all[i] = here(i);
    for (const auto& [place, value] : changes) all[place] = value;
    return all;
  }

  dmapp_seg_desc_t heap;
  std::int64_t* remote;
  Words own;
};

/// Runs `body(scene, form)` at the first of three PEs, for each form.
void each_form(const std::function<void(Scene&, const WayToEnd&)>& body) {
  run_dmapp(small_job(3), [&](int pe) {
    Scene scene(pe);
    for (const WayToEnd& form : ways_to_end) {
      if (pe != 0) continue;
      const testing::ScopedTrace trace(__FILE__, __LINE__, form.name);
      for (int each = 0; each < 3; ++each) scene.restore(each);
      scene.reset();
      body(scene, form);
    }
    barrier();
  });
}

#define FORMS(name, ...)                                                             \
  [&] { return dmapp_##name(__VA_ARGS__); },                                         \
      [&](dmapp_syncid_handle_t* id) { return dmapp_##name##_nb(__VA_ARGS__, id); }, \
      [&] { return dmapp_##name##_nbi(__VA_ARGS__); }

TEST(Forms, Contiguous) {
  each_form([](Scene& s, const WayToEnd& form) {
    form.run(FORMS(put, s.remote + 2, &s.heap, 1, s.own.data() + 1, 2, DMAPP_QW));
    EXPECT_EQ(Scene::changed(1, {{2, Scene::here(1)}, {3, Scene::here(2)}}), s.of(1));
    form.run(FORMS(get, s.own.data() + 5, s.remote + 7, &s.heap, 2, 2, DMAPP_QW));
    EXPECT_EQ(Scene::own_changed({{5, Scene::there(2, 7)}, {6, Scene::there(2, 8)}}), s.own);
  });
}

TEST(Forms, WithAFlag) {
  each_form([](Scene& s, const WayToEnd& form) {
    form.run(FORMS(put_flag, s.remote + 2, &s.heap, 1, s.own.data() + 1, 2, DMAPP_QW, s.remote + 9,
                   4711));
    EXPECT_EQ(Scene::changed(1, {{2, Scene::here(1)}, {3, Scene::here(2)}, {9, 4711}}), s.of(1));
    if (form.number < 3) return;
    const auto get = [&] {
      return dmapp_get_flag_nbi(s.own.data() + 3, s.remote + 4, &s.heap, 2, 3, DMAPP_QW);
    };
    form.run(
        get, [&](dmapp_syncid_handle_t*) { return get(); }, get);
    EXPECT_EQ(Scene::own_changed(
                  {{3, Scene::there(2, 4)}, {4, Scene::there(2, 5)}, {5, Scene::there(2, 6)}}),
              s.own);
  });
}

TEST(Forms, Strided) {
  each_form([](Scene& s, const WayToEnd& form) {
    form.run(FORMS(iput, s.remote + 1, &s.heap, 1, s.own.data() + 20, 3, -2, 3, DMAPP_QW));
    EXPECT_EQ(Scene::changed(1, {{1, Scene::here(20)}, {4, Scene::here(18)}, {7, Scene::here(16)}}),
              s.of(1));
    form.run(FORMS(iget, s.own.data() + 2, s.remote + 9, &s.heap, 2, 2, -4, 3, DMAPP_QW));
    EXPECT_EQ(Scene::own_changed(
                  {{2, Scene::there(2, 9)}, {4, Scene::there(2, 5)}, {6, Scene::there(2, 1)}}),
              s.own);
  });
}

TEST(Forms, Indexed) {
  each_form([](Scene& s, const WayToEnd& form) {
    ptrdiff_t index[] = {5, -1, 8};
    form.run(FORMS(ixput, s.remote + 3, &s.heap, 1, s.own.data() + 4, index, 3, DMAPP_QW));
    EXPECT_EQ(Scene::changed(1, {{8, Scene::here(4)}, {2, Scene::here(5)}, {11, Scene::here(6)}}),
              s.of(1));
    form.run(FORMS(ixget, s.own.data() + 10, s.remote + 6, &s.heap, 2, index, 3, DMAPP_QW));
    EXPECT_EQ(Scene::own_changed(
                  {{10, Scene::there(2, 11)}, {11, Scene::there(2, 5)}, {12, Scene::there(2, 14)}}),
              s.own);
  });
}

TEST(Forms, OfManyPes) {
  each_form([](Scene& s, const WayToEnd& form) {
    dmapp_pe_t pes[] = {2, 1};
    form.run(FORMS(put_ixpe, s.remote + 3, &s.heap, pes, 2, s.own.data() + 4, 2, DMAPP_QW));
    for (const int pe : {1, 2}) {
      EXPECT_EQ(Scene::changed(pe, {{3, Scene::here(4)}, {4, Scene::here(5)}}), s.of(pe));
      s.restore(pe);
    }
    form.run(FORMS(scatter_ixpe, s.remote + 3, &s.heap, pes, 2, s.own.data() + 4, 2, DMAPP_QW));
    EXPECT_EQ(Scene::changed(2, {{3, Scene::here(4)}, {4, Scene::here(5)}}), s.of(2));
    EXPECT_EQ(Scene::changed(1, {{3, Scene::here(6)}, {4, Scene::here(7)}}), s.of(1));
    form.run(FORMS(gather_ixpe, s.own.data() + 10, s.remote + 8, &s.heap, pes, 2, 2, DMAPP_QW));
    EXPECT_EQ(Scene::own_changed({{10, Scene::there(2, 8)},
                                  {11, Scene::there(2, 9)},
                                  {12, Scene::there(1, 8)},
                                  {13, Scene::there(1, 9)}}),
              s.own);
  });
}

constexpr std::int64_t before = 0x0ff0'1234'5678'9abc;
constexpr std::int64_t operand = 0x00ff'ffff'0000'ff00;

/// The word that atomics work on.
void set_word(Scene& s) {
  std::int64_t value = before;
  EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put(s.remote + 5, &s.heap, 1, &value, 1, DMAPP_QW));
}
void expect_word(Scene& s, std::int64_t value) {
  EXPECT_EQ(Scene::changed(1, {{5, value}}), s.of(1));
}

#define PLAIN(name, expected)                               \
  set_word(s);                                              \
  form.run(FORMS(name, s.remote + 5, &s.heap, 1, operand)); \
  expect_word(s, expected)
#define FETCHING(name, expected, ...)                                      \
  set_word(s);                                                             \
  s.own[3] = 0;                                                            \
  form.run(FORMS(name, &s.own[3], s.remote + 5, &s.heap, 1, __VA_ARGS__)); \
  EXPECT_EQ(before, s.own[3]);                                             \
  expect_word(s, expected)

TEST(Forms, Atomics) {
  each_form([](Scene& s, const WayToEnd& form) {
    PLAIN(aadd_qw, before + operand);
    PLAIN(aand_qw, before & operand);
    PLAIN(aor_qw, before | operand);
    PLAIN(axor_qw, before ^ operand);
    FETCHING(afadd_qw, before + operand, operand);
    FETCHING(afand_qw, before & operand, operand);
    FETCHING(afor_qw, before | operand, operand);
    FETCHING(afxor_qw, before ^ operand, operand);
    FETCHING(afax_qw, (before & operand) ^ 99, operand, 99);
    FETCHING(acswap_qw, operand, before, operand);
    FETCHING(acswap_qw, before, before + 1, operand);
  });
}

TEST(Forms, AtomicsByARecord) {
  each_form([](Scene& s, const WayToEnd& form) {
    const std::vector<std::pair<dmapp_amo_op_t, std::int64_t>> all = {
        {DMAPP_AMO_ADD, before + operand},
        {DMAPP_AMO_AND, before & operand},
        {DMAPP_AMO_OR, before | operand},
        {DMAPP_AMO_XOR, before ^ operand},
        {DMAPP_AMO_AX, (before & operand) ^ 99}};
    for (const auto& [op, expected] : all) {
      dmapp_amo_t amo{op, DMAPP_QW, operand, 99};
      set_word(s);
      form.run(FORMS(amo_put, s.remote + 5, &s.heap, 1, &amo));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_amo_flush(1, 0));
      expect_word(s, expected);
      set_word(s);
      s.own[3] = 0;
      form.run(FORMS(amo_get, &s.own[3], s.remote + 5, &s.heap, 1, &amo));
      EXPECT_EQ(before, s.own[3]);
      expect_word(s, expected);
    }
    dmapp_amo_t swap{DMAPP_AMO_CSWAP, DMAPP_QW, before, 12};
    set_word(s);
    form.run(FORMS(amo_get, &s.own[3], s.remote + 5, &s.heap, 1, &swap));
    EXPECT_EQ(before, s.own[3]);
    expect_word(s, 12);
  });
}

TEST(Forms, RecordsAreChecked) {
  each_form([](Scene& s, const WayToEnd&) {
    const auto bad = DMAPP_RC_INVALID_PARAM;
    std::int64_t old = 0;
    const auto put = [&](dmapp_amo_op_t op, dmapp_type_t type) {
      dmapp_amo_t amo{op, type, 1, 1};
      return dmapp_amo_put(s.remote + 5, &s.heap, 1, &amo);
    };
    EXPECT_EQ(DMAPP_RC_NOT_SUPPORTED, put(DMAPP_AMO_ADD, DMAPP_DW));
    EXPECT_EQ(DMAPP_RC_NOT_SUPPORTED, put(DMAPP_AMO_CSWAP, DMAPP_QW));
    EXPECT_EQ(bad, put(DMAPP_AMO_ADD, static_cast<dmapp_type_t>(9)));
    EXPECT_EQ(bad, put(static_cast<dmapp_amo_op_t>(9), DMAPP_QW));
    EXPECT_EQ(bad, dmapp_amo_put(s.remote, &s.heap, 1, nullptr));
    EXPECT_EQ(bad, dmapp_amo_get(&old, s.remote, &s.heap, 1, nullptr));
    dmapp_amo_t amo{DMAPP_AMO_ADD, DMAPP_QW, 1, 0};
    EXPECT_EQ(bad, dmapp_amo_get(nullptr, s.remote, &s.heap, 1, &amo));
    EXPECT_EQ(bad, dmapp_amo_put(s.remote, &s.heap, 3, &amo));
    EXPECT_EQ(DMAPP_RC_ALIGNMENT_ERROR,
              dmapp_amo_put(reinterpret_cast<char*>(s.remote) + 4, &s.heap, 1, &amo));
    EXPECT_EQ(bad, dmapp_amo_flush(3, 0));
    EXPECT_EQ(bad, dmapp_amo_flush(1, 1));
    EXPECT_EQ(Scene::changed(1, {}), s.of(1));
  });
}

}  // namespace
}  // namespace castor_test
