// Runs a program for a rank: initial stack, constructors, main, handlers at exit, destructors.
#include "launch/loader/rank_program.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "corespec/threads/thread.h"
#include "launch/loader/switch_stack.h"

namespace launch {

RankProgram* running_program_or_null() {
  corespec::Process* process = corespec::this_process_or_null();
  if (process == nullptr) return nullptr;
  auto* program = static_cast<RankProgram*>(process->state(corespec::Process::Slot::program));
  return program != nullptr && program->running() ? program : nullptr;
}

RankProgram::RankProgram(ProgramCopy& copy, std::vector<std::string> arguments,
                         std::vector<std::string> environment, std::string directory)
    : RankProgram(copy, std::make_shared<std::vector<std::string>>(std::move(arguments)),
                  std::make_shared<std::vector<std::string>>(std::move(environment)), {},
                  std::move(directory)) {}

RankProgram::RankProgram(ProgramCopy& copy, Texts arguments, Texts environment,
                         std::vector<std::string> own_environment, std::string directory)
    : copy_(&copy),
      arguments_(std::move(arguments)),
      environment_text_(std::move(environment)),
      own_environment_(std::move(own_environment)),
      directory_(std::move(directory)),
      first_directory_(directory_) {
  if (arguments_->empty()) arguments_->push_back(copy.image().path());
  const std::string& name = arguments_->front();
  short_name_ = name.substr(name.rfind('/') + 1);
  environment_.reserve(environment_text_->size() + own_environment_.size() + 1);
  for (std::string& entry : *environment_text_) environment_.push_back(entry.data());
  for (std::string& entry : own_environment_) environment_.push_back(entry.data());
  environment_.push_back(nullptr);
}

std::vector<std::uintptr_t> RankProgram::initial_stack() {
  std::vector<std::uintptr_t> words;
  const auto push = [&words](const auto& pointer) {
    words.push_back(reinterpret_cast<std::uintptr_t>(pointer));
  };
  words.reserve(arguments_->size() + environment_.size() + 16);
  words.push_back(arguments_->size());
  for (std::string& argument : *arguments_) push(argument.data());
  words.push_back(0);
  for (char* entry : environment_) push(entry);  // its null pointer included
  const auto auxiliary = [&words](std::uintptr_t type, std::uintptr_t value) {
    words.push_back(type);
    words.push_back(value);
  };
  auxiliary(AT_PHDR, copy_->program_headers());
  auxiliary(AT_PHENT, sizeof(Elf64_Phdr));
  auxiliary(AT_PHNUM, copy_->image().program().elf().header().e_phnum);
  auxiliary(AT_PAGESZ, static_cast<std::uintptr_t>(getpagesize()));
  auxiliary(AT_ENTRY, copy_->entry());
  auxiliary(AT_EXECFN, reinterpret_cast<std::uintptr_t>(arguments_->front().data()));
  auxiliary(AT_NULL, 0);
  return words;
}

ProgramEnd RankProgram::run() {
  const std::vector<std::uintptr_t> words = initial_stack();
  LibcVariables& variables = copy_->variables();
  *variables.optarg = nullptr;
  *variables.optind = 1;
  *variables.opterr = 1;
  *variables.optopt = '?';
  *variables.name = arguments_->front().data();
  *variables.short_name = short_name_.data();
  use_environment();
  running_ = true;
  launch_enter_program(copy_->entry(), words.data(), words.size(), &saved_stack_);
  return end_;
}

void RankProgram::start(Main main, int argc, char** argv, ProgramCopy::Function init,
                        void (*fini)()) {
  char** environment = environment_.data();
  const bool shared = copy_->image().shared();
  runs_destructors_ = !shared;
  if (copy_->claim_construction()) {
    constructing_shared_ = shared;
    if (fini != nullptr) {
      add_exit_handler({[](void* function) { reinterpret_cast<void (*)()>(function)(); }, nullptr,
                        reinterpret_cast<void*>(fini)});
    }
    for (const auto constructor : copy_->library_constructors()) {
      constructor(argc, argv, environment);
    }
    if (init != nullptr) {
      init(argc, argv, environment);  // runs the program's own, which it knows by address
    } else {
      for (const auto constructor : copy_->program_constructors()) {
        constructor(argc, argv, environment);
      }
    }
    constructing_shared_ = false;
  }
  exit(main(argc, argv, environment_.data()));
}

void RankProgram::run_handlers(std::vector<Handler>& handlers, int status) {
  // A handler may register further ones, or call exit(): each is taken off before it runs.
  while (!handlers.empty()) {
    const Handler handler = handlers.back();
    handlers.pop_back();
    if (handler.status_function != nullptr) {
      handler.status_function(status, handler.argument);
    } else {
      handler.function(handler.argument);
    }
  }
}

void RankProgram::exit(int status) {
  run_handlers(thread_exit_handlers_, status);
  run_handlers(exit_handlers_, status);
  if (std::exchange(runs_destructors_, false)) {
    for (const auto destructor : copy_->destructors()) destructor();
    run_handlers(exit_handlers_, status);
  }
  std::fflush(nullptr);
  leave(ProgramEnd::Kind::exited, status);
}

void RankProgram::exit_early(int status) { leave(ProgramEnd::Kind::exited_early, status); }

void RankProgram::quick_exit(int status) {
  run_handlers(quick_exit_handlers_, status);
  leave(ProgramEnd::Kind::exited_early, status);
}

void RankProgram::abort() {
  constexpr int status_of_sigabrt = 134;  // 128 + 6, as a shell reports it
  leave(ProgramEnd::Kind::aborted, status_of_sigabrt);
}

void RankProgram::leave(ProgramEnd::Kind kind, int status) {
  end_ = {kind, status & 0xff};
  running_ = false;
  launch_leave_program(saved_stack_);
}

void RankProgram::add_exit_handler(const Handler& handler) {
  // Objects of a shared image live on when its first rank has ended.
  if (!constructing_shared_) exit_handlers_.push_back(handler);
}

void RankProgram::add_quick_exit_handler(void (*function)(void*)) {
  quick_exit_handlers_.push_back({function, nullptr, nullptr});
}

void RankProgram::add_thread_exit_handler(void (*function)(void*), void* object) {
  thread_exit_handlers_.push_back({function, nullptr, object});
}

std::string RankProgram::resolve(const char* path) const {
  if (path == nullptr || path[0] == '/' || path[0] == '\0') return path == nullptr ? "" : path;
  return directory_ + "/" + path;
}

// --- environment ---

void RankProgram::use_environment() { *copy_->variables().environ = environment_.data(); }

std::size_t RankProgram::environment_index(const char* name, std::size_t length) const {
  const auto found = std::find_if(environment_.begin(), environment_.end(), [&](const char* entry) {
    return entry != nullptr && std::strncmp(entry, name, length) == 0 && entry[length] == '=';
  });
  return static_cast<std::size_t>(found - environment_.begin());
}

const char* RankProgram::environment_value(const char* name) const {
  const std::size_t length = std::strlen(name);
  // The program may have put a list of its own into `environ`. In a shared image that variable
  // may be another rank's.
  char** list = copy_->image().shared() ? nullptr : *copy_->variables().environ;
  if (list == nullptr || list == environment_.data()) {
    const std::size_t index = environment_index(name, length);
    return index < environment_.size() ? environment_[index] + length + 1 : nullptr;
  }
  for (; *list != nullptr; ++list) {
    if (std::strncmp(*list, name, length) == 0 && (*list)[length] == '=') {
      return *list + length + 1;
    }
  }
  return nullptr;
}

void RankProgram::put_environment(char* entry) {
  const auto length = static_cast<std::size_t>(std::strchr(entry, '=') - entry);
  const std::size_t index = environment_index(entry, length);
  if (index < environment_.size()) {
    environment_[index] = entry;
  } else {
    environment_.insert(environment_.end() - 1, entry);
  }
  use_environment();
}

void RankProgram::set_environment(const std::string& name, const std::string& value) {
  // Old values stay: the program may hold pointers to them, as with libc's.
  const std::string entry = name + "=" + value;
  owned_entries_.push_back(std::make_unique<char[]>(entry.size() + 1));
  std::memcpy(owned_entries_.back().get(), entry.c_str(), entry.size() + 1);
  put_environment(owned_entries_.back().get());
}

void RankProgram::unset_environment(const std::string& name) {
  for (;;) {
    const std::size_t index = environment_index(name.c_str(), name.size());
    if (index >= environment_.size()) break;
    environment_.erase(environment_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  use_environment();
}

void RankProgram::clear_environment() {
  environment_.assign(1, nullptr);
  use_environment();
}

}  // namespace launch
