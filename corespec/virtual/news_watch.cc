// Sees that a run goes on although nothing new can happen in it any more.
#include "corespec/virtual/news_watch.h"

#include <algorithm>

#include "corespec/virtual/engine.h"

namespace corespec {

/// Looking at every domain takes a while: after so many events that it costs each of them as good
/// as nothing. While there is news, or if not all could look twice, periods become longer.
void NewsWatch::look() {
  constexpr std::size_t per_domain = 4;
  constexpr std::size_t longest = 1U << 21;
  const bool quiet = !engine_.expects_news();
  if (quiet && quiet_) engine_.give_up();
  if (!quiet) engine_.go_on();
  quiet_ = quiet;
  if (!quiet) length_ = std::max(per_domain * engine_.domains(), std::min(2 * length_, longest));
  begin_period();
}

void NewsWatch::hear_news() {
  quiet_ = false;
  engine_.go_on();
}

bool NewsWatch::gave_up() const { return engine_.gave_up(); }

}  // namespace corespec
