// What a rank keeps under the keys of pthread_key_create().
#pragma once

#include <pthread.h>

#include <limits.h>

#include <vector>

namespace launch {

/// The keys that a rank's program has made, and what its thread keeps under them: a process has no
/// more than PTHREAD_KEYS_MAX, and so has each rank.
class ThreadKeys {
 public:
  /// The system's own keys are lower.
  static constexpr pthread_key_t first_key = 1U << 20;
  static bool is_key(pthread_key_t key) { return key >= first_key; }

  using Destructor = void (*)(void*);
  /// False if there are too many.
  bool make(Destructor destructor, pthread_key_t& key);
  // Of a key that there is not: false, and null.
  bool remove(pthread_key_t key);
  bool set(pthread_key_t key, void* value);
  void* value(pthread_key_t key) const;
  /// Runs the destructors of what there is, as at a thread's end.
  void destroy_values();

 private:
  struct Key {
    bool in_use = false;
    Destructor destructor = nullptr;
    void* value = nullptr;
  };
  Key* find(pthread_key_t key);

  std::vector<Key> keys_;
};

}  // namespace launch
