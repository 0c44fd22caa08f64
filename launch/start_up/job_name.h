// What a live job is called: in its launcher, and in the names of files that belong to it.
#pragma once

#include <string>
#include <string_view>

namespace launch {

/// A job's name for file names, from what its launcher calls it: letters, digits and - only, and
/// without aprun's secret.
std::string job_name_of(std::string_view launcher_name);

/// The name of a job that aprun starts: `pid` is aprun's, `moment` tells apart the jobs of
/// processes with one number.
std::string apruns_job_name(int pid, long moment);
/// What PMIx calls that job: `job_name`, which file names show, and 128 random bits. Throws
/// std::runtime_error with one line if the system has none.
std::string with_secret(std::string_view job_name);
bool is_apruns(std::string_view job_name);
/// The aprun's process number, or 0 if it is no such name.
int apruns_pid(std::string_view job_name);

/// What the names of all files in /dev/shm and in the temporary folder begin with that belong to
/// the job: "castor-<job name>-".
std::string file_prefix(std::string_view job_name);

}  // namespace launch
