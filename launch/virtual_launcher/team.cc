// A rank's threads, in virtual time: live programs start their own.
#include <exception>

#include "corespec/include/corespec_team.h"
#include "corespec/threads/thread_team.h"

extern "C" void* castor_team_start(int threads) {
  const corespec::LibraryCall call("corespec_team_start");
  if (call.thread() == nullptr || call.thread()->process() == nullptr) return nullptr;
  try {
    return new corespec::ThreadTeam(threads);
  } catch (const std::exception&) {
    return nullptr;
  }
}

extern "C" void castor_team_run(void* team, void (*body)(void*, int), void* argument) {
  const corespec::LibraryCall call("corespec_team_run");
  static_cast<corespec::ThreadTeam*>(team)->run(body, argument);
}

extern "C" void castor_team_end(void* team) {
  const corespec::LibraryCall call("corespec_team_end");
  delete static_cast<corespec::ThreadTeam*>(team);
}
