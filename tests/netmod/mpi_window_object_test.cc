// Windows as objects: kinds, shared and attached memory, attributes, names, handlers, mistakes.
#include <sys/mman.h>

#include <climits>
#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "tests/netmod/window_support.h"
#include "tests/support/unmapped_memory.h"

namespace castor_test {
namespace {

template <class Value>
Value attribute(MPI_Win window, int key) {
  Value* value = nullptr;
  int flag = 0;
  EXPECT_EQ(MPI_Win_get_attr(window, key, &value, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 1);
  return *value;
}
void* base_of(MPI_Win window) {
  void* base = nullptr;
  int flag = 0;
  MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &flag);
  return base;
}

TEST(WindowObject, PredefinedAttributesSayWhatItIs) {
  run_mpi(small_job(2, 2), [](int rank) {
    std::vector<int> memory(10);
    void* base = nullptr;
    MPI_Win windows[4];
    MPI_Win_create(memory.data(), 40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[0]);
    EXPECT_EQ(base_of(windows[0]), memory.data());
    MPI_Win_allocate(16 * rank, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &windows[1]);
    EXPECT_EQ(base_of(windows[1]), base);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &windows[2]);
    EXPECT_EQ(base_of(windows[2]), MPI_BOTTOM);
    MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &windows[3]);
    EXPECT_EQ(base_of(windows[3]), base);
    const MPI_Aint sizes[] = {40, 16 * rank, 0, 8};
    const int units[] = {4, 2, 1, 1};
    const int flavors[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_DYNAMIC,
                           MPI_WIN_FLAVOR_SHARED};
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(attribute<MPI_Aint>(windows[i], MPI_WIN_SIZE), sizes[i]);
      EXPECT_EQ(attribute<int>(windows[i], MPI_WIN_DISP_UNIT), units[i]);
      EXPECT_EQ(attribute<int>(windows[i], MPI_WIN_CREATE_FLAVOR), flavors[i]);
      EXPECT_EQ(attribute<int>(windows[i], MPI_WIN_MODEL), MPI_WIN_UNIFIED);
      EXPECT_EQ(static_cast<unsigned>(windows[i]) >> 26, 0x28u);  // made by a call, a window
      EXPECT_EQ(MPI_Win_f2c(MPI_Win_c2f(windows[i])), windows[i]);
      MPI_Group group;
      int size = 0;
      MPI_Win_get_group(windows[i], &group);
      MPI_Group_size(group, &size);
      EXPECT_EQ(size, 2);
      MPI_Group_free(&group);
      MPI_Win_free(&windows[i]);
    }
  });
}

// Sizes that no memory has, and parts that together are more than there can be.
TEST(WindowObject, SizesThatDoNotFit) {
  run_mpi(small_job(2, 2), [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    constexpr MPI_Aint most = std::numeric_limits<MPI_Aint>::max();
    MPI_Win window = MPI_WIN_NULL;
    void* memory = nullptr;
    char own[8];
    auto* const high = reinterpret_cast<void*>(std::uintptr_t{0} - 16);
    EXPECT_EQ(MPI_Win_create(high, 32, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window), MPI_ERR_SIZE);
    EXPECT_EQ(MPI_Win_create(own, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window), MPI_ERR_SIZE);
    EXPECT_EQ(MPI_Win_allocate(most, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window),
              MPI_ERR_NO_MEM);
    EXPECT_EQ(MPI_Win_allocate_shared(most, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window),
              MPI_ERR_SIZE);
    ASSERT_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window), MPI_SUCCESS);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Win_attach(window, high, 32), MPI_ERR_SIZE);
    MPI_Win_free(&window);
    // Displacements and elements far beyond the window.
    ASSERT_EQ(MPI_Win_create(own, 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window), MPI_SUCCESS);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Datatype wide = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_CHAR, 0, MPI_Aint{1} << 40, &wide);
    MPI_Type_commit(&wide);
    MPI_Win_fence(0, window);
    EXPECT_EQ(MPI_Put(own, 1, MPI_CHAR, 1, most, 1, MPI_CHAR, window), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(MPI_Put(own, 1, MPI_CHAR, 1, most / 8, 1, MPI_CHAR, window), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(MPI_Put(own, INT_MAX, MPI_CHAR, 1, 0, INT_MAX, wide, window), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Get(own, INT_MAX, wide, 1, 0, INT_MAX, MPI_CHAR, window), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Accumulate(own, INT_MAX, MPI_CHAR, 1, 0, INT_MAX, wide, MPI_REPLACE, window),
              MPI_ERR_COUNT);
    // MPI_PROC_NULL has no memory, and nothing is asked of it.
    EXPECT_EQ(MPI_Put(own, 1, MPI_CHAR, MPI_PROC_NULL, most, 0, MPI_CHAR, window), MPI_SUCCESS);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
  });
}

