// Windows: making and freeing them, and telling each other where their memory is.
#include "netmod/mpi/windows/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "corespec/threads/node.h"
#include "corespec/threads/rank_memory.h"
#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/attributes/attributes.h"
#include "netmod/mpi/attributes/info.h"
#include "netmod/mpi/calls/error_handlers.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/communicators/make_communicator.h"
#include "netmod/mpi/communicators/verdict.h"
#include "netmod/mpi/groups/communicator.h"
#include "netmod/mpi/windows/attached_memory.h"
#include "netmod/mpi/windows/posting.h"
#include "netmod/mpi/windows/updates.h"
#include "netmod/mpi/windows/windows.h"

namespace netmod {
namespace {

constexpr std::size_t page = 4096;

CollectiveCall call_on(RankState& rank, const Window& window) { return {rank, *window.members}; }

/// Registered for peers; nothing if there are no bytes.
RemoteRegion expose(RankState& rank, const void* memory, std::uint64_t bytes) {
  RemoteRegion region{address_of(memory), bytes, {}};
  if (bytes == 0) return region;
  const gni_return_t code =
      rank.device().one_sided().register_memory(memory, bytes, nullptr, region.handle);
  if (code != GNI_RC_SUCCESS) {
    fail(MPI_ERR_NO_MEM, fmt::format("the NIC cannot register {} bytes of the window", bytes));
  }
  return region;
}

void withdraw(RankState& rank, RemoteRegion& region) {
  if (region.bytes != 0) rank.device().one_sided().deregister_memory(region.handle);
  region = {};
}

/// The hints that the standard names, as they are without the program's.
const std::vector<std::pair<std::string, std::string>>& known_hints() {
  static const std::vector<std::pair<std::string, std::string>> hints{
      {"no_locks", "false"},
      {"accumulate_ordering", "rar,raw,war,waw"},
      {"accumulate_ops", "same_op_no_op"},
      {"same_size", "false"},
      {"same_disp_unit", "false"}};
  return hints;
}

void check_shape(const WindowShape& shape) {
  if (shape.size < 0) {
    fail(MPI_ERR_SIZE, fmt::format("size is {} (allowed: 0 and above)", shape.size));
  }
  if (shape.unit <= 0) {
    fail(MPI_ERR_DISP, fmt::format("disp_unit is {} (allowed: 1 and above)", shape.unit));
  }
}

/// A window with its place among the rank's, but without memory and communicator.
std::shared_ptr<Window> describe(RankState& rank, const WindowShape& shape, int flavor,
                                 Verdict& verdict) {
  auto window = std::make_shared<Window>();
  window->flavor = flavor;
  window->info = known_hints();
  if (flavor == MPI_WIN_FLAVOR_SHARED) {
    window->info.emplace_back("alloc_shared_noncontig", "false");
  }
  verdict.check([&] {
    check_shape(shape);
    if (shape.info != MPI_INFO_NULL) take_hints(*window, readable_info(rank, shape.info));
    window->size = shape.size;
    window->unit = shape.unit;
    auto* place = rank.windows().made.add(window->handle);
    if (place == nullptr) fail(MPI_ERR_NO_MEM, "too many windows");
    *place = window;
    const auto block = rank.windows().controls.take(rank.device().one_sided());
    window->control = block.control;
    window->own.control = address_of(block.control);
    window->own.control_handle = block.handle;
  });
  return window;
}

/// Collective.
void make_members(RankState& rank, const WindowShape& shape, Window& window) {
  const Communicator& parent = intracommunicator(rank, shape.comm);
  parent.enter();
  Communicator& made = *make_communicator(rank, parent, parent.group, {});
  drop_error_handler(rank, made.error_handler);
  made.error_handler = MPI_ERRHANDLER_NULL;
  window.comm = made.handle;
  window.members = &made;
  made.enter();
}

/// The class of the first rank's error; MPI_SUCCESS.
int first_error(const std::vector<WindowEntry>& entries) {
  const auto failed = std::find_if(entries.begin(), entries.end(),
                                   [](const WindowEntry& entry) { return entry.unit < 0; });
  return failed == entries.end() ? MPI_SUCCESS : static_cast<int>(-failed->unit);
}

/// Collective: rank 0 gets all entries, and every rank learns where they are; or that there is
/// nothing, as one has failed.
void publish(RankState& rank, Window& window, Verdict& verdict) {
  const Communicator& members = *window.members;
  window.own.unit = verdict.good() ? window.unit : -verdict.error_class();
  if (members.rank == 0) window.entries.resize(static_cast<std::size_t>(members.size()));
  const CollectiveCall call = call_on(rank, window);
  gather(call, reinterpret_cast<const std::byte*>(&window.own),
         reinterpret_cast<std::byte*>(window.entries.data()), sizeof(WindowEntry), 0);
  if (members.rank == 0) {
    int failed = first_error(window.entries);
    if (failed == MPI_SUCCESS) {
      verdict.check([&] {
        window.directory =
            expose(rank, window.entries.data(), window.entries.size() * sizeof(WindowEntry));
      });
      failed = verdict.error_class();
    }
    if (failed != MPI_SUCCESS) window.directory = {static_cast<std::uint64_t>(failed), 0, {}};
  }
  broadcast(call, reinterpret_cast<std::byte*>(&window.directory), sizeof window.directory, 0);
  if (window.directory.bytes == 0) verdict.fail(static_cast<int>(window.directory.address));
}

/// Where each rank's part of a shared window begins; the last element: where it ends.
/// MPI_ERR_SIZE, at all ranks: together they are too large.
std::vector<std::size_t> lay_out(const std::vector<MPI_Aint>& sizes, bool apart) {
  std::vector<std::size_t> begins{0};
  for (const MPI_Aint size : sizes) {
    const auto bytes = static_cast<std::size_t>(size);  // below 2^63
    begins.push_back(begins.back() + (apart ? (bytes + page - 1) / page * page : bytes));
    if (begins.back() > INT64_MAX) {
      fail(MPI_ERR_SIZE, "the parts of all ranks together have more than 2^63 - 1 bytes");
    }
  }
  return begins;
}

bool wants(const Window& window, std::string_view hint) {
  return std::any_of(window.info.begin(), window.info.end(), [hint](const auto& pair) {
    return pair.first == hint && pair.second == "true";
  });
}

/// Collective: what every rank gives.
template <class Value>
std::vector<Value> all_of(RankState& rank, const Window& window, const Value& own) {
  std::vector<Value> all = corespec::rank_vector<Value>(window.members->size());
  all[static_cast<std::size_t>(window.members->rank)] = own;
  allgather(call_on(rank, window), reinterpret_cast<std::byte*>(all.data()), sizeof(Value));
  return all;
}

/// Collective: memory of the node that all ranks see.
void share_memory(RankState& rank, Window& window, Verdict& verdict) {
  struct Wish {
    MPI_Aint size;
    std::int64_t unit;
  };
  const std::vector<Wish> wishes = all_of(rank, window, Wish{window.size, window.unit});
  std::vector<MPI_Aint> sizes;
  for (const Wish& wish : wishes) {
    sizes.push_back(wish.size);
    window.units.push_back(static_cast<int>(wish.unit));
  }
  const std::vector<std::size_t> begins = lay_out(sizes, wants(window, "alloc_shared_noncontig"));
  const Communicator& members = *window.members;
  // The context tells windows over these ranks apart; others of the node have another first rank.
  window.segment = fmt::format("mpi window {} {}", members.group.job_rank(0), members.context);
  verdict.check([&] {
    std::byte* memory =
        rank.process().node().memory().segment(window.segment, std::max(page, begins.back()));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      window.parts.emplace_back(memory + begins[i], sizes[i]);
    }
    window.base = window.parts[static_cast<std::size_t>(members.rank)].first;
    window.own.memory = expose(rank, window.base, static_cast<std::uint64_t>(window.size));
  });
}

void check_shared(RankState& rank, const Window& window) {
  const Group& group = window.members->group;
  for (int i = 0; i < group.size(); ++i) {
    if (rank.job().nid_of(group.job_rank(i)) != rank.process().node().nid()) {
      fail(MPI_ERR_RMA_SHARED,
           "comm has ranks on several nodes, which share no memory (MPI_Comm_split_type makes one "
           "that has not)");
    }
  }
}

/// From here on no NIC reads or writes the window's memory.
void withdraw_all(RankState& rank, Window& window) {
  withdraw(rank, window.own.memory);
  if (!window.entries.empty()) withdraw(rank, window.directory);
  if (window.attached != nullptr) window.attached->close();
  if (window.control != nullptr) rank.windows().controls.give_back(window.control);
  window.control = nullptr;
}

void drop(RankState& rank, Window& window) {
  if (!window.segment.empty()) rank.process().node().memory().remove(window.segment);
  drop_error_handler(rank, window.error_handler);
  if (window.comm != MPI_COMM_NULL) free_communicator(rank, window.comm);
  if (window.handle != MPI_WIN_NULL) rank.windows().made.remove(window.handle);
}

/// Collective: `find_memory(window)` does what the flavor needs; what it throws it does at all
/// ranks.
template <class FindMemory>
Window& make_window(RankState& rank, const WindowShape& shape, int flavor, Verdict& verdict,
                    const FindMemory& find_memory) {
  const std::shared_ptr<Window> window = describe(rank, shape, flavor, verdict);
  try {
    make_members(rank, shape, *window);
    find_memory(*window);
    publish(rank, *window, verdict);
  } catch (...) {
    withdraw_all(rank, *window);
    drop(rank, *window);
    throw;
  }
  return *window;
}

}  // namespace

