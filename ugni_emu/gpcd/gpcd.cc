// GPCD's C functions: contexts and their lists.
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <new>
#include <span>
#include <utility>

#include "ugni_emu/gpcd/mmr_names.h"
#include "ugni_emu/gpcd/read_registers.h"
#include "ugni_emu/include/gpcd_lib.h"

namespace {

constexpr int done = 0;

int refuse(int why) {
  errno = why;
  return -1;
}

/// What an error number means for the caller.
int answer(int why) { return why == 0 ? done : refuse(why); }

void free_list(gpcd_mmr_list_t* list) {
  while (list != nullptr) delete std::exchange(list, list->next);
}

/// A list of the same registers and values, in the same order, in `copy`. False without memory.
bool copy_list(const gpcd_mmr_list_t* list, gpcd_mmr_list_t*& copy) {
  gpcd_mmr_list_t** end = &copy;
  for (; list != nullptr; list = list->next) {
    auto* const entry = new (std::nothrow) gpcd_mmr_list_t{list->item, nullptr, list->value};
    if (entry == nullptr) return false;
    *end = entry;
    end = &entry->next;
  }
  return true;
}

/// Where the list points to the first entry of a register, or to its end.
gpcd_mmr_list_t** find_entry(gpcd_context_t& context, const gpcd_mmr_desc_t* item) {
  gpcd_mmr_list_t** at = &context.list;
  while (*at != nullptr && (*at)->item != item) at = &(*at)->next;
  return at;
}

int print_registers(std::span<const gpcd_mmr_desc_t> items) {
  for (const gpcd_mmr_desc_t& item : items) {
    if (std::printf("%s\n", item.name) < 0) return refuse(errno);
  }
  return done;
}

int read_one(gpcd_mmr_desc_t* item, uint64_t* value, uint32_t nic_addr) {
  if (!gpcd::is_register(item) || value == nullptr) return refuse(EINVAL);
  gpcd_mmr_list_t entry{item, nullptr, 0};
  gpcd_context_t context{&entry, 1, nic_addr};
  const int why = gpcd::read_registers(context);
  if (why == 0) *value = entry.value;
  return answer(why);
}

}  // namespace

extern "C" {

gpcd_mmr_desc_t* gpcd_lookup_mmr_byname(const char* name) {
  return name == nullptr ? nullptr : gpcd::find_register(name);
}

gpcd_context_t* gpcd_create_context(void) {
  auto* const context = new (std::nothrow) gpcd_context_t{};
  if (context == nullptr) errno = ENOMEM;
  return context;
}

int gpcd_remove_context(gpcd_context_t* context) {
  if (context == nullptr) return refuse(EINVAL);
  free_list(context->list);
  delete context;
  return done;
}

int gpcd_clone_context(const gpcd_context_t* context, gpcd_context_t* copy) {
  if (context == nullptr || copy == nullptr) return refuse(EINVAL);
  if (context == copy) return done;
  gpcd_mmr_list_t* list = nullptr;
  if (!copy_list(context->list, list)) {
    free_list(list);
    return refuse(ENOMEM);
  }
  free_list(copy->list);
  *copy = {list, context->count, context->nic_addr};
  return done;
}

int gpcd_context_add_mmr(gpcd_context_t* context, gpcd_mmr_desc_t* item) {
  if (context == nullptr || !gpcd::is_register(item)) return refuse(EINVAL);
  auto* const entry = new (std::nothrow) gpcd_mmr_list_t{item, context->list, 0};
  if (entry == nullptr) return refuse(ENOMEM);
  context->list = entry;
  ++context->count;
  return done;
}

int gpcd_context_remove_mmr(gpcd_context_t* context, gpcd_mmr_desc_t* item) {
  if (context == nullptr || item == nullptr) return refuse(EINVAL);
  gpcd_mmr_list_t** const at = find_entry(*context, item);
  if (*at == nullptr) return refuse(EINVAL);
  delete std::exchange(*at, (*at)->next);
  --context->count;
  return done;
}

gpcd_mmr_list_t* gpcd_context_find_list_byname(gpcd_context_t* context, const char* name) {
  const gpcd_mmr_desc_t* const item = gpcd_lookup_mmr_byname(name);
  return context == nullptr || item == nullptr ? nullptr : *find_entry(*context, item);
}

void gpcd_context_set_nic_addr(gpcd_context_t* context, uint32_t nic_addr) {
  if (context != nullptr) context->nic_addr = nic_addr;
}

int gpcd_context_read_mmr_vals(gpcd_context_t* context) {
  if (context == nullptr) return refuse(EINVAL);
  return answer(gpcd::read_registers(*context));
}

int gpcd_read_mmr_val(const gpcd_mmr_desc_t* item, uint64_t* value, uint32_t nic_addr) {
  return read_one(const_cast<gpcd_mmr_desc_t*>(item), value, nic_addr);
}

int gpcd_read_mmr_val_byname(const char* name, uint64_t* value, uint32_t nic_addr) {
  return read_one(gpcd_lookup_mmr_byname(name), value, nic_addr);
}

int gpcd_context_write_mmr_vals(gpcd_context_t*) { return refuse(EPERM); }
int gpcd_write_mmr_val(const gpcd_mmr_desc_t*, uint64_t*, uint32_t) { return refuse(EPERM); }
int gpcd_write_mmr_val_byname(const char*, uint64_t*, uint32_t) { return refuse(EPERM); }
int gpcd_disable_perms(void) { return refuse(EPERM); }
int gpcd_add_perms_entry(uint64_t, uint64_t) { return refuse(EPERM); }

int gpcd_context_print(gpcd_context_t* context) {
  if (context == nullptr) return refuse(EINVAL);
  for (const gpcd_mmr_list_t* entry = context->list; entry != nullptr; entry = entry->next) {
    const int length = std::printf("%s: %" PRIu64 "\n", entry->item->name, entry->value);
    if (length < 0) return refuse(errno);
  }
  return done;
}

int gpcd_print_valid_tile_mmrs(void) { return print_registers(gpcd::tile_registers()); }
int gpcd_print_valid_tile_static_mmrs(void) { return print_registers(gpcd::tile_registers()); }
int gpcd_print_valid_tile_filtering_mmrs(void) { return done; }
int gpcd_print_valid_nic_mmrs(void) { return print_registers(gpcd::nic_registers()); }
int gpcd_verbose_debug(int) { return done; }

}  // extern "C"