TEST(WindowObject, SharedMemoryIsSeenByLoadsAndStores) {
  run_mpi(small_job(4, 4), [](int rank) {
    for (const bool apart : {false, true}) {
      MPI_Info info;
      MPI_Info_create(&info);
      if (apart) MPI_Info_set(info, "alloc_shared_noncontig", "true");
      // Rank 1 has nothing.
      const MPI_Aint size = rank == 1 ? 0 : 8 * (rank + 1);
      long* own = nullptr;
      MPI_Win window;
      MPI_Win_allocate_shared(size, rank + 1, info, MPI_COMM_WORLD, &own, &window);
      MPI_Info_free(&info);
      MPI_Win_lock_all(0, window);
      for (int i = 0; i < size / 8; ++i) own[i] = 10 * rank + i;
      MPI_Win_sync(window);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Win_sync(window);
      const long* end = nullptr;
      for (int other = 0; other < 4; ++other) {
        MPI_Aint bytes = -1;
        int unit = 0;
        long* part = nullptr;
        ASSERT_EQ(MPI_Win_shared_query(window, other, &bytes, &unit, &part), MPI_SUCCESS);
        EXPECT_EQ(bytes, other == 1 ? 0 : 8 * (other + 1));
        EXPECT_EQ(unit, other + 1);
        if (other == rank && other != 1) {
          EXPECT_EQ(part, own);
        }
        if (other == 1) {
          EXPECT_EQ(part, nullptr);
          continue;
        }
        if (end != nullptr && !apart) {
          EXPECT_EQ(part, end);
        }
        for (int i = 0; i < bytes / 8; ++i) EXPECT_EQ(part[i], 10 * other + i);
        end = part + bytes / 8;
      }
      long* first = nullptr;
      MPI_Aint bytes = 0;
      int unit = 0;
      MPI_Win_shared_query(window, MPI_PROC_NULL, &bytes, &unit, &first);
      EXPECT_EQ(bytes, 8);
      EXPECT_EQ(first[0], 0);
      // What the NIC does is seen, too.
      MPI_Barrier(MPI_COMM_WORLD);
      const long value = 77;
      if (rank == 0) MPI_Put(&value, 1, MPI_LONG, 3, 0, 1, MPI_LONG, window);
      MPI_Win_flush_all(window);
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 3) {
        EXPECT_EQ(own[0], 77);
      }
      MPI_Win_unlock_all(window);
      MPI_Win_free(&window);
    }
  });
}

/// `make(wrong, window)` is called by all ranks, at one of them with something wrong.
void expect_told(int error_class, const std::function<int(bool wrong, MPI_Win* window)>& make) {
  run_mpi(small_job(3, 3), [&](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int round = 0; round < 6; ++round) {
      MPI_Win window = MPI_WIN_NULL;
      EXPECT_EQ(make(rank == round % 3, &window), error_class);
      EXPECT_EQ(window, MPI_WIN_NULL);
      ASSERT_EQ(make(false, &window), MPI_SUCCESS);
      MPI_Win_fence(0, window);
      EXPECT_EQ(MPI_Win_free(&window), MPI_SUCCESS);
    }
  });
}

