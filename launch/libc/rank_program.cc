// Runs a program for a rank: initial stack, constructors, main, handlers at exit, destructors.
#include "launch/libc/rank_program.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "corespec/threads/rank_memory.h"
#include "corespec/threads/thread.h"
#include "launch/libc/switch_stack.h"
#include "launch/loader/opened_libraries.h"

namespace launch {

RankProgram* running_program_or_null() {
  corespec::Process* process = corespec::this_process_or_null();
  if (process == nullptr) return nullptr;
  auto* program = static_cast<RankProgram*>(process->state(corespec::Process::Slot::program));
  return program != nullptr && program->running() ? program : nullptr;
}

namespace {

/// For each of the entries, which lie one behind the other; a null follows the last.
template <typename Function>
void for_each_entry(char* entries, Function function) {
  for (; *entries != '\0'; entries += std::strlen(entries) + 1) function(entries);
}

}  // namespace

RankProgram::RankProgram(ProgramCopy& copy, std::vector<std::string> arguments,
                         std::vector<std::string> environment, std::string directory)
    : RankProgram(copy, std::make_shared<std::vector<std::string>>(std::move(arguments)),
                  std::make_shared<std::vector<std::string>>(std::move(environment)), {},
                  std::make_shared<const std::string>(std::move(directory))) {}

RankProgram::RankProgram(ProgramCopy& copy, Texts arguments, Texts environment,
                         std::string own_environment, Directory directory,
                         std::shared_ptr<Common> common)
    : copy_(&copy),
      arguments_(std::move(arguments)),
      environment_text_(std::move(environment)),
      own_environment_(std::move(own_environment)),
      common_(std::move(common)),
      first_directory_(std::move(directory)),
      directory_(first_directory_) {
  if (arguments_->empty()) arguments_->push_back(copy.image().path());
  make_initial_stack();
}

void RankProgram::make_initial_stack() {
  constexpr std::size_t auxiliary_words = 14;
  const auto push = [this](const auto& pointer) {
    words_.push_back(reinterpret_cast<std::uintptr_t>(pointer));
  };
  std::size_t bytes = 0;
  for (const Texts& texts : {arguments_, environment_text_}) {
    for (const std::string& text : *texts) bytes += text.size() + 1;
  }
  const bool shared = copy_->image().shared();
  if (!shared) own_texts_.reserve(bytes);
  const auto push_text = [&](std::string& text) {
    push(shared ? text.data() : own_texts_.data() + own_texts_.size());
    if (!shared) own_texts_.insert(own_texts_.end(), text.c_str(), text.c_str() + text.size() + 1);
  };
  if (common_ != nullptr) {
    words_.swap(common_->initial_stack);
    words_.clear();
  }
  std::size_t own_entries = 0;
  for_each_entry(own_environment_.data(), [&](const char*) { ++own_entries; });
  words_.reserve(arguments_->size() + environment_text_->size() + own_entries + 3 +
                 auxiliary_words);
  words_.push_back(arguments_->size());
  for (std::string& argument : *arguments_) push_text(argument);
  words_.push_back(0);
  for (std::string& entry : *environment_text_) push_text(entry);
  for_each_entry(own_environment_.data(), push);
  words_.push_back(0);
  const auto auxiliary = [this](std::uintptr_t type, std::uintptr_t value) {
    words_.push_back(type);
    words_.push_back(value);
  };
  auxiliary(AT_PHDR, copy_->program_headers());
  auxiliary(AT_PHENT, sizeof(Elf64_Phdr));
  auxiliary(AT_PHNUM, copy_->image().program().elf().header().e_phnum);
  auxiliary(AT_PAGESZ, static_cast<std::uintptr_t>(getpagesize()));
  auxiliary(AT_ENTRY, copy_->entry());
  auxiliary(AT_EXECFN, words_[1]);
  auxiliary(AT_NULL, 0);
}

void RankProgram::set_variables() {
  LibcVariables& variables = copy_->variables();
  *variables.optarg = nullptr;
  *variables.optind = 1;
  *variables.opterr = 1;
  *variables.optopt = '?';
  char* const name = reinterpret_cast<char*>(words_[1]);
  char* const slash = std::strrchr(name, '/');
  *variables.name = name;
  *variables.short_name = slash == nullptr ? name : slash + 1;
  use_environment();
}

ProgramEnd RankProgram::run() {
  set_variables();
  running_ = true;
  launch_enter_program(copy_->entry(), words_.data(), words_.size(), &saved_stack_);
  return end_;
}

/// The initial stack has served: the start-up code has found everything on it. It stays where it
/// was made, in words_, and the program goes on in its place: a page of stack more or less counts
/// where ranks are many.
void RankProgram::start(Main main, int argc, char** argv, ProgramCopy::Function init,
                        void (*fini)()) {
  const std::uintptr_t on_stack = launch_entered_stack(saved_stack_, words_.size());
  const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(argv) - on_stack;
  if (place < words_.size() * sizeof(std::uintptr_t)) {
    const std::size_t first = place / sizeof(std::uintptr_t);
    const std::size_t end = arguments_->size() + 2;  // argc, argv, its null
    if (common_ != nullptr && first < end) {
      first_words_.assign(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(end));
      argv = reinterpret_cast<char**>(first_words_.data() + first);
    } else {
      argv = reinterpret_cast<char**>(words_.data() + first);
    }
  }
  start_ = {main, argc, argv, init, fini};
  if (!first_words_.empty()) words_.swap(common_->initial_stack);
  launch_continue_program(saved_stack_, go_on, this);
}

void RankProgram::go_on(void* program) {
  auto& self = *static_cast<RankProgram*>(program);
  self.construct();
  self.exit(self.start_.main(self.start_.argc, self.start_.argv, self.environment_list()));
}

// Of its own, so that it takes no room under main.
[[gnu::noinline]] void RankProgram::construct() {
  const auto& [main, argc, argv, init, fini] = start_;
  char** environment = environment_list();
  const bool shared = copy_->image().shared();
  runs_destructors_ = !shared;
  if (!copy_->claim_construction()) return;
  constructing_shared_ = shared;
  // What the constructors of a shared image allocate is no rank's.
  std::optional<corespec::HostMemory> all_ranks;
  if (shared) all_ranks.emplace();
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

void RankProgram::add_handler(Occasion occasion, const Handler& handler) {
  if (handlers_ == nullptr) handlers_ = std::make_unique<Handlers>();
  ((*handlers_).*occasion).push_back(handler);
}

void RankProgram::run_handlers(Occasion occasion, int status) {
  if (handlers_ == nullptr) return;
  // A handler may register further ones, or call exit(): each is taken off before it runs.
  std::vector<Handler>& handlers = (*handlers_).*occasion;
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
  run_handlers(&Handlers::thread_exit, status);
  run_handlers(&Handlers::exit, status);
  if (std::exchange(runs_destructors_, false)) {
    const std::vector<void (*)()> destructors = copy_->destructors();  // they may open libraries
    for (const auto destructor : destructors) destructor();
    run_handlers(&Handlers::exit, status);
  }
  std::fflush(nullptr);
  leave(ProgramEnd::Kind::exited, status);
}

void RankProgram::exit_early(int status) { leave(ProgramEnd::Kind::exited_early, status); }

void RankProgram::quick_exit(int status) {
  run_handlers(&Handlers::quick_exit, status);
  leave(ProgramEnd::Kind::exited_early, status);
}

void RankProgram::abort() {
  constexpr int status_of_sigabrt = 134;  // 128 + 6, as a shell reports it
  leave(ProgramEnd::Kind::aborted, status_of_sigabrt);
}

void RankProgram::leave(ProgramEnd::Kind kind, int status) {
  end_ = {kind, status & 0xff};
  running_ = false;
  if (signals != nullptr) signals->program_ended();
  launch_leave_program(saved_stack_);
}

void RankProgram::add_exit_handler(const Handler& handler) {
  // Objects of a shared image live on when its first rank has ended.
  if (!constructing_shared_) add_handler(&Handlers::exit, handler);
}

void RankProgram::add_quick_exit_handler(void (*function)(void*)) {
  add_handler(&Handlers::quick_exit, {function, nullptr, nullptr});
}

void RankProgram::add_thread_exit_handler(void (*function)(void*), void* object) {
  add_handler(&Handlers::thread_exit, {function, nullptr, object});
}

std::string RankProgram::resolve(const char* path) const {
  if (path == nullptr || path[0] == '/' || path[0] == '\0') return path == nullptr ? "" : path;
  return *directory_ + "/" + path;
}

void* RankProgram::open_library(const char* name, int mode, const void* caller) {
  if (library_error_ != nullptr) library_error_->pending.clear();
  OpenedLibraries::Opened opened;
  {
    const corespec::LibraryCall call("dlopen");
    const std::string path = std::strchr(name, '/') != nullptr ? resolve(name) : name;
    opened = copy_->opened().open(path, mode, caller);
  }
  if (opened.constructors.empty()) return opened.handle;
  const bool constructing = std::exchange(constructing_shared_, copy_->image().shared());
  for (const auto constructor : opened.constructors) {
    constructor(start_.argc, start_.argv, environment_list());
  }
  constructing_shared_ = constructing;
  return opened.handle;
}

void RankProgram::set_library_error(std::string text) {
  if (library_error_ == nullptr) library_error_ = std::make_unique<LibraryError>();
  library_error_->pending = std::move(text);
}

char* RankProgram::take_library_error() {
  if (library_error_ == nullptr || library_error_->pending.empty()) return nullptr;
  LibraryError& error = *library_error_;
  error.last.swap(error.pending);
  error.pending.clear();
  return error.last.data();
}

// --- environment ---

char** RankProgram::environment_list() {
  if (!environment_.empty()) return environment_.data();
  if (common_ != nullptr) return common_->environment.data();
  return reinterpret_cast<char**>(words_.data() + 1 + arguments_->size() + 1);
}

/// The list as one that can grow and shrink.
RankProgram::MappedVector<char*>& RankProgram::own_environment_list() {
  if (environment_.empty()) {
    char** end = environment_list();
    while (*end != nullptr) ++end;
    environment_.assign(environment_list(), end);
    if (common_ != nullptr) {
      for_each_entry(own_environment_.data(),
                     [this](char* entry) { environment_.push_back(entry); });
    }
    environment_.push_back(nullptr);
  }
  return environment_;
}

void RankProgram::use_environment() { *copy_->variables().environ = environment_list(); }

std::size_t RankProgram::environment_index(const char* name, std::size_t length) {
  const MappedVector<char*>& list = own_environment_list();
  const auto found = std::find_if(list.begin(), list.end(), [&](const char* entry) {
    return entry != nullptr && std::strncmp(entry, name, length) == 0 && entry[length] == '=';
  });
  return static_cast<std::size_t>(found - list.begin());
}

namespace {

/// The value in "NAME=value", if that is the name; else null.
const char* value_in(const char* entry, const char* name, std::size_t length) {
  const bool named = std::strncmp(entry, name, length) == 0 && entry[length] == '=';
  return named ? entry + length + 1 : nullptr;
}

}  // namespace

const char* RankProgram::environment_value(const char* name) {
  const std::size_t length = std::strlen(name);
  if (common_ != nullptr && environment_.empty()) {
    const char* found = nullptr;
    for_each_entry(own_environment_.data(), [&](const char* entry) {
      if (found == nullptr) found = value_in(entry, name, length);
    });
    if (found != nullptr) return found;
  }
  // The program may have put a list of its own into `environ`. In a shared image that variable
  // may be another rank's.
  char** list = copy_->image().shared() ? nullptr : *copy_->variables().environ;
  if (list == nullptr) list = environment_list();
  for (; *list != nullptr; ++list) {
    if (const char* value = value_in(*list, name, length)) return value;
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
