// Seeded noise of a node.
#include "corespec/virtual/noise.h"

#include "corespec/events/observer.h"
#include "corespec/virtual/news_watch.h"
#include "corespec/virtual/virtual_node.h"

namespace corespec {

Noise::Noise(VirtualNode& node, NewsWatch& watch, EventSource source, std::uint64_t seed)
    : node_(node),
      watch_(watch),
      source_(source),
      random_(seed, 0x6e6f697365000000ull + static_cast<std::uint64_t>(node.nid())) {}

void Noise::start() {
  schedule_next(tick);
  schedule_next(daemon);
}

void Noise::stop() { node_.domain_.cancel(*this); }

void Noise::schedule_next(Kind kind) {
  const Parameters& p = node_.parameters_;
  // Each CPU that noise may use has its own kernel threads; those of others do not move there.
  const auto cpus = static_cast<std::int64_t>(node_.placement_->noise_cpus.size());
  const Time mean = kind == tick ? p.noise_tick_interval / cpus : p.noise_daemon_interval;
  node_.domain_.schedule(node_.domain_.now() + random_.exponential(mean), source_, *this, kind);
}

void Noise::fire(std::uint64_t kind) {
  watch_.nothing_new();
  const Parameters& p = node_.parameters_;
  const auto& where = node_.placement_->noise_cpus;
  const int cpu = where[random_.below(where.size())];
  Time length = random_.exponential(kind == tick ? p.noise_tick_burst : p.noise_daemon_burst);
  // A daemon is a thread: the one it pushes aside pays the switches and a cold cache.
  if (kind == daemon) length += p.context_switch * 2 + p.cache_refill;
  node_.cpu(cpu).steal(length);
  observe(node_.domain_, [&] {
    Occurrence made{Occurrence::Kind::noise};
    made.place = static_cast<std::uint32_t>(node_.nid());
    made.part = static_cast<std::uint32_t>(cpu);
    made.begin = node_.domain_.now();
    made.end = made.begin + length;
    made.call = kind == tick ? "kernel thread" : "daemon";
    return made;
  });
  schedule_next(static_cast<Kind>(kind));
}

}  // namespace corespec
