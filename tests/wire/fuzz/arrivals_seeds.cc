// Writes the inputs that fuzzing begins with: arrivals that are in order, for arrivals_fuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/wire/fuzz/arrivals.h"

namespace {

using Arrival = std::vector<std::byte>;

/// As Arrivals::take_all() reads them.
std::string input_of(const std::vector<Arrival>& arrivals) {
  std::string input;
  for (const Arrival& arrival : arrivals) {
    constexpr unsigned bits = 8;
    const auto size = static_cast<std::uint16_t>(arrival.size());
    for (const unsigned byte : {1U, size & 0xffU, static_cast<unsigned>(size) >> bits}) {
      input += static_cast<char>(byte);
    }
    input.append(reinterpret_cast<const char*>(arrival.data()), arrival.size());
  }
  return input;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: arrivals_seeds FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  const std::vector<Arrival> examples = wire_test::Arrivals().examples();
  const auto write = [&](const std::string& name, const std::vector<Arrival>& arrivals) {
    std::ofstream(folder / name, std::ios::binary) << input_of(arrivals);
  };
  for (std::size_t i = 0; i < examples.size(); ++i) {
    write("seed-" + std::to_string(i), {examples[i]});
  }
  write("seed-all", examples);
  return 0;
}
