// The end of a process's main thread alone: pthread_exit() in main.
#pragma once

#include <set>

namespace launch {

/// The calling process's threads, as /proc knows them.
std::set<int> threads_of_process();

/// A process ends with its last thread, exit code 0; but the libraries' threads do not end before
/// the process. If the calling thread is the main one and ends alone, it waits until none are left
/// but the threads `of_libraries`, and those that the libraries start later, which bear names of
/// theirs. Then it calls exit(0).
void end_process_after_main_thread(std::set<int> of_libraries);

}  // namespace launch
