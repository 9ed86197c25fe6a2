// a * b + c with a single rounding.
#pragma once

#include "sim/instructions/floating.h"

namespace sim::instructions {

struct FusedMultiplyAdd {
    float operator()(float a, float b, float c) const { return __builtin_fmaf(a, b, c); }
    double operator()(double a, double b, double c) const { return __builtin_fma(a, b, c); }
    Exact operator()(Exact a, Exact b, Exact c) const { return a * b + c; }
};

} // namespace sim::instructions
