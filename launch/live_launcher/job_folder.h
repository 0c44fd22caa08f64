// The files of a live job, and their removal.
#pragma once

#include <memory>
#include <string>

#include "launch/live_launcher/job_keeper.h"

namespace launch {

/// A folder of the job's own in the temporary folder, gone with the object, as is everything else
/// that carries the job's name (file_prefix() in launch/start_up/job_name.h) there and in
/// /dev/shm, and what ranks that were killed while they met have left in /dev/shm. If the launcher
/// is killed a JobKeeper clears all this away, and ends the job's processes. A lock in the folder
/// tells a living job's from one that nothing has cleared away.
class JobFolder {
 public:
  /// `temporary`: an existing folder (TMPDIR). Throws std::runtime_error with one line.
  JobFolder(std::string temporary, std::string job_name);
  ~JobFolder();
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;

  const std::string& path() const { return path_; }

  /// Removes what launchers of this user left in `temporary` and in /dev/shm that were killed.
  static void sweep(const std::string& temporary);

 private:
  std::string temporary_;
  std::string job_name_;
  void remove() const;

  std::string path_;
  int lock_ = -1;
  std::unique_ptr<JobKeeper> keeper_;
};

}  // namespace launch
