// The child process in which a program's first copy is loaded.
#include "launch/loader/trial.h"

#include <signal.h>

#include <cstring>

#include "corespec/host/in_child.h"
#include "launch/loader/load_error.h"
#include "launch/loader/program_copy.h"
#include "launch/loader/program_image.h"

namespace launch {

std::string loader_crash(int signal) {
  const bool late = signal == 0 || signal == SIGXCPU || signal == SIGKILL;
  return late ? std::string(
                    "the dynamic loader does not come to an end with it: damaged? Build it again")
              : std::string("the dynamic loader crashed on it (") + strsignal(signal) +
                    "): damaged? Build it again";
}

void try_loading(const ProgramImage& image) {
  constexpr int patience_s = 30;
  // What is an error there, loading again finds and says; and so if there can be no child.
  const int end = corespec::run_in_child(patience_s, [&image] { ProgramCopy::load(image, 0); });
  if (end > 0) throw LoadError(image.path(), loader_crash(end));
}

}  // namespace launch
