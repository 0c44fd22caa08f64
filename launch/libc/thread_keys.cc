// Interposed libc: the keys of pthread_key_create(), of which each rank has its own.
#include "launch/libc/thread_keys.h"

#include <threads.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "launch/libc/real.h"

namespace launch {

bool ThreadKeys::make(Destructor destructor, pthread_key_t& key) {
  auto free = std::find_if(keys_.begin(), keys_.end(), [](const Key& one) { return !one.in_use; });
  if (free == keys_.end()) {
    if (keys_.size() == PTHREAD_KEYS_MAX) return false;
    free = keys_.emplace(free);
  }
  *free = {true, destructor, nullptr};
  key = first_key + static_cast<pthread_key_t>(free - keys_.begin());
  return true;
}

ThreadKeys::Key* ThreadKeys::find(pthread_key_t key) {
  const std::size_t index = key - first_key;
  return index < keys_.size() && keys_[index].in_use ? &keys_[index] : nullptr;
}

bool ThreadKeys::remove(pthread_key_t key) {
  Key* const found = find(key);
  if (found != nullptr) *found = {};
  return found != nullptr;
}

bool ThreadKeys::set(pthread_key_t key, void* value) {
  Key* const found = find(key);
  if (found != nullptr) found->value = value;
  return found != nullptr;
}

void* ThreadKeys::value(pthread_key_t key) const {
  const Key* const found = const_cast<ThreadKeys*>(this)->find(key);
  return found == nullptr ? nullptr : found->value;
}

void ThreadKeys::destroy_values() {
  // A destructor may set values again.
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Key key = keys_[i];
      if (!key.in_use || key.destructor == nullptr || key.value == nullptr) continue;
      keys_[i].value = nullptr;
      key.destructor(key.value);
    }
  }
}

namespace {

/// Of the rank whose program (or one of its own libraries) calls from `caller`: libraries that
/// ranks share have keys that they share. Null: not a rank's.
ThreadKeys* keys_of_caller_or_null(const void* caller) {
  RankProgram* program = running_program_or_null();
  if (program == nullptr || !program->copy().contains(caller)) return nullptr;
  if (program->thread_keys == nullptr) program->thread_keys = std::make_unique<ThreadKeys>();
  return program->thread_keys.get();
}

ThreadKeys* ranks_keys_or_null() {
  RankProgram* program = running_program_or_null();
  return program == nullptr ? nullptr : program->thread_keys.get();
}

}  // namespace
}  // namespace launch

using launch::ThreadKeys;

extern "C" {

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  if (ThreadKeys* keys = launch::keys_of_caller_or_null(__builtin_return_address(0))) {
    return keys->make(destructor, *key) ? 0 : EAGAIN;
  }
  static const auto real =
      launch::real_function<int(pthread_key_t*, void (*)(void*))>("pthread_key_create");
  return real(key, destructor);
}

int pthread_key_delete(pthread_key_t key) noexcept {
  if (ThreadKeys::is_key(key)) {
    ThreadKeys* const keys = launch::ranks_keys_or_null();
    return keys != nullptr && keys->remove(key) ? 0 : EINVAL;
  }
  static const auto real = launch::real_function<int(pthread_key_t)>("pthread_key_delete");
  return real(key);
}

void* pthread_getspecific(pthread_key_t key) noexcept {
  if (ThreadKeys::is_key(key)) {
    const ThreadKeys* const keys = launch::ranks_keys_or_null();
    return keys == nullptr ? nullptr : keys->value(key);
  }
  static const auto real = launch::real_function<void*(pthread_key_t)>("pthread_getspecific");
  return real(key);
}

int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  if (ThreadKeys::is_key(key)) {
    ThreadKeys* const keys = launch::ranks_keys_or_null();
    return keys != nullptr && keys->set(key, const_cast<void*>(value)) ? 0 : EINVAL;
  }
  static const auto real =
      launch::real_function<int(pthread_key_t, const void*)>("pthread_setspecific");
  return real(key, value);
}

int tss_create(tss_t* key, tss_dtor_t destructor) {
  if (ThreadKeys* keys = launch::keys_of_caller_or_null(__builtin_return_address(0))) {
    return keys->make(destructor, *key) ? thrd_success : thrd_error;
  }
  return launch::real_function<int(tss_t*, tss_dtor_t)>("tss_create")(key, destructor);
}

void tss_delete(tss_t key) { pthread_key_delete(key); }

void* tss_get(tss_t key) { return pthread_getspecific(key); }

int tss_set(tss_t key, void* value) {
  return pthread_setspecific(key, value) == 0 ? thrd_success : thrd_error;
}

}  // extern "C"
