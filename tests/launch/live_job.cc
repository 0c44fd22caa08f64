// A live job under test.
#include "tests/launch/live_job.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "tests/support/aprun_command.h"

namespace launch_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool await(std::chrono::milliseconds longest, const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + longest;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

}  // namespace

bool lives(pid_t pid) {
  const std::string state = text_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = state.rfind(')');
  return name_end != std::string::npos && state.compare(name_end, 4, ") Z ", 4) != 0;
}

LiveJob::LiveJob(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& variables) {
  std::array<char, 32> folder{"/tmp/live_job_test_XXXXXX"};
  folder_ = mkdtemp(folder.data());
  std::vector<std::string> command{"env", "TMPDIR=/tmp"};
  command.insert(command.end(), variables.begin(), variables.end());
  for (const std::string& word : {tool("aprun"), std::string("--clock"), std::string("live")}) {
    command.push_back(word);
  }
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const std::string out = folder_ + "/out";
  const std::string err = folder_ + "/err";
  pid_ = fork();
  if (pid_ != 0) return;
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(open(out.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600), STDERR_FILENO);
  execvp("env", words.data());
  _exit(127);
}

LiveJob::~LiveJob() {
  if (!ended_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  fs::remove_all(folder_);
}

void LiveJob::send_signal(int number) const { kill(pid_, number); }

int LiveJob::wait(std::chrono::seconds longest) {
  int status = 0;
  ended_ = await(longest, [&] { return waitpid(pid_, &status, WNOHANG) == pid_; });
  if (!ended_) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string LiveJob::output() const { return text_of(folder_ + "/out"); }
std::string LiveJob::errors() const { return text_of(folder_ + "/err"); }

std::vector<pid_t> LiveJob::processes() const {
  const std::string mark = "ALPS_APP_ID=" + apid();
  std::vector<pid_t> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::stoi(name);
    const std::string variables = '\0' + text_of(entry.path() / "environ");
    if (variables.find('\0' + mark + '\0') != std::string::npos && lives(pid)) {
      found.push_back(pid);
    }
  }
  return found;
}

pid_t LiveJob::server() const { return child("castor-pmix"); }

pid_t LiveJob::child(const std::string& name) const {
  const std::string pid = std::to_string(pid_);
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  for (pid_t child = 0; children >> child;) {
    if (text_of("/proc/" + std::to_string(child) + "/comm") == name + "\n") return child;
  }
  return -1;
}

bool LiveJob::await_lines(std::size_t count) const {
  return await(30s, [&] {
    const std::string text = output();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= count;
  });
}

std::vector<std::string> LiveJob::files() const {
  const std::string begin = "castor-aprun-" + std::to_string(pid_) + "-";
  std::vector<std::string> found;
  for (const char* folder : {"/tmp", "/dev/shm"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().string().rfind(begin, 0) == 0) found.push_back(entry.path());
    }
  }
  return found;
}

std::string LiveJob::left_behind() const {
  await(5s, [this] { return processes().empty() && files().empty(); });
  std::string list;
  for (const pid_t pid : processes()) {
    list += "process " + std::to_string(pid) + " " +
            text_of("/proc/" + std::to_string(pid) + "/cmdline") + "\n";
  }
  for (const std::string& file : files()) list += file + "\n";
  return list;
}

}  // namespace launch_test