Window::Window() = default;
Window::~Window() = default;

Window& create_window(RankState& rank, const WindowShape& shape, void* base, Verdict& verdict) {
  verdict.check([&] {
    if (base == nullptr && shape.size > 0) {
      fail(MPI_ERR_BASE, fmt::format("base is a null pointer, but size is {}", shape.size));
    }
    check_range(base, shape.size);
  });
  const auto register_memory = [&](Window& window) {
    window.base = base;
    verdict.check(
        [&] { window.own.memory = expose(rank, base, static_cast<std::uint64_t>(shape.size)); });
  };
  return make_window(rank, shape, MPI_WIN_FLAVOR_CREATE, verdict, register_memory);
}

Window& allocate_window(RankState& rank, const WindowShape& shape, Verdict& verdict) {
  const auto bytes = static_cast<std::size_t>(std::max<MPI_Aint>(1, shape.size));
  std::unique_ptr<std::byte[]> memory;
  verdict.check([&] {
    const corespec::RankMemory own;
    // Sanitizers end the process where new throws.
    memory.reset(new (std::nothrow) std::byte[bytes]);
    if (memory == nullptr) throw std::bad_alloc();
  });
  const auto register_memory = [&](Window& window) {
    window.allocated = std::move(memory);
    window.base = window.allocated.get();
    verdict.check([&] {
      window.own.memory = expose(rank, window.base, static_cast<std::uint64_t>(shape.size));
    });
  };
  return make_window(rank, shape, MPI_WIN_FLAVOR_ALLOCATE, verdict, register_memory);
}

