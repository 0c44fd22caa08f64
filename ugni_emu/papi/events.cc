// A Gemini's counters as PAPI's software defined events, which a read through GPCD answers.
#include <gpcd_lib.h>
#include <sde_lib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ugni_emu/papi/own_tiles.h"

namespace papi {
namespace {

struct Counter {
  const char* name;  ///< in Cray's documents (S0, table I)
  const char* what;
};

/// By GPCD's numbers.
constexpr std::array<Counter, 6> kCounters = {{
    {"GM_TILE_PERF_VC0_PHIT_CNT", "phits of requests"},
    {"GM_TILE_PERF_VC1_PHIT_CNT", "phits of responses"},
    {"GM_TILE_PERF_VC0_PKT_CNT", "packets of requests"},
    {"GM_TILE_PERF_VC1_PKT_CNT", "packets of responses"},
    {"GM_TILE_PERF_INQ_STALL", "cycles in input queues"},
    {"GM_TILE_PERF_CREDIT_STALL", "cycles without room at the other end"},
}};

std::string register_name(unsigned tile, unsigned counter) {
  const auto at = static_cast<gemini::Tile>(tile);
  return "GM_" + std::to_string(gemini::row_of(at)) + "_" + std::to_string(gemini::column_of(at)) +
         "_TILE_PERFORMANCE_COUNTERS_" + std::to_string(counter);
}

struct RemoveContext {
  void operator()(gpcd_context_t* context) const { gpcd_remove_context(context); }
};
using Context = std::unique_ptr<gpcd_context_t, RemoveContext>;

/// What the events of one copy of the library share.
class OwnGemini {
 public:
  /// Known at the first read: the library is loaded before its process is a rank.
  const LinkOfTile* links() {
    if (!links_) links_ = links_of_own_tiles();
    return links_ ? &*links_ : nullptr;
  }

 private:
  std::optional<LinkOfTile> links_;
};

/// A counter, summed over some tiles of the own Gemini.
class Event {
 public:
  static Event of_tile(OwnGemini& gemini, unsigned counter, unsigned tile) {
    return {gemini, counter, tile, false};
  }
  static Event of_link(OwnGemini& gemini, unsigned counter, unsigned link) {
    return {gemini, counter, link, true};
  }

  std::string name() const { return std::string(kCounters[counter_].name) + ":" + place(":"); }

  std::string description() const {
    const std::string what = kCounters[counter_].what;
    if (!is_link_) return what + ", tile in row " + place(", column ");
    return what + (number_ == kHostPort ? ", all host tiles" : ", all tiles of link " + place(""));
  }

  /// The value now. PAPI shows by how much it has grown, and has no other way to hear that it
  /// cannot be read: each read that fails is less than the one before.
  long long read() {
    if (!context_ && failed_ == 0) context_ = make_context();
    if (!context_ || gpcd_context_read_mmr_vals(context_.get()) != 0) return --failed_;
    long long sum = 0;
    for (const gpcd_mmr_list_t* entry = context_->list; entry != nullptr; entry = entry->next) {
      sum += static_cast<long long>(entry->value);
    }
    return sum;
  }

 private:
  Event(OwnGemini& gemini, unsigned counter, unsigned number, bool is_link)
      : gemini_(&gemini), counter_(counter), number_(number), is_link_(is_link) {}

  /// "X+", or row and column.
  std::string place(const std::string& between) const {
    if (is_link_) return std::string(link_name(number_));
    const auto tile = static_cast<gemini::Tile>(number_);
    return std::to_string(gemini::row_of(tile)) + between + std::to_string(gemini::column_of(tile));
  }

  /// Null if the tiles are not known, or without memory.
  Context make_context() const {
    const LinkOfTile* const links = is_link_ ? gemini_->links() : nullptr;
    if (is_link_ && links == nullptr) return nullptr;
    if (is_link_ && std::find(links->begin(), links->end(), number_) == links->end()) {
      std::fprintf(stderr,
                   "castor: PAPI: %s: this network has no such link; HH and single tiles can be "
                   "counted; the event's values are negative\n",
                   name().c_str());
      return nullptr;
    }
    Context context(gpcd_create_context());
    for (unsigned tile = 0; tile < gemini::kTiles; ++tile) {
      if (is_link_ ? (*links)[tile] != number_ : tile != number_) continue;
      const std::string name = register_name(tile, counter_);
      if (gpcd_context_add_mmr(context.get(), gpcd_lookup_mmr_byname(name.c_str())) != 0) {
        return nullptr;
      }
    }
    return context;
  }

  OwnGemini* gemini_;
  unsigned counter_;
  unsigned number_;  ///< the tile's or the link's
  bool is_link_;
  Context context_;
  long long failed_ = 0;
};

long long read_event(void* event) { return static_cast<Event*>(event)->read(); }

class Events {
 public:
  Events() {
    for (unsigned counter = 0; counter < kCounters.size(); ++counter) {
      for (unsigned link = 0; link < kLinks; ++link) {
        events_.push_back(Event::of_link(gemini_, counter, link));
      }
      for (unsigned tile = 0; tile < gemini::kTiles; ++tile) {
        events_.push_back(Event::of_tile(gemini_, counter, tile));
      }
    }
  }

  void add_to(papi_handle_t library) {
    for (Event& event : events_) {
      const std::string name = event.name();
      papi_sde_register_counter_cb(library, name.c_str(), PAPI_SDE_RO | PAPI_SDE_DELTA,
                                   PAPI_SDE_long_long, read_event, &event);
      papi_sde_describe_counter(library, name.c_str(), event.description().c_str());
    }
  }

 private:
  OwnGemini gemini_;
  std::vector<Event> events_;
};

/// When the library is loaded: nothing of it has to be called. PAPI may ask for an event until the
/// process ends, so they are never taken away.
__attribute__((constructor)) void add_events() { (new Events)->add_to(papi_sde_init("GEMINI")); }

}  // namespace
}  // namespace papi
