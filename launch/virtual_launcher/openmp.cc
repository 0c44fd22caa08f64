// Gives ranks one OpenMP thread.
#include "launch/virtual_launcher/openmp.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace launch {
namespace {

constexpr const char* threads_variable = "OMP_NUM_THREADS";
/// LLVM's library refuses to be in a process twice, as which ranks' copies look to it.
constexpr const char* duplicates_variable = "KMP_DUPLICATE_LIB_OK";

bool is_set(const std::vector<corespec::Setting>& settings, const char* name) {
  return std::any_of(settings.begin(), settings.end(),
                     [name](const corespec::Setting& setting) { return setting.first == name; });
}

/// A number, or a list of them: one for each level of nested regions.
bool is_one_thread(const std::string& value) {
  std::istringstream levels(value);
  std::string level;
  bool any = false;
  while (std::getline(levels, level, ',')) {
    level.erase(std::remove(level.begin(), level.end(), ' '), level.end());
    if (level.find_first_not_of('0') != level.size() - 1 || level.back() != '1') return false;
    any = true;
  }
  return any && value.back() != ',';
}

}  // namespace

std::string set_openmp(const std::string& library, std::vector<corespec::Setting>& settings) {
  const bool is_gnus = library.rfind("libgomp", 0) == 0;
  if (!is_gnus && !is_set(settings, duplicates_variable))
    settings.emplace_back(duplicates_variable, "TRUE");
  const auto last = std::find_if(settings.rbegin(), settings.rend(), [](const auto& setting) {
    return setting.first == threads_variable;
  });
  if (last == settings.rend()) {
    settings.emplace_back(threads_variable, "1");
    return fmt::format(
        "aprun: {} is not set and the program uses OpenMP ({}): ranks get 1 thread, as many as "
        "there can be in virtual time\n",
        threads_variable, library);
  }
  if (is_one_thread(last->second)) return {};
  throw std::invalid_argument(
      fmt::format("{} '{}': in virtual time a rank has one OpenMP thread; set it to 1, or run with "
                  "--clock live",
                  threads_variable, last->second));
}

void remove_openmp_files() {
  // LLVM's library notes the process there that it is in.
  const std::string name = fmt::format("/__KMP_REGISTERED_LIB_{}_{}", getpid(), getuid());
  shm_unlink(name.c_str());
}

}  // namespace launch