// Else the others would wait for it for ever.
TEST(WindowObject, AMistakeOfOneRankIsToldToAll) {
  constexpr MPI_Aint too_much = std::numeric_limits<MPI_Aint>::max();
  char own[8];
  void* base = nullptr;
  const auto create = [&](bool wrong, void* memory, MPI_Aint size, int unit, MPI_Info info,
                          MPI_Win* window) {
    return wrong ? MPI_Win_create(memory, size, unit, info, MPI_COMM_WORLD, window)
                 : MPI_Win_create(own, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, window);
  };
  expect_told(MPI_ERR_SIZE, [&](bool wrong, MPI_Win* window) {
    return create(wrong, own, -1, 1, MPI_INFO_NULL, window);
  });
  expect_told(MPI_ERR_DISP, [&](bool wrong, MPI_Win* window) {
    return create(wrong, own, 8, 0, MPI_INFO_NULL, window);
  });
  expect_told(MPI_ERR_BASE, [&](bool wrong, MPI_Win* window) {
    return create(wrong, nullptr, 8, 1, MPI_INFO_NULL, window);
  });
  expect_told(MPI_ERR_INFO, [&](bool wrong, MPI_Win* window) {
    return create(wrong, own, 8, 1, 0x12345, window);
  });
  expect_told(MPI_ERR_ARG, [&](bool wrong, MPI_Win* window) {
    return create(wrong, own, 8, 1, MPI_INFO_NULL, wrong ? nullptr : window);
  });
  // What the NIC cannot register.
  expect_told(MPI_ERR_NO_MEM, [&](bool wrong, MPI_Win* window) {
    return create(wrong, unmapped_memory(), 8, 1, MPI_INFO_NULL, window);
  });
  expect_told(MPI_ERR_NO_MEM, [&](bool wrong, MPI_Win* window) {
    return MPI_Win_allocate(wrong ? too_much : 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, window);
  });
  expect_told(MPI_ERR_ARG, [&](bool wrong, MPI_Win* window) {
    return MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, wrong ? nullptr : &base, window);
  });
  expect_told(MPI_ERR_SIZE, [&](bool wrong, MPI_Win* window) {
    return MPI_Win_allocate_shared(wrong ? -1 : 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, window);
  });
  expect_told(MPI_ERR_DISP, [&](bool wrong, MPI_Win* window) {
    return MPI_Win_allocate_shared(8, wrong ? -1 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, window);
  });
  expect_told(MPI_ERR_INFO, [&](bool wrong, MPI_Win* window) {
    return MPI_Win_create_dynamic(wrong ? 0x12345 : MPI_INFO_NULL, MPI_COMM_WORLD, window);
  });
}

TEST(WindowObject, RanksOfSeveralNodesShareNothing) {
  run_mpi(small_job(4, 2), [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    void* base = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    EXPECT_EQ(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window),
              MPI_ERR_RMA_SHARED);
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    EXPECT_EQ(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, node, &base, &window), MPI_SUCCESS);
    MPI_Comm_free(&node);
    MPI_Win_free(&window);
  });
}

TEST(WindowObject, AttachedMemoryComesAndGoes) {
  run_mpi(small_job(2), [](int rank) {
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    std::vector<std::vector<long>> parts(20, std::vector<long>(3, -1));
    MPI_Win_lock_all(0, window);
    const int other = 1 - rank;
    // The same memory, attached anew each round: what was known of it is out of date.
    for (int round = 0; round < 3; ++round) {
      std::vector<std::vector<std::int64_t>> places;
      for (auto& part : parts) {
        EXPECT_EQ(MPI_Win_attach(window, part.data(), 24), MPI_SUCCESS);
        places.push_back(gathered(reinterpret_cast<std::int64_t>(part.data())));
      }
      EXPECT_EQ(MPI_Win_attach(window, parts[0].data() + 1, 8), MPI_ERR_RMA_ATTACH);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const long value = 100 * round + static_cast<long>(i);
        const MPI_Aint at = MPI_Aint_add(places[i][static_cast<std::size_t>(other)], 8);
        EXPECT_EQ(MPI_Put(&value, 1, MPI_LONG, other, at, 1, MPI_LONG, window), MPI_SUCCESS);
      }
      MPI_Win_flush(other, window);
      MPI_Barrier(MPI_COMM_WORLD);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        EXPECT_EQ(parts[i][1], 100 * round + static_cast<long>(i));
      }
      long own = 0;
      const auto beyond = places[0][static_cast<std::size_t>(other)] + 24;
      EXPECT_EQ(MPI_Get(&own, 1, MPI_LONG, other, beyond - 4, 1, MPI_LONG, window),
                MPI_ERR_RMA_RANGE);
      MPI_Barrier(MPI_COMM_WORLD);
      for (auto& part : parts) EXPECT_EQ(MPI_Win_detach(window, part.data()), MPI_SUCCESS);
      EXPECT_EQ(MPI_Win_detach(window, parts[0].data()), MPI_ERR_BASE);
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(MPI_Get(&own, 1, MPI_LONG, other, beyond - 24, 1, MPI_LONG, window),
                MPI_ERR_RMA_RANGE);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    // Accumulates find it, too; what is still attached goes with the window.
    long sum = 0;
    MPI_Win_attach(window, &sum, 8);
    const auto places = gathered(reinterpret_cast<std::int64_t>(&sum));
    const long one = 1;
    MPI_Accumulate(&one, 1, MPI_LONG, 0, places[0], 1, MPI_LONG, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      EXPECT_EQ(sum, 2);
    }
    MPI_Win_free(&window);
  });
}

