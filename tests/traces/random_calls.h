// Calls with random arguments, and files made of them.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "apps/traces/dumpi/calls.h"
#include "apps/traces/dumpi/trace_file.h"
#include "apps/traces/dumpi/trace_writer.h"

namespace castor_test {

constexpr dumpi::Bias some_bias{1, 1'296'777'956};

/// A call that the format can hold, with times behind some_bias.
dumpi::Call random_call(const dumpi::Layout& layout, std::mt19937& random);
/// `each` calls of every label.
std::vector<dumpi::Call> random_calls(int each, std::mt19937& random);
/// Sections with something in each of them.
dumpi::Sections some_sections();
/// What a file of these contains.
std::string file_of(const std::vector<dumpi::Call>& calls, const dumpi::Sections& sections);
/// "FF 00 1A" as bytes: two digits each, whatever blanks are between.
std::string hex(std::string_view digits);
/// What a std::runtime_error says that `what` throws; "" if it throws none. A message of more than
/// one line fails the test.
std::string error_of(const std::function<void()>& what);

}  // namespace castor_test
