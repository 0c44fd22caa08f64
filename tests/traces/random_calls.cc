// Calls with random arguments.
#include "tests/traces/random_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace castor_test {
namespace {

using dumpi::Kind;

std::int64_t between(std::mt19937& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

std::int32_t any_i32(std::mt19937& random) {
  return static_cast<std::int32_t>(between(random, std::numeric_limits<std::int32_t>::min(),
                                           std::numeric_limits<std::int32_t>::max()));
}

std::int32_t up_to(std::mt19937& random, std::int32_t most) {
  return static_cast<std::int32_t>(between(random, 0, most));
}

std::vector<std::int32_t> numbers(std::mt19937& random, std::int32_t length) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(length));
  for (std::int32_t& each : all) each = any_i32(random);
  return all;
}

std::vector<std::int32_t> narrow(std::mt19937& random, std::int32_t length, std::int32_t most) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(length));
  for (std::int32_t& each : all) each = up_to(random, most);
  return all;
}

std::string text(std::mt19937& random) {
  std::string all(static_cast<std::size_t>(up_to(random, 20)), ' ');
  for (char& letter : all) letter = static_cast<char>(between(random, 'a', 'z'));
  return all;
}

std::vector<dumpi::Status> statuses(std::mt19937& random, std::int32_t most) {
  std::vector<dumpi::Status> all(static_cast<std::size_t>(up_to(random, most)));
  for (dumpi::Status& each : all) {
    each = {any_i32(random), any_i32(random), static_cast<std::uint8_t>(up_to(random, 255)),
            static_cast<std::uint8_t>(up_to(random, 255)), any_i32(random)};
  }
  return all;
}

std::vector<std::string> strings(std::mt19937& random, std::int32_t length) {
  std::vector<std::string> all(static_cast<std::size_t>(length));
  for (std::string& each : all) each = text(random);
  return all;
}

/// True if an array of the call has as many entries as this argument says.
bool is_length(const dumpi::Layout& layout, std::string_view name) {
  const auto all = layout.arguments();
  return std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.length == name; });
}

/// As many entries as the call says, or some.
std::int32_t length_of(const dumpi::Layout& layout, const dumpi::Argument& argument,
                       const dumpi::Call& call, std::mt19937& random) {
  const std::string length = argument.length;
  if (length.empty()) return up_to(random, 4);
  return std::get<std::int32_t>(call.values[layout.place_of(length).value()]);
}

dumpi::Value value(const dumpi::Layout& layout, const dumpi::Argument& argument,
                   const dumpi::Call& call, std::mt19937& random) {
  const std::string_view name = argument.name;
  switch (argument.kind) {
    case Kind::number:
      // Often both the same, so that half of the calls are those of a root.
      if (name == "root" || name == "commrank") return up_to(random, 1);
      return is_length(layout, name) ? up_to(random, 6) : any_i32(random);
    case Kind::request:
      return any_i32(random);
    case Kind::comm:
    case Kind::datatype:
    case Kind::group:
    case Kind::info:
    case Kind::win:
    case Kind::errhandler:
    case Kind::keyval:
    case Kind::file:
      return up_to(random, 65535);
    case Kind::op:
    case Kind::word:
      return up_to(random, 255);
    case Kind::wide:
      return between(random, std::numeric_limits<std::int64_t>::min(),
                     std::numeric_limits<std::int64_t>::max());
    case Kind::text:
      return text(random);
    case Kind::numbers:
    case Kind::requests:
      return numbers(random, length_of(layout, argument, call, random));
    case Kind::ranges:
      return numbers(random, 3 * length_of(layout, argument, call, random));
    case Kind::datatypes:
    case Kind::infos:
      return narrow(random, length_of(layout, argument, call, random), 65535);
    case Kind::words:
      return narrow(random, length_of(layout, argument, call, random), 255);
    case Kind::status:
      return statuses(random, call.has_statuses ? 1 : 0);
    case Kind::statuses:
      return statuses(random, call.has_statuses ? 5 : 0);
    case Kind::strings:
      return strings(random, length_of(layout, argument, call, random));
    case Kind::lists: {
      std::vector<std::vector<std::string>> all;
      for (int left = length_of(layout, argument, call, random); left > 0; --left) {
        all.push_back(strings(random, up_to(random, 3)));
      }
      return all;
    }
  }
  return {};
}

dumpi::Span span(std::mt19937& random, std::uint32_t bias) {
  const std::int64_t first = std::int64_t{bias} * 1'000'000'000;
  const std::int64_t entry = first + between(random, 0, 30'000'000'000'000);
  return {entry, entry + between(random, 0, 1'000'000'000)};
}

}  // namespace

dumpi::Call random_call(const dumpi::Layout& layout, std::mt19937& random) {
  dumpi::Call call;
  call.label = layout.label();
  call.thread = static_cast<std::uint16_t>(up_to(random, 65535));
  if (up_to(random, 3) > 0) call.cpu = span(random, some_bias.cpu_s);
  if (up_to(random, 3) > 0) call.wall = span(random, some_bias.wall_s);
  call.has_statuses = up_to(random, 3) > 0;
  for (int left = up_to(random, 2); left > 0; --left) call.counters.push_back({random(), random()});
  for (std::size_t place = 0; place < layout.arguments().size(); ++place) {
    call.values.push_back(is_recorded(layout, place, call.values)
                              ? value(layout, layout.arguments()[place], call, random)
                              : dumpi::Value());
  }
  return call;
}

std::vector<dumpi::Call> random_calls(int each, std::mt19937& random) {
  std::vector<dumpi::Call> calls;
  for (int i = 0; i < each; ++i) {
    for (const dumpi::Layout& layout : dumpi::layouts()) {
      calls.push_back(random_call(layout, random));
    }
  }
  return calls;
}

dumpi::Sections some_sections() {
  dumpi::Sections sections;
  sections.start = 1'393'887'300;
  sections.host = "nid05840";
  sections.user = "somebody";
  sections.mesh_position = {1, 2, 3};
  sections.mesh_size = {4, 5, 6};
  sections.keyvals = {{"partition", "small"}, {"", "empty"}};
  sections.called.resize(291);
  sections.ignored.resize(291);
  for (std::uint32_t i = 0; i < 291; ++i) {
    sections.called[i] = 1000 + i;
    sections.ignored[i] = i * i;
  }
  sections.counter_labels = {"PAPI_TOT_INS", "PAPI_L1_DCM"};
  sections.functions = {{0x4005D0, "main"}, {0x7FFFFFFFFFFF, "solve"}};
  sections.type_sizes = {0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8};
  return sections;
}

std::string file_of(const std::vector<dumpi::Call>& calls, const dumpi::Sections& sections) {
  std::ostringstream bytes;
  dumpi::TraceWriter writer(bytes, "written", some_bias);
  for (const dumpi::Call& each : calls) writer.write(each);
  writer.finish(sections);
  return bytes.str();
}

std::string hex(std::string_view digits) {
  std::string bytes;
  std::string byte;
  for (const char c : digits) {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) continue;
    byte += c;
    if (byte.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(byte, nullptr, 16));
    byte.clear();
  }
  return bytes;
}

std::string error_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
  return "";
}

}  // namespace castor_test
