// One endpoint's, or one component's, sampler.
#pragma once

#include <cstdint>

#include "corespec/random/random_stream.h"
#include "ugni_emu/telemetry/mark_choice.h"

namespace telemetry {

/// Takes some of what comes, as a Choice says. Has a stream of random numbers of its own: nothing
/// else in the run draws differently because of it.
class Sampler {
 public:
  Sampler(std::uint64_t seed, std::uint64_t stream) : random_(seed, stream) {}

  /// One more has come, at `now`; true if it is taken.
  bool takes(const Choice& choice, corespec::Time now) {
    switch (choice.sampler) {
      case Choice::Sampler::all:
        return true;
      case Choice::Sampler::random:
        return random_.below(choice.of) == 0;
      case Choice::Sampler::every:
        return ++come_ % choice.of == 0;
      case Choice::Sampler::moments:
        return takes_moment(now / choice.period + 1);
    }
    return false;
  }

  corespec::RandomStream& random() { return random_; }

 private:
  /// `moment`: those that have passed, the one at 0 among them.
  bool takes_moment(std::int64_t moment) {
    if (moment <= taken_) return false;
    taken_ = moment;
    return true;
  }

  corespec::RandomStream random_;
  std::uint64_t come_ = 0;
  std::int64_t taken_ = 0;  ///< the last moment that has had its one
};

}  // namespace telemetry
