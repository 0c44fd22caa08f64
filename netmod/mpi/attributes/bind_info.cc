// MPI functions: info objects.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/attributes/info.h"
#include "netmod/mpi/calls/call_scope.h"

namespace netmod {
namespace {

InfoObject& find_info(RankState& rank, MPI_Info info) {
  if (InfoObject* found = rank.attributes().infos.find(info)) return *found;
  fail_handle(MPI_ERR_INFO, info, MPI_INFO_NULL, "info", "MPI_INFO_NULL", "an info object");
}

struct TextRule {
  const char* name;
  std::size_t shortest;
  std::size_t longest;
  int error_class;
};
constexpr TextRule key_rule{"key", 1, MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY};
constexpr TextRule value_rule{"value", 0, MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE};

std::string_view checked_text(const char* text, const TextRule& rule) {
  if (text == nullptr) fail(rule.error_class, fmt::format("{} is a null pointer", rule.name));
  const std::size_t length = strnlen(text, rule.longest + 1);
  if (length < rule.shortest || length > rule.longest) {
    fail(rule.error_class,
         fmt::format("{} has {} characters (allowed: {} to {})", rule.name,
                     length == 0 ? "no" : "too many", rule.shortest, rule.longest));
  }
  return {text, length};
}
std::string_view checked_key(const char* key) { return checked_text(key, key_rule); }

auto find_pair(auto& info, std::string_view key) {
  return std::find_if(info.pairs.begin(), info.pairs.end(),
                      [key](const auto& pair) { return pair.first == key; });
}

}  // namespace

const InfoObject& readable_info(RankState& rank, MPI_Info info) {
  static const InfoObject nothing;
  return info == MPI_INFO_ENV ? nothing : find_info(rank, info);
}

}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::RankState;

extern "C" {

int PMPI_Info_create(MPI_Info* info) {
  return call("MPI_Info_create", [&](RankState& rank) {
    check_pointer(info, "info");
    if (rank.attributes().infos.add(*info) == nullptr) {
      netmod::fail(MPI_ERR_NO_MEM, "too many info objects");
    }
  });
}
NETMOD_PUBLISH(Info_create);

int PMPI_Info_set(MPI_Info info, const char* key, const char* value) {
  return call("MPI_Info_set", [&](RankState& rank) {
    netmod::InfoObject& object = netmod::find_info(rank, info);
    const std::string_view name = netmod::checked_key(key);
    const std::string_view text = netmod::checked_text(value, netmod::value_rule);
    const auto found = netmod::find_pair(object, name);
    if (found == object.pairs.end()) {
      object.pairs.emplace_back(name, text);
    } else {
      found->second = text;
    }
  });
}
NETMOD_PUBLISH(Info_set);

int PMPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
  return call("MPI_Info_get", [&](RankState& rank) {
    const netmod::InfoObject& object = netmod::readable_info(rank, info);
    const std::string_view name = netmod::checked_key(key);
    netmod::check_count(valuelen, "valuelen");
    check_pointer(value, "value");
    check_pointer(flag, "flag");
    const auto found = netmod::find_pair(object, name);
    *flag = found != object.pairs.end() ? 1 : 0;
    if (*flag == 0) return;
    const std::size_t length = std::min(found->second.size(), static_cast<std::size_t>(valuelen));
    std::memcpy(value, found->second.data(), length);
    value[length] = '\0';
  });
}
NETMOD_PUBLISH(Info_get);

int PMPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
  return call("MPI_Info_get_valuelen", [&](RankState& rank) {
    const netmod::InfoObject& object = netmod::readable_info(rank, info);
    const std::string_view name = netmod::checked_key(key);
    check_pointer(valuelen, "valuelen");
    check_pointer(flag, "flag");
    const auto found = netmod::find_pair(object, name);
    *flag = found != object.pairs.end() ? 1 : 0;
    if (*flag != 0) *valuelen = static_cast<int>(found->second.size());
  });
}
NETMOD_PUBLISH(Info_get_valuelen);

int PMPI_Info_get_nkeys(MPI_Info info, int* nkeys) {
  return call("MPI_Info_get_nkeys", [&](RankState& rank) {
    check_pointer(nkeys, "nkeys");
    *nkeys = static_cast<int>(netmod::readable_info(rank, info).pairs.size());
  });
}
NETMOD_PUBLISH(Info_get_nkeys);

int PMPI_Info_get_nthkey(MPI_Info info, int n, char* key) {
  return call("MPI_Info_get_nthkey", [&](RankState& rank) {
    const netmod::InfoObject& object = netmod::readable_info(rank, info);
    check_pointer(key, "key");
    if (n < 0 || static_cast<std::size_t>(n) >= object.pairs.size()) {
      netmod::fail(MPI_ERR_ARG,
                   fmt::format("n is {} (the object has {} keys)", n, object.pairs.size()));
    }
    const std::string& name = object.pairs[static_cast<std::size_t>(n)].first;
    std::memcpy(key, name.c_str(), name.size() + 1);
  });
}
NETMOD_PUBLISH(Info_get_nthkey);

int PMPI_Info_delete(MPI_Info info, const char* key) {
  return call("MPI_Info_delete", [&](RankState& rank) {
    netmod::InfoObject& object = netmod::find_info(rank, info);
    const std::string_view name = netmod::checked_key(key);
    const auto found = netmod::find_pair(object, name);
    if (found == object.pairs.end()) {
      netmod::fail(MPI_ERR_INFO_NOKEY, fmt::format("the object has no key '{}'", name));
    }
    object.pairs.erase(found);
  });
}
NETMOD_PUBLISH(Info_delete);

int PMPI_Info_dup(MPI_Info info, MPI_Info* newinfo) {
  return call("MPI_Info_dup", [&](RankState& rank) {
    const netmod::InfoObject copy = netmod::readable_info(rank, info);
    check_pointer(newinfo, "newinfo");
    netmod::InfoObject* made = rank.attributes().infos.add(*newinfo);
    if (made == nullptr) netmod::fail(MPI_ERR_NO_MEM, "too many info objects");
    *made = copy;
  });
}
NETMOD_PUBLISH(Info_dup);

int PMPI_Info_free(MPI_Info* info) {
  return call("MPI_Info_free", [&](RankState& rank) {
    check_pointer(info, "info");
    netmod::find_info(rank, *info);
    rank.attributes().infos.remove(*info);
    *info = MPI_INFO_NULL;
  });
}
NETMOD_PUBLISH(Info_free);

}  // extern "C"
