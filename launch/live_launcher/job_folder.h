// The files of a live job, and their removal.
#pragma once

#include <string>

namespace launch {

/// A folder of the job's own in the temporary folder, gone with the object, as is everything else
/// that carries the job's name (file_prefix() in launch/start_up/job_name.h) there and in
/// /dev/shm. A lock in it tells a living job's from one whose launcher was killed.
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
  std::string path_;
  int lock_ = -1;
};

}  // namespace launch
