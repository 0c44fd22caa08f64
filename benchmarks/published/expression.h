// Expressions over lists of figures: "all steps up", "this by 20 more than that".
#pragma once

#include <functional>
#include <string>

#include "benchmarks/published/values.h"

namespace published {

/// Finds a name's values.
using Lookup = std::function<const Values&(const std::string&)>;

/// + - * /, comparisons (1 or 0) and 'and', each value by itself; a single value stands for as many
/// as the other side has. Functions:
///
///   first(v), last(v)  one of the list         sum(v), mean(v)  of the list
///   count(v)           how many there are
///   fall(v)            the largest step down between neighbours, or 0
///   grows(v, p)        1 if no step goes down by more than p percent, and the last is above the
///                      first by more than that
///   rises(v)           1 if every step goes up
///   deviation(v)       the standard deviation
///   largest(v)         of the list
///   round(v, d)        to d decimals, as it is printed
///   changes(v, at)     where the list changes, in words: "16/32" between two values of `at`
Values evaluate(const std::string& expression, const Lookup& lookup);

/// Whether all of a condition's values are true.
bool holds(const Values& condition);

}  // namespace published
