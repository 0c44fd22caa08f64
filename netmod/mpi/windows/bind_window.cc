// MPI functions: making windows, and what they are.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/attributes/attributes.h"
#include "netmod/mpi/attributes/info.h"
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/communicators/verdict.h"
#include "netmod/mpi/groups/communicator.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/windows/attached_memory.h"
#include "netmod/mpi/windows/epochs.h"
#include "netmod/mpi/windows/window_call.h"

namespace netmod {
namespace {

/// Makes a window by `make(rank, verdict)` on `comm`, and gives its handle.
template <class Make>
int make(const char* function, MPI_Comm comm, MPI_Win* win, const Make& make_window) {
  return call(function, comm, [&](RankState& rank) {
    Verdict verdict(rank, intracommunicator(rank, comm));
    verdict.check([&] { check_pointer(win, "win"); });
    *win = make_window(rank, verdict).handle;
  });
}

int allocate(const char* function, const WindowShape& shape, void* baseptr, MPI_Win* win,
             Window& (*allocate_memory)(RankState&, const WindowShape&, Verdict&)) {
  return make(function, shape.comm, win, [&](RankState& rank, Verdict& verdict) -> Window& {
    verdict.check([&] { check_pointer(baseptr, "baseptr"); });
    Window& window = allocate_memory(rank, shape, verdict);
    *static_cast<void**>(baseptr) = window.base;
    return window;
  });
}

AttachedMemory& attached(const Window& window) {
  if (window.attached != nullptr) return *window.attached;
  fail(MPI_ERR_RMA_FLAVOR, "the window is not one of MPI_Win_create_dynamic");
}

void query_shared(const Window& window, int asked, MPI_Aint* size, int* unit, void* baseptr) {
  check_pointer(size, "size");
  check_pointer(unit, "disp_unit");
  check_pointer(baseptr, "baseptr");
  if (window.flavor != MPI_WIN_FLAVOR_SHARED) {
    fail(MPI_ERR_RMA_FLAVOR, "the window is not one of MPI_Win_allocate_shared");
  }
  auto part = window.parts.end();
  if (asked == MPI_PROC_NULL) {
    part = std::find_if(window.parts.begin(), window.parts.end(),
                        [](const auto& each) { return each.second > 0; });
  } else if (asked >= 0 && asked < window.members->size()) {
    part = window.parts.begin() + asked;
  } else {
    fail(MPI_ERR_RANK, fmt::format("rank is {} (allowed: 0 to {}, MPI_PROC_NULL)", asked,
                                   window.members->size() - 1));
  }
  const bool none = part == window.parts.end();
  *size = none ? 0 : part->second;
  *unit = none ? 1 : window.units[static_cast<std::size_t>(part - window.parts.begin())];
  *static_cast<void**>(baseptr) = *size == 0 ? nullptr : part->first;
}

/// Where the value of a predefined attribute is; null: it is none.
const void* predefined_attribute(const Window& window, int key) {
  switch (key) {
    case MPI_WIN_BASE:
      return window.base;
    case MPI_WIN_SIZE:
      return &window.size;
    case MPI_WIN_DISP_UNIT:
      return &window.unit;
    case MPI_WIN_CREATE_FLAVOR:
      return &window.flavor;
    case MPI_WIN_MODEL:
      return &window.model;
    default:
      return nullptr;
  }
}

bool is_predefined_key(int key) {
  return key == MPI_WIN_BASE || key == MPI_WIN_SIZE || key == MPI_WIN_DISP_UNIT ||
         key == MPI_WIN_CREATE_FLAVOR || key == MPI_WIN_MODEL;
}

void check_window_key(RankState& rank, int key) {
  if (is_predefined_key(key)) {
    fail(MPI_ERR_KEYVAL, "a predefined attribute cannot be changed");
  }
  find_key(rank, key, AttributeOwner::window);
}

}  // namespace
}  // namespace netmod

using netmod::check_pointer;
using netmod::RankState;
using netmod::Verdict;
using netmod::Window;
using netmod::window_call;

extern "C" {

int PMPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                    MPI_Win* win) {
  return netmod::make(
      "MPI_Win_create", comm, win, [&](RankState& rank, Verdict& verdict) -> Window& {
        return netmod::create_window(rank, {comm, info, size, disp_unit}, base, verdict);
      });
}
NETMOD_PUBLISH(Win_create);

int PMPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                      MPI_Win* win) {
  return netmod::allocate("MPI_Win_allocate", {comm, info, size, disp_unit}, baseptr, win,
                          netmod::allocate_window);
}
NETMOD_PUBLISH(Win_allocate);

int PMPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                             void* baseptr, MPI_Win* win) {
  return netmod::allocate("MPI_Win_allocate_shared", {comm, info, size, disp_unit}, baseptr, win,
                          netmod::allocate_shared_window);
}
NETMOD_PUBLISH(Win_allocate_shared);

int PMPI_Win_shared_query(MPI_Win win, int asked, MPI_Aint* size, int* disp_unit, void* baseptr) {
  return window_call("MPI_Win_shared_query", win, [&](RankState&, const Window& window) {
    netmod::query_shared(window, asked, size, disp_unit, baseptr);
  });
}
NETMOD_PUBLISH(Win_shared_query);

