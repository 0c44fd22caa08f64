// A rank's run of a program: what a process owns (arguments, environment, directory, handlers at
// exit), from the program's entry point to its end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "corespec/threads/process.h"
#include "launch/libc/mapped_memory.h"
#include "launch/libc/sequence_state.h"
#include "launch/libc/thread_keys.h"
#include "launch/loader/program_copy.h"

namespace launch {

/// How a rank's program ended.
struct ProgramEnd {
  enum class Kind : std::uint8_t {
    exited,        ///< returned from main or called exit(): handlers and destructors have run
    exited_early,  ///< called _exit(), _Exit() or quick_exit()
    aborted        ///< called abort(), failed an assertion, let an exception escape; status 134
  };
  Kind kind = Kind::exited;
  int status = 0;  ///< 0 to 255
};

class CpuHost;
class NodeFiles;
class RankHeap;
class SignalHost;

/// What the rank has of something that a process has of its own, made when it first asks for it.
class RankPart {
 public:
  virtual ~RankPart() = default;
  /// Nothing of the program runs any more.
  virtual void program_ended() = 0;
};

/// Kept in its process's slot Process::Slot::program. One per rank; a shared image's ranks have
/// one ProgramCopy in common.
class RankProgram final : public corespec::ProcessState {
 public:
  template <typename Value>
  using MappedVector = std::vector<Value, MappedMemory<Value>>;

  /// `arguments` include the program's name; `environment` holds NAME=value; `directory` is the
  /// rank's working directory.
  RankProgram(ProgramCopy& copy, std::vector<std::string> arguments,
              std::vector<std::string> environment, std::string directory);
  /// The same with texts that ranks have in common, and entries of the rank's own, each of which
  /// ends with a null. Programs that
  /// have globals of their own may write to both, so each rank gets its copy; ranks of a shared
  /// image may have more in common.
  using Texts = std::shared_ptr<std::vector<std::string>>;
  using Directory = std::shared_ptr<const std::string>;
  struct Common {
    /// The list that the program sees: pointers to the texts and a null. It lacks the rank's own
    /// entries, which environment_value() has.
    std::vector<char*> environment;
    /// Room for an initial stack, which each rank needs for a moment: a mapping for each is dear
    /// where ranks are many.
    MappedVector<std::uintptr_t> initial_stack;
  };
  RankProgram(ProgramCopy& copy, Texts arguments, Texts environment, std::string own_environment,
              Directory directory, std::shared_ptr<Common> common = nullptr);
  RankProgram(const RankProgram&) = delete;
  RankProgram& operator=(const RankProgram&) = delete;

  /// Runs the program to its end on the calling stack (a rank's fiber). Call it once.
  ProgramEnd run();
  bool running() const { return running_; }
  ProgramCopy& copy() { return *copy_; }
  const ProgramCopy& copy() const { return *copy_; }

  // What the interposed libc functions do. Called on the rank's own thread while running().
  using Main = int (*)(int, char**, char**);
  /// Runs the constructors and main. `init` and `fini` are those of start-up code older than
  /// glibc 2.34, else null.
  [[noreturn]] void start(Main main, int argc, char** argv, ProgramCopy::Function init,
                          void (*fini)());
  [[noreturn]] void exit(int status);
  [[noreturn]] void exit_early(int status);
  [[noreturn]] void quick_exit(int status);
  [[noreturn]] void abort();

  /// Handlers run in reverse order. `takes_status` is on_exit's form: function(status, argument).
  struct Handler {
    void (*function)(void*) = nullptr;
    void (*status_function)(int, void*) = nullptr;
    void* argument = nullptr;
  };
  void add_exit_handler(const Handler& handler);
  void add_quick_exit_handler(void (*function)(void*));
  void add_thread_exit_handler(void (*function)(void*), void* object);

  // The environment (NAME=value), as getenv and its like see it.
  const char* environment_value(const char* name);
  /// Keeps `entry` ("NAME=value") as it is, like putenv(); replaces an entry of the same name.
  void put_environment(char* entry);
  void set_environment(const std::string& name, const std::string& value);
  void unset_environment(const std::string& name);
  void clear_environment();

