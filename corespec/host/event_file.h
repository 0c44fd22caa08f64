// A file descriptor that is readable or not, as its owner says: programs may poll it.
#pragma once

namespace corespec {

class EventFile {
 public:
  /// Throws std::bad_alloc if the system has no descriptor left.
  EventFile();
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// A program has set O_NONBLOCK on it.
  bool non_blocking() const;

  void make_readable() const;
  void make_unreadable() const;

 private:
  int descriptor_;
};

}  // namespace corespec