int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return netmod::make("MPI_Win_create_dynamic", comm, win,
                      [&](RankState& rank, Verdict& verdict) -> Window& {
                        return netmod::create_dynamic_window(rank, {comm, info, 0, 1}, verdict);
                      });
}
NETMOD_PUBLISH(Win_create_dynamic);

int PMPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
  return window_call("MPI_Win_attach", win, [&](RankState&, const Window& window) {
    netmod::AttachedMemory& memory = netmod::attached(window);
    netmod::check_range(base, size);
    if (size > 0 && base == nullptr) netmod::fail(MPI_ERR_BASE, "base is a null pointer");
    memory.attach(base, size);
  });
}
NETMOD_PUBLISH(Win_attach);

int PMPI_Win_detach(MPI_Win win, const void* base) {
  return window_call("MPI_Win_detach", win, [&](RankState&, const Window& window) {
    netmod::attached(window).detach(base);
  });
}
NETMOD_PUBLISH(Win_detach);

int PMPI_Win_free(MPI_Win* win) {
  const MPI_Win asked = win == nullptr ? MPI_WIN_NULL : *win;
  return window_call("MPI_Win_free", asked, [&](RankState& rank, Window& window) {
    netmod::check_closed(window);
    window.members->enter();
    netmod::free_window(rank, window);
    *win = MPI_WIN_NULL;
  });
}
NETMOD_PUBLISH(Win_free);

int PMPI_Win_get_group(MPI_Win win, MPI_Group* group) {
  return window_call("MPI_Win_get_group", win, [&](RankState& rank, const Window& window) {
    check_pointer(group, "group");
    *group = rank.communicators().add_group(window.members->group);
  });
}
NETMOD_PUBLISH(Win_get_group);

int PMPI_Win_set_name(MPI_Win win, const char* win_name) {
  return window_call("MPI_Win_set_name", win, [&](RankState&, Window& window) {
    check_pointer(win_name, "win_name");
    window.extras.name.assign(win_name, strnlen(win_name, MPI_MAX_OBJECT_NAME - 1));
  });
}
NETMOD_PUBLISH(Win_set_name);

int PMPI_Win_get_name(MPI_Win win, char* win_name, int* resultlen) {
  return window_call("MPI_Win_get_name", win, [&](RankState&, const Window& window) {
    check_pointer(win_name, "win_name");
    check_pointer(resultlen, "resultlen");
    const std::string& name = window.extras.name;
    std::memcpy(win_name, name.c_str(), name.size() + 1);
    *resultlen = static_cast<int>(name.size());
  });
}
NETMOD_PUBLISH(Win_get_name);

int PMPI_Win_set_info(MPI_Win win, MPI_Info info) {
  return window_call("MPI_Win_set_info", win, [&](RankState& rank, Window& window) {
    netmod::take_hints(window, netmod::readable_info(rank, info));
  });
}
NETMOD_PUBLISH(Win_set_info);

int PMPI_Win_get_info(MPI_Win win, MPI_Info* info_used) {
  return window_call("MPI_Win_get_info", win, [&](RankState& rank, const Window& window) {
    check_pointer(info_used, "info_used");
    netmod::InfoObject* made = rank.attributes().infos.add(*info_used);
    if (made == nullptr) netmod::fail(MPI_ERR_NO_MEM, "too many info objects");
    made->pairs = window.info;
  });
}
NETMOD_PUBLISH(Win_get_info);

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* erase,
                           int* keyval, void* extra_state) {
  return netmod::create_key("MPI_Win_create_keyval", netmod::AttributeOwner::window, copy, erase,
                            keyval, extra_state);
}
NETMOD_PUBLISH(Win_create_keyval);

int PMPI_Win_free_keyval(int* keyval) {
  return netmod::free_key("MPI_Win_free_keyval", netmod::AttributeOwner::window, keyval);
}
NETMOD_PUBLISH(Win_free_keyval);

int PMPI_Win_get_attr(MPI_Win win, int keyval, void* value, int* flag) {
  return window_call("MPI_Win_get_attr", win, [&](RankState& rank, Window& window) {
    check_pointer(value, "value");
    check_pointer(flag, "flag");
    if (netmod::is_predefined_key(keyval)) {
      *flag = 1;
      *static_cast<const void**>(value) = netmod::predefined_attribute(window, keyval);
      return;
    }
    netmod::find_key(rank, keyval, netmod::AttributeOwner::window);
    netmod::get_value(&window.extras.attributes, keyval, value, flag);
  });
}
NETMOD_PUBLISH(Win_get_attr);

int PMPI_Win_set_attr(MPI_Win win, int keyval, void* value) {
  return window_call("MPI_Win_set_attr", win, [&](RankState& rank, Window& window) {
    netmod::check_window_key(rank, keyval);
    netmod::set_value(rank, win, window.extras.attributes, keyval, value);
  });
}
NETMOD_PUBLISH(Win_set_attr);

int PMPI_Win_delete_attr(MPI_Win win, int keyval) {
  return window_call("MPI_Win_delete_attr", win, [&](RankState& rank, Window& window) {
    netmod::check_window_key(rank, keyval);
    netmod::erase_value(rank, win, window.extras.attributes, keyval);
  });
}
NETMOD_PUBLISH(Win_delete_attr);

}  // extern "C"