  const std::string& directory() const { return *directory_; }
  void set_directory(std::string directory) {
    directory_ = std::make_shared<const std::string>(std::move(directory));
  }
  /// True once the rank has changed its directory: relative paths then need resolve().
  bool moved() const { return *directory_ != *first_directory_; }
  /// `path` as seen from the rank's directory.
  std::string resolve(const char* path) const;

  /// dlopen() by the code at `caller`: the handle, or null (RTLD_NOLOAD). Runs the constructors of
  /// what it loads. Throws LoadError.
  void* open_library(const char* name, int mode, const void* caller);
  // dlerror()'s text of what failed here, not in the dynamic loader.
  void set_library_error(std::string text);
  /// Once; null if there is none.
  char* take_library_error();

  /// getopt's own state between calls.
  struct OptionScan {
    const char* next_short = nullptr;  ///< rest of a group of short options
    int first_operand = 1;             ///< operands skipped so far: [first, last)
    int last_operand = 1;
    bool started = false;
  };
  OptionScan option_scan;

  /// Random generators and the like; null before their first use.
  std::unique_ptr<SequenceState> sequences;

  /// Keys of pthread_key_create(); null before their first use.
  std::unique_ptr<ThreadKeys> thread_keys;

  /// Its memory; null: the process's.
  RankHeap* heap = nullptr;
  /// What its signals need of the machine; null: they are the process's.
  SignalHost* signal_host = nullptr;
  /// Actions, mask and timers (RankSignals); null before the rank first asks for one of them.
  std::unique_ptr<RankPart> signals;
  /// What its CPUs need of the machine; null: they are the host's.
  CpuHost* cpu_host = nullptr;
  /// What its node has; null: what the host has.
  const NodeFiles* node_files = nullptr;
  /// What it has asked to run on (sched_setaffinity()); null before that.
  std::unique_ptr<RankPart> asked_cpus;

 private:
  [[noreturn]] void leave(ProgramEnd::Kind kind, int status);
  /// Most programs have none.
  struct Handlers {
    std::vector<Handler> exit, quick_exit, thread_exit;
  };
  struct LibraryError {
    std::string pending, last;
  };
  using Occasion = std::vector<Handler> Handlers::*;
  void add_handler(Occasion occasion, const Handler& handler);
  void run_handlers(Occasion occasion, int status);
  void make_initial_stack();
  void set_variables();
  void construct();
  [[noreturn]] static void go_on(void* program);
  char** environment_list();
  MappedVector<char*>& own_environment_list();
  void use_environment();
  std::size_t environment_index(const char* name, std::size_t length);

  /// What the program's start-up code gave to start().
  struct Start {
    Main main = nullptr;
    int argc = 0;
    char** argv = nullptr;
    ProgramCopy::Function init = nullptr;
    void (*fini)() = nullptr;
  };

  ProgramCopy* copy_;
  Texts arguments_;
  Texts environment_text_;
  std::string own_environment_;  ///< entries, each with its null
  std::shared_ptr<Common> common_;
  MappedVector<char> own_texts_;  ///< arguments and environment, unless the image is shared
  /// The initial stack: argc, argv, environment, auxiliary vector. With a common environment
  /// only argc and argv stay, in first_words_.
  MappedVector<std::uintptr_t> words_;
  std::vector<std::uintptr_t> first_words_;
  MappedVector<char*> environment_;  ///< once it differs from the first list; ends with a null
  Directory first_directory_, directory_;
  std::unique_ptr<Handlers> handlers_;
  std::unique_ptr<LibraryError> library_error_;  ///< once there has been one
  std::vector<std::unique_ptr<char[]>> owned_entries_;
  ProgramEnd end_;
  Start start_;
  void* saved_stack_ = nullptr;
  bool running_ = false;
  bool constructing_shared_ = false;
  bool runs_destructors_ = true;
};

/// The calling rank's program, or null: not on a rank's thread, or its program is not running.
RankProgram* running_program_or_null();

}  // namespace launch
