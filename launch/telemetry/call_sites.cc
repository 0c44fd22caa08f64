// Contexts, places in the program, texts.
#include "launch/telemetry/call_sites.h"

#include <algorithm>
#include <string_view>

#include "ugni_emu/telemetry/mark_choice.h"

namespace launch {

std::vector<std::string> frames_of(const std::vector<CodePlace>& places, Symbols& symbols) {
  constexpr std::string_view before = " at ";
  std::vector<std::string> frames;
  for (const CodePlace& place : places) {
    std::string text = symbols.text({place});
    if (text.starts_with(before)) text.erase(0, before.size());
    if (!text.empty()) frames.push_back(std::move(text));
  }
  return frames;
}

SiteFinder::SiteFinder(const corespec::Parameters& parameters, RankFile original)
    : original_(std::move(original)) {
  if (!parameters.telemetry.empty()) site_ = telemetry::parse_choice(parameters.telemetry).site;
}

bool SiteFinder::fits(int rank, std::span<void* const> context) {
  const auto file = [&](const void* address) { return original_(rank, address); };
  const std::vector<std::string> frames = frames_of(finder_.find(context, file), symbols_);
  return std::any_of(frames.begin(), frames.end(), [&](const std::string& frame) {
    return frame.find(site_) != std::string::npos;
  });
}

std::uint32_t CallSites::of(int rank, corespec::ContextNumber context) {
  if (context == 0) return 0;
  const auto [found, fresh] = known_.try_emplace({rank, context}, 0);
  if (!fresh) return found->second;
  const std::vector<CodePlace> places = places_(rank, context);
  if (places.empty()) return 0;
  std::vector<std::pair<std::string, std::uint64_t>> key;
  key.reserve(places.size());
  for (const CodePlace& place : places) key.emplace_back(place.file, place.offset);
  const auto [number, new_site] =
      numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(sites_.size()));
  if (new_site) sites_.push_back({frames_of(places, symbols_)});
  return found->second = number->second;
}

}  // namespace launch