Window& allocate_shared_window(RankState& rank, const WindowShape& shape, Verdict& verdict) {
  const auto share = [&](Window& window) {
    check_shared(rank, window);
    share_memory(rank, window, verdict);
  };
  return make_window(rank, shape, MPI_WIN_FLAVOR_SHARED, verdict, share);
}

Window& create_dynamic_window(RankState& rank, const WindowShape& shape, Verdict& verdict) {
  const auto none_yet = [&](Window& window) {
    if (window.control == nullptr) return;  // its verdict says why
    window.attached = std::make_unique<AttachedMemory>(rank, window.control->attached);
  };
  return make_window(rank, shape, MPI_WIN_FLAVOR_DYNAMIC, verdict, none_yet);
}

void check_range(const void* base, MPI_Aint bytes) {
  std::uint64_t end = 0;
  if (bytes < 0 ||
      __builtin_add_overflow(address_of(base), static_cast<std::uint64_t>(bytes), &end)) {
    fail(MPI_ERR_SIZE, fmt::format("size is {}, which no memory at base has", bytes));
  }
}

void free_window(RankState& rank, Window& window) {
  const int code = delete_values(rank, window.handle, window.extras.attributes);
  if (code != MPI_SUCCESS) fail(code, "an attribute's delete function failed");
  run_updates(rank, window);
  wait_for(rank, window.unattended);
  barrier(call_on(rank, window));
  withdraw_all(rank, window);
  if (!window.segment.empty()) barrier(call_on(rank, window));  // so that this is true of all
  drop(rank, window);
}

void take_hints(Window& window, const InfoObject& info) {
  for (const auto& [key, value] : info.pairs) {
    for (auto& [known, kept] : window.info) {
      if (known == key) kept = value;
    }
  }
}

Window& find_window(RankState& rank, MPI_Win handle) {
  if (const auto* found = rank.windows().made.find(handle)) return **found;
  fail_handle(MPI_ERR_WIN, handle, MPI_WIN_NULL, "win", "MPI_WIN_NULL", "a window");
}

Target& find_target(RankState& rank, Window& window, int target) {
  Target& found = window.targets[target];
  if (found.known) return found;
  const Group& group = window.members->group;
  found.job_rank = group.job_rank(target);
  if (target == window.members->rank) {
    found.entry = window.own;
  } else if (!window.entries.empty()) {
    found.entry = window.entries[static_cast<std::size_t>(target)];
  } else {
    const std::uint64_t at =
        window.directory.address + static_cast<std::uint64_t>(target) * sizeof(WindowEntry);
    fetch(rank, {group.job_rank(0), at, window.directory.handle}, &found.entry,
          sizeof(WindowEntry));
  }
  found.known = true;
  return found;
}

}  // namespace netmod
