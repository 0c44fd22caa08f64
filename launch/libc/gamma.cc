// Interposed libm: the logarithm of the gamma function, whose sign goes into the rank's signgam.
#include <math.h>

#include "launch/libc/real.h"

using launch::RankProgram;
using launch::real_function;
using launch::running_program_or_null;

namespace {

template <typename Number>
Number lgamma_of(Number x, Number (*with_sign)(Number, int*), Number (*real)(Number)) {
  RankProgram* const program = running_program_or_null();
  return program == nullptr ? real(x) : with_sign(x, program->copy().variables().signgam);
}

}  // namespace

extern "C" {

double lgamma(double x) noexcept {
  static const auto real = real_function<double(double)>("lgamma");
  return lgamma_of(x, lgamma_r, real);
}

float lgammaf(float x) noexcept {
  static const auto real = real_function<float(float)>("lgammaf");
  return lgamma_of(x, lgammaf_r, real);
}

long double lgammal(long double x) noexcept {
  static const auto real = real_function<long double(long double)>("lgammal");
  return lgamma_of(x, lgammal_r, real);
}

double gamma(double x) noexcept { return lgamma(x); }
float gammaf(float x) noexcept { return lgammaf(x); }
long double gammal(long double x) noexcept { return lgammal(x); }

}  // extern "C"
