// What the software of all ranks has noted.
#include "launch/telemetry/endpoints.h"

#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "corespec/containers/packed_records.h"

namespace launch {
namespace {

using corespec::ContextNumber;
using telemetry::EndpointLog;
using telemetry::MarkedCommand;
using telemetry::Taking;

/// Texts by number, from 1 on; 0 is none.
using TextNumber = std::uint32_t;

class Texts {
 public:
  TextNumber number_of(const char* text) {
    return text == nullptr ? 0 : number_of(std::string_view(text));
  }
  TextNumber number_of(std::string_view text) {
    const auto [found, fresh] =
        numbers_.try_emplace(std::string(text), static_cast<TextNumber>(all.size() + 1));
    if (fresh) all.push_back(found->first);
    return found->second;
  }
  std::vector<std::string> all;

 private:
  std::unordered_map<std::string, TextNumber> numbers_;
};

/// A command or a taking; its own pointer is null.
template <typename Record>
struct WithCall {
  Record record;
  TextNumber call;
};

struct PackedPlace {
  std::uint64_t offset;
  TextNumber file;
};

struct RankHead {
  std::int32_t rank;
  std::uint64_t issued;
  std::uint64_t contexts;
};

template <typename Record>
void pack_all(std::span<const Record> records, Texts& texts, corespec::PackedRecords& into) {
  into.add(std::uint64_t{records.size()});
  for (Record each : records) {
    const TextNumber call = texts.number_of(std::exchange(each.call, nullptr));
    into.add(WithCall<Record>{each, call});
  }
}

}  // namespace

Endpoints::Endpoints(RankOf rank, RankFile original)
    : rank_(std::move(rank)), original_(std::move(original)) {}

EndpointNotes Endpoints::of(int rank) const {
  if (const auto far = far_.find(rank); far != far_.end()) {
    return {far->second.issued, far->second.commands, far->second.takings};
  }
  const corespec::Process* const process = rank_(rank);
  const EndpointLog* const log = process == nullptr ? nullptr : EndpointLog::of(*process);
  if (log == nullptr) return {};
  return {log->issued(), log->commands(), log->takings()};
}

std::vector<CodePlace> Endpoints::places(int rank, ContextNumber context) {
  if (const auto far = far_.find(rank); far != far_.end()) {
    if (context == 0 || context > far->second.contexts.size()) return {};
    return far->second.contexts[context - 1];
  }
  const corespec::Process* const process = rank_(rank);
  const corespec::ContextTable* const table = process == nullptr ? nullptr : process->contexts();
  if (table == nullptr || context == 0 || context > table->size()) return {};
  const auto file = [&](const void* address) {
    return original_ ? original_(rank, address) : std::string();
  };
  if (!finder_) finder_.emplace();
  return finder_->find(table->addresses(context), file);
}

// Packed: how many texts, and these; then of each rank its head, its commands, its takings, and of
// each context its places.

std::string Endpoints::pack(std::span<const int> own_ranks) {
  Texts texts;
  corespec::PackedRecords ranks;
  for (const int rank : own_ranks) {
    const EndpointNotes notes = of(rank);
    const corespec::ContextTable* const table = rank_(rank)->contexts();
    const RankHead head{rank, notes.issued, table == nullptr ? 0 : table->size()};
    ranks.add(head);
    pack_all(notes.commands, texts, ranks);
    pack_all(notes.takings, texts, ranks);
    for (std::uint64_t context = 1; context <= head.contexts; ++context) {
      std::vector<PackedPlace> all;
      for (const CodePlace& place : places(rank, static_cast<ContextNumber>(context))) {
        all.push_back({place.offset, texts.number_of(place.file)});
      }
      ranks.add_all(all);
    }
  }
  corespec::PackedRecords packed;
  packed.add(std::uint64_t{texts.all.size()});
  for (const std::string& text : texts.all) packed.add_text(text);
  return packed.take() + ranks.take();
}

void Endpoints::add(std::string_view packed) {
  corespec::RecordReader reader(packed);
  std::vector<const std::string*> texts;
  for (auto count = reader.take<std::uint64_t>(); count > 0; --count) {
    texts.push_back(&texts_.emplace_back(reader.take_text()));
  }
  const auto text = [&](TextNumber number) -> const std::string& {
    if (number == 0 || number > texts.size()) throw std::runtime_error("a text is not there");
    return *texts[number - 1];
  };
  const auto take_all = [&]<typename Record>(std::vector<Record>& to) {
    std::vector<WithCall<Record>> all;
    reader.take_all(all);
    to.reserve(all.size());
    for (const WithCall<Record>& each : all) {
      to.push_back(each.record);
      to.back().call = each.call == 0 ? nullptr : text(each.call).c_str();
    }
  };
  while (!reader.is_empty()) {
    const auto head = reader.take<RankHead>();
    Far& far = far_[head.rank];
    far.issued = head.issued;
    take_all(far.commands);
    take_all(far.takings);
    for (std::uint64_t context = 0; context < head.contexts; ++context) {
      std::vector<PackedPlace> all;
      reader.take_all(all);
      std::vector<CodePlace>& places = far.contexts.emplace_back();
      for (const PackedPlace& each : all) places.push_back({text(each.file), each.offset});
    }
  }
}

}  // namespace launch