TEST(WindowObject, NamesAndHints) {
  run_mpi(small_job(2), [](int) {
    TestWindow window(WindowKind::allocate, 8);
    char text[MPI_MAX_OBJECT_NAME] = "?";
    int length = -1;
    MPI_Win_get_name(window.get(), text, &length);
    EXPECT_EQ(length, 0);
    MPI_Win_set_name(window.get(), "halo");
    MPI_Win_get_name(window.get(), text, &length);
    EXPECT_STREQ(text, "halo");
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_set(info, "unheard_of", "1");
    MPI_Win_set_info(window.get(), info);
    MPI_Info_free(&info);
    MPI_Win_get_info(window.get(), &info);
    char value[MPI_MAX_INFO_VAL + 1];
    int flag = 0;
    MPI_Info_get(info, "no_locks", MPI_MAX_INFO_VAL, value, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_STREQ(value, "true");
    MPI_Info_get(info, "unheard_of", MPI_MAX_INFO_VAL, value, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Info_free(&info);
  });
}

TEST(WindowObject, AttributesGoWithIt) {
  run_mpi(small_job(1), [](int) {
    int deleted = 0;
    MPI_Win window;
    MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    int key = 0, comm_key = 0, flag = -1, code = MPI_SUCCESS;
    MPI_Win_create_keyval(
        MPI_WIN_NULL_COPY_FN,
        [](MPI_Win, int, void* value, void* extra_state) {
          ++*static_cast<int*>(extra_state);
          return *static_cast<int*>(value);
        },
        &key, &deleted);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_key, nullptr);
    int* found = nullptr;
    MPI_Win_get_attr(window, key, &found, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Win_set_attr(window, key, &code);
    MPI_Win_get_attr(window, key, &found, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(found, &code);
    EXPECT_EQ(MPI_Win_delete_attr(window, key), MPI_SUCCESS);
    EXPECT_EQ(deleted, 1);
    EXPECT_EQ(MPI_Win_delete_attr(window, key), MPI_SUCCESS);
    EXPECT_EQ(deleted, 1);
    EXPECT_EQ(MPI_Win_set_attr(window, comm_key, &code), MPI_ERR_KEYVAL);
    EXPECT_EQ(MPI_Win_set_attr(window, MPI_WIN_SIZE, &code), MPI_ERR_KEYVAL);
    EXPECT_EQ(MPI_Win_delete_attr(window, MPI_WIN_BASE), MPI_ERR_KEYVAL);
    // A function that fails keeps the window.
    MPI_Win_set_attr(window, key, &code);
    MPI_Win_free_keyval(&key);
    EXPECT_EQ(key, MPI_KEYVAL_INVALID);
    code = MPI_ERR_OTHER;
    EXPECT_EQ(MPI_Win_free(&window), MPI_ERR_OTHER);
    code = MPI_SUCCESS;
    EXPECT_EQ(MPI_Win_free(&window), MPI_SUCCESS);
    EXPECT_EQ(deleted, 3);
  });
}

/// Leaves the code in the window's name.
void hear(MPI_Win* window, int* code, ...) {
  MPI_Win_set_name(*window, std::to_string(*code).c_str());
}
std::string heard(MPI_Win window) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  MPI_Win_get_name(window, name, &length);
  return name;
}

TEST(WindowObject, ErrorHandlersHearOfItsErrors) {
  run_mpi(small_job(1), [](int) {
    long own = 0;
    MPI_Win window;
    MPI_Win_create(&own, 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Errhandler handler, kept;
    MPI_Win_get_errhandler(window, &kept);
    EXPECT_EQ(kept, MPI_ERRORS_ARE_FATAL);
    MPI_Win_create_errhandler(hear, &handler);
    MPI_Win_set_errhandler(window, handler);
    MPI_Win_get_errhandler(window, &kept);
    EXPECT_EQ(kept, handler);
    MPI_Errhandler_free(&handler);
    MPI_Errhandler_free(&kept);
    EXPECT_EQ(MPI_Win_unlock(0, window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(heard(window), std::to_string(MPI_ERR_RMA_SYNC));
    EXPECT_EQ(MPI_Win_call_errhandler(window, MPI_ERR_OTHER), MPI_SUCCESS);
    EXPECT_EQ(heard(window), std::to_string(MPI_ERR_OTHER));
    MPI_Win_free(&window);
  });
}

TEST(WindowObject, MistakesAreNamed) {
  run_mpi(small_job(2, 2), [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    double memory[4] = {};
    MPI_Win window = MPI_WIN_NULL;
    const auto create = [&](void* base, MPI_Aint size, int unit) {
      return MPI_Win_create(base, size, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    };
    EXPECT_EQ(create(memory, -1, 1), MPI_ERR_SIZE);
    EXPECT_EQ(create(memory, 8, 0), MPI_ERR_DISP);
    EXPECT_EQ(create(nullptr, 8, 1), MPI_ERR_BASE);
    EXPECT_EQ(MPI_Win_create(memory, 8, 1, 12345, MPI_COMM_WORLD, &window), MPI_ERR_INFO);
    EXPECT_EQ(MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &window), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
    EXPECT_EQ(MPI_Win_fence(0, 77), MPI_ERR_WIN);
    ASSERT_EQ(create(memory, sizeof memory, 8), MPI_SUCCESS);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    double own[4] = {};
    const auto put = [&](int count, MPI_Datatype type, int target, MPI_Aint at, int remote_count,
                         MPI_Datatype remote) {
      return MPI_Put(own, count, type, target, at, remote_count, remote, window);
    };
    const int other = 1 - rank;
    EXPECT_EQ(put(1, MPI_DOUBLE, 2, 0, 1, MPI_DOUBLE), MPI_ERR_RANK);
    EXPECT_EQ(put(-1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE), MPI_ERR_COUNT);
    EXPECT_EQ(put(1, MPI_DOUBLE, other, 0, -1, MPI_DOUBLE), MPI_ERR_COUNT);
    EXPECT_EQ(put(1, MPI_DATATYPE_NULL, other, 0, 1, MPI_DOUBLE), MPI_ERR_TYPE);
    EXPECT_EQ(put(1, MPI_DOUBLE, other, -1, 1, MPI_DOUBLE), MPI_ERR_DISP);
    EXPECT_EQ(put(1, MPI_DOUBLE, other, 4, 1, MPI_DOUBLE), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(put(2, MPI_DOUBLE, other, 3, 2, MPI_DOUBLE), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(put(1, MPI_DOUBLE, other, PTRDIFF_MAX / 4, 1, MPI_DOUBLE), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(put(0, MPI_DOUBLE, other, 4, 0, MPI_DOUBLE), MPI_SUCCESS);
    EXPECT_EQ(put(2, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE), MPI_ERR_TYPE);
    EXPECT_EQ(put(4, MPI_DOUBLE, other, 0, 4, MPI_DOUBLE), MPI_SUCCESS);
    EXPECT_EQ(MPI_Put(nullptr, 1, MPI_INT, other, 0, 1, MPI_INT, window), MPI_ERR_BUFFER);
    const auto accumulate = [&](MPI_Datatype type, MPI_Op op) {
      return MPI_Accumulate(own, 1, type, other, 0, 1, type, op, window);
    };
    EXPECT_EQ(accumulate(MPI_DOUBLE, MPI_BAND), MPI_ERR_OP);
    EXPECT_EQ(accumulate(MPI_DOUBLE, MPI_NO_OP), MPI_ERR_OP);
    EXPECT_EQ(accumulate(MPI_DOUBLE, MPI_OP_NULL), MPI_ERR_OP);
    EXPECT_EQ(accumulate(MPI_WCHAR, MPI_SUM), MPI_ERR_OP);
    EXPECT_EQ(MPI_Compare_and_swap(own, own, own, MPI_DOUBLE, other, 0, window), MPI_ERR_TYPE);
    MPI_Aint size = 0;
    int unit = 0;
    void* base = nullptr;
    EXPECT_EQ(MPI_Win_shared_query(window, 0, &size, &unit, &base), MPI_ERR_RMA_FLAVOR);
    EXPECT_EQ(MPI_Win_attach(window, memory, 8), MPI_ERR_RMA_FLAVOR);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
    EXPECT_EQ(MPI_Win_free(&window), MPI_ERR_WIN);
  });
}

// By FMA and by the BTE; the source of a PUT by FMA the CPU reads itself. What is under way goes
// on.
TEST(WindowObject, OwnMemoryThatCannotBeUsedIsAMistake) {
  run_mpi(small_job(2), [](int rank) {
    constexpr int bytes = 65536;
    const TestWindow part(WindowKind::allocate, bytes);
    const MPI_Win window = part.get();
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    void* own = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(own, MAP_FAILED);
    static_cast<char*>(own)[0] = 7;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      char seen = 0;
      MPI_Request request = MPI_REQUEST_NULL;
      const auto get = [&](int count) {
        return MPI_Get(own, count, MPI_BYTE, 1, 0, count, MPI_BYTE, window);
      };
      const auto put = [&] { return MPI_Put(own, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window); };
      MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
      ASSERT_EQ(mprotect(own, bytes, PROT_READ), 0);
      EXPECT_EQ(get(8), MPI_ERR_BUFFER);
      EXPECT_EQ(get(bytes), MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Rget(own, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, window, &request), MPI_ERR_BUFFER);
      EXPECT_EQ(put(), MPI_SUCCESS);
      MPI_Win_flush(1, window);
      ASSERT_EQ(munmap(own, bytes), 0);
      own = unmapped_memory();
      EXPECT_EQ(MPI_Get(&seen, 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, window), MPI_SUCCESS);
      EXPECT_EQ(get(8), MPI_ERR_BUFFER);
      EXPECT_EQ(get(bytes), MPI_ERR_BUFFER);
      EXPECT_EQ(put(), MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Rput(own, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window, &request),
                MPI_ERR_BUFFER);
      EXPECT_EQ(request, MPI_REQUEST_NULL);
      MPI_Win_unlock(1, window);
      EXPECT_EQ(seen, 7);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST(WindowObject, OwnMemoryThatCannotBeUsedEndsTheJobWithOneLine) {
  if (live_clock()) GTEST_SKIP() << "how a job ends live is another test's";
  const MpiOutcome outcome = run_mpi_unchecked(small_job(2), [](int rank) {
    const TestWindow part(WindowKind::allocate, 8);
    static const std::int64_t constant = 1;
    part.open();
    if (rank != 0) {
      MPI_Get(const_cast<std::int64_t*>(&constant), 8, MPI_BYTE, 0, 0, 8, MPI_BYTE, part.get());
    }
    part.close();
  });
  const std::string begin = "rank 1: MPI_Get: the data are in memory at 0x";
  const std::string end = ", which must not be written (MPI_ERR_BUFFER)\n";
  const std::size_t at = outcome.errors.find(begin);
  ASSERT_NE(at, std::string::npos) << outcome.errors;
  EXPECT_EQ(outcome.errors.find(end, at), outcome.errors.find('\n', at) + 1 - end.size());
}

TEST(WindowObject, ManyComeAndGo) {
  run_mpi(small_job(4, 2), [](int rank) {
    for (int i = 0; i < 30; ++i) {
      TestWindow first(WindowKind::allocate, 64), second(WindowKind::create, 128);
      for (TestWindow* window : {&second, &first}) {
        window->open();
        const int value = 100 * i + rank;
        MPI_Put(&value, 1, MPI_INT, (rank + 1) % 4, 8, 1, MPI_INT, window->get());
        window->close();
        int found = 0;
        std::memcpy(&found, window->data() + 8, sizeof found);
        EXPECT_EQ(found, 100 * i + (rank + 3) % 4);
      }
    }
  });
}

TEST(WindowObject, ANodeHoldsTwoThousand) {
  run_mpi(small_job(2, 2), [](int rank) {
    std::vector<MPI_Win> windows(1000);
    std::vector<int> memory(windows.size());
    for (std::size_t i = 0; i < windows.size(); ++i) {
      ASSERT_EQ(MPI_Win_create(&memory[i], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                               &windows[i]),
                MPI_SUCCESS);
    }
    for (const MPI_Win window : windows) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
      const int value = window + rank;
      MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
      MPI_Win_unlock(1 - rank, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      EXPECT_EQ(memory[i], windows[i] + 1 - rank);
      MPI_Win_free(&windows[i]);
    }
  });
}

}  // namespace
}  // namespace castor_test
