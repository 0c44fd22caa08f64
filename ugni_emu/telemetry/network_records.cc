// Records of NICs and routers.
#include "ugni_emu/telemetry/network_records.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "corespec/host/check.h"

namespace telemetry {
namespace {

// Streams of random numbers: numbers that no other user of streams has.
constexpr std::uint64_t piece_stream = 0x7069656365000000ULL;
constexpr std::uint64_t component_stream = 0x636f6d706f000000ULL;
constexpr std::uint64_t clock_stream = 0x636c6f636b000000ULL;

/// Of a component's own marks, so that no endpoint has the same.
constexpr std::uint32_t component_mark = 1U << 31;

Drain drain_of(const corespec::Parameters& parameters) {
  const corespec::Time period = parameters.telemetry_drain_period;
  const double bytes = parameters.telemetry_drain_bandwidth * period.s();
  return {static_cast<std::uint32_t>(parameters.telemetry_buffer), period,
          static_cast<std::uint64_t>(std::max(bytes, 1.0))};
}

/// A component's clock is ahead or behind by up to `most`.
corespec::Time offset_of(std::uint64_t seed, Component component, corespec::Time most) {
  if (most == corespec::Time()) return most;
  corespec::RandomStream random(seed, clock_stream + component.bits());
  const auto span = static_cast<std::uint64_t>(2 * most.ps() + 1);
  return corespec::Time::picoseconds(static_cast<std::int64_t>(random.below(span)) - most.ps());
}

}  // namespace

NetworkRecords::NetworkRecords(const corespec::Parameters& parameters, Choice choice,
                               const Sizes& sizes)
    : choice_(std::move(choice)),
      drain_(drain_of(parameters)),
      seed_(static_cast<std::uint64_t>(parameters.seed)),
      servers_(sizes.servers_per_router),
      nics_(sizes.nics),
      routers_(sizes.routers),
      holders_(std::size_t{sizes.routers} * sizes.servers_per_router),
      own_sampler_(seed_, component_stream) {
  for (std::uint32_t nid = 0; nid < nics(); ++nid) {
    nics_[nid].log.clock_offset =
        offset_of(seed_, Component::nic(nid), parameters.telemetry_clock_skew);
  }
  for (std::uint32_t router = 0; router < routers(); ++router) {
    routers_[router].clock_offset =
        offset_of(seed_, Component::router(router), parameters.telemetry_clock_skew);
  }
}

void NetworkRecords::submitted(std::uint32_t nid, std::uint32_t mark, corespec::Time now,
                               std::uint32_t pieces) {
  Nic& nic = nics_[nid];
  if (!nic.random) nic.random.emplace(seed_, piece_stream + nid);
  nic.commands[mark] = {now, static_cast<std::uint32_t>(nic.random->below(pieces)), 0};
}

bool NetworkRecords::marks_piece(std::uint32_t nid, std::uint32_t mark) {
  const auto found = nics_[nid].commands.find(mark);
  if (found == nics_[nid].commands.end()) return false;  // no endpoint's, or not all of it
  return found->second.next_piece++ == found->second.marked_piece;
}

corespec::Time NetworkRecords::submitted_at(std::uint32_t nid, std::uint32_t mark) const {
  const auto found = nics_[nid].commands.find(mark);
  CASTOR_CHECK(found != nics_[nid].commands.end(), "a marked command that its NIC does not know");
  return found->second.submitted;
}

void NetworkRecords::command_sent(std::uint32_t nid, std::uint32_t mark, corespec::Time now,
                                  corespec::Time end) {
  Nic& nic = nics_[nid];
  const auto found = nic.commands.find(mark);
  if (found == nic.commands.end()) return;
  Record record;
  record.mark = mark;
  record.source = nid;
  record.arrived_ps = found->second.submitted.ps();
  record.set_waited(end - found->second.submitted);
  record.flags = Record::command;
  record.next = Component::none().bits();
  nic.log.note(drain_, now, record);
  nic.commands.erase(found);
}

std::uint32_t NetworkRecords::draw_mark(corespec::Time now) {
  if (!own_sampler_.takes(choice_, now)) return 0;
  own_marks_ = (own_marks_ + 1) % component_mark;
  return component_mark | own_marks_;
}

void NetworkRecords::passed(Component component, corespec::Time now, std::uint32_t source,
                            std::uint32_t mark, const Passage& passage) {
  if (component.is_router() && now >= routers_end_) return;
  ComponentLog& own = own_log(component);
  Record record;
  record.mark = mark;
  record.source = source;
  record.arrived_ps = passage.arrived.ps();
  record.set_waited(passage.began - passage.arrived);
  record.port = passage.port;
  record.flags = passage.flags;
  record.next = passage.next.bits();
  if (passage.began > passage.arrived && passage.behind != nullptr) {
    record.behind = own.number_of(*passage.behind);
  }
  own.note(drain_, now, record);
}

const ComponentLog& NetworkRecords::log(Component component) const {
  return component.is_router() ? routers_[component.number()] : nics_[component.number()].log;
}

template <typename Do>
void NetworkRecords::each_component(const Do& act) const {
  for (std::uint32_t nid = 0; nid < nics(); ++nid) act(Component::nic(nid));
  for (std::uint32_t router = 0; router < routers(); ++router) act(Component::router(router));
}

std::string NetworkRecords::pack() const {
  corespec::PackedRecords packed;
  each_component([&](Component component) {
    const ComponentLog& own = log(component);
    if (own.is_empty()) return;
    packed.add(component.bits());
    own.pack(packed);
  });
  return packed.take();
}

void NetworkRecords::add(std::string_view packed) {
  corespec::RecordReader reader(packed);
  while (!reader.is_empty()) {
    const auto component = Component::of_bits(reader.take<std::uint32_t>());
    if (component.number() >= (component.is_router() ? routers() : nics())) {
      throw std::runtime_error("records of a component that is not there");
    }
    own_log(component).unpack(reader);
  }
}

ComponentLog& NetworkRecords::own_log(Component component) {
  return component.is_router() ? routers_[component.number()] : nics_[component.number()].log;
}

}  // namespace telemetry
