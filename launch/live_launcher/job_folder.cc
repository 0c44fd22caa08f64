// The files of a live job, and their removal.
#include "launch/live_launcher/job_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "corespec/host/os_thread.h"
#include "launch/start_up/job_name.h"
#include "ugni_emu/fabric/fabric_wire.h"

namespace launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* shared_memory = "/dev/shm";
constexpr const char* lock_name = "/lock";

std::string folder_of(const std::string& temporary, std::string_view job_name) {
  return fmt::format("{}/{}session", temporary, file_prefix(job_name));
}

bool is_own(const fs::path& path) {
  struct stat found {};
  return lstat(path.c_str(), &found) == 0 && found.st_uid == geteuid();
}

/// This user's entries of `folder` whose names begin with `prefix`.
std::vector<fs::path> own_entries(const std::string& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.compare(0, prefix.size(), prefix) == 0 && is_own(entry->path())) {
      found.push_back(entry->path());
    }
  }
  return found;
}

void remove_all(const std::vector<fs::path>& paths) {
  std::error_code ignored;  // another process may have removed it
  for (const fs::path& path : paths) fs::remove_all(path, ignored);
}

/// The name of the job that a file belongs to, if an aprun started it and is no more.
std::string dead_job_of(const fs::path& path) {
  constexpr std::string_view begin = "castor-";
  std::string name = path.filename().string();
  if (name.compare(0, begin.size(), begin) != 0) return "";
  name.erase(0, begin.size());
  // aprun-PID-MOMENT-...
  std::size_t end = 0;
  for (int dash = 0; dash < 3; ++dash) {
    end = name.find('-', dash == 0 ? 0 : end + 1);
    if (end == std::string::npos) return "";
  }
  name.erase(end);
  const int pid = apruns_pid(name);
  return pid > 0 && kill(pid, 0) != 0 && errno == ESRCH ? name : "";
}

/// True if a job's launcher holds the lock in its folder, from within another process namespace
/// perhaps.
bool is_locked(const std::string& folder) {
  const int lock = open((folder + lock_name).c_str(), O_RDWR | O_CLOEXEC);
  if (lock < 0) return false;
  const bool locked = flock(lock, LOCK_EX | LOCK_NB) != 0;
  close(lock);
  return locked;
}

/// Whether the process began with a variable of a rank of the job in its environment: it is a rank,
/// or a rank's child.
bool is_of_job(const fs::path& process, std::string_view job_name) {
  std::ifstream in(process / "environ", std::ios::binary);
  std::string variable;
  const std::string mark = fmt::format("PMIX_NAMESPACE={}-", job_name);  // the secret follows
  while (std::getline(in, variable, '\0')) {
    if (variable.compare(0, mark.size(), mark) == 0) return true;
  }
  return false;
}

std::vector<pid_t> processes_of(std::string_view job_name) {
  std::vector<pid_t> found;
  std::error_code error;
  fs::directory_iterator entry("/proc", error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const pid_t process = std::atoi(entry->path().filename().c_str());
    if (process > 0 && is_of_job(entry->path(), job_name)) found.push_back(process);
  }
  return found;
}

/// Ranks are dying with their launcher; what they have started is not.
void end_processes_of(std::string_view job_name) {
  constexpr int looks = 200;
  constexpr std::int64_t between_looks_ns = 10'000'000;
  for (int look = 0; look < looks; ++look) {
    const std::vector<pid_t> left = processes_of(job_name);
    if (left.empty()) return;
    for (const pid_t process : left) kill(process, SIGKILL);
    corespec::OsThread::rest(between_looks_ns);
  }
}

}  // namespace

JobFolder::JobFolder(std::string temporary, std::string job_name)
    : temporary_(std::move(temporary)),
      job_name_(std::move(job_name)),
      path_(folder_of(temporary_, job_name_)) {
  constexpr mode_t private_folder = 0700;
  constexpr mode_t private_file = 0600;
  const auto fail = [this] {
    return std::runtime_error(fmt::format("{}: {}", path_, std::strerror(errno)));
  };
  keeper_ = std::make_unique<JobKeeper>([this] {
    end_processes_of(job_name_);
    remove();
  });
  if (mkdir(path_.c_str(), private_folder) != 0) throw fail();
  lock_ = open((path_ + lock_name).c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, private_file);
  if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) != 0) throw fail();
}

JobFolder::~JobFolder() {
  remove();
  keeper_.reset();
  close(lock_);
}

void JobFolder::remove() const {
  remove_all(own_entries(shared_memory, file_prefix(job_name_)));
  ugni::FabricWire::remove_left_over();
  remove_all(own_entries(temporary_, file_prefix(job_name_)));
}

void JobFolder::sweep(const std::string& temporary) {
  std::set<std::string> dead;
  for (const char* folder : {temporary.c_str(), shared_memory}) {
    for (const fs::path& path : own_entries(folder, "castor-")) dead.insert(dead_job_of(path));
  }
  dead.erase("");
  for (const std::string& job : dead) {
    if (is_locked(folder_of(temporary, job))) continue;
    remove_all(own_entries(shared_memory, file_prefix(job)));
    remove_all(own_entries(temporary, file_prefix(job)));
  }
}

}  // namespace launch
