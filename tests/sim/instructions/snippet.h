// Runs a few lines of PTX on the simulated device and hands back what each lane computed.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/machine/gpu.h"

/// Inputs of one lane. A snippet finds them in %rd1 … %rd4; cut to 32 bits in %r1 … %r4, to 16 bits in %h1 … %h4; the
/// lowest bits in %p1 … %p4.
struct In {
    uint64_t a = 0, b = 0, c = 0, e = 0;
    float fa() const { return std::bit_cast<float>(uint32_t(a)); }
    float fb() const { return std::bit_cast<float>(uint32_t(b)); }
    float fc() const { return std::bit_cast<float>(uint32_t(c)); }
    double da() const { return std::bit_cast<double>(a); }
    double db() const { return std::bit_cast<double>(b); }
    double dc() const { return std::bit_cast<double>(c); }
};

/// Outputs of one lane: %rd10, %r10, %r11, %h10, %p10, %p11 (zero where the snippet does not write them).
struct Out {
    uint64_t wide = 0;
    uint32_t narrow = 0, second = 0;
    uint16_t half = 0;
    bool p = false, q = false;
};

/// Runs `body` with one thread per input, 32 to a block unless `block` says otherwise. Throws std::runtime_error if the
/// launch fails. `declarations` stand before the kernel.
/// Also there: %rd20 (address of a buffer of `scratch` zeros of 64 bytes per thread), shared memory `shared` (1 KiB).
std::vector<Out> execute(const std::string& body, const std::vector<In>& inputs, const std::string& declarations = {},
                         uint32_t block = 32, const sim::machine::LaunchConfig& shape = {});

/// The message of the launch that fails; empty if it does not.
std::string failure(const std::string& body, const std::vector<In>& inputs = {In{}},
                    const std::string& declarations = {});

/// The target of the snippets' PTX, as long as it lives; else it is sm_90a.
struct Target {
    explicit Target(const char* name);
    ~Target();
};

/// What the device printed during the last execute().
const std::string& printed();
const sim::machine::Statistics& statistics();

/// Runs `body` and compares one output with `expected(input)` for all inputs; says which lane differs.
void check32(const std::string& body, const std::vector<In>& inputs,
             const std::function<uint32_t(const In&)>& expected);
void check64(const std::string& body, const std::vector<In>& inputs,
             const std::function<uint64_t(const In&)>& expected);
void check16(const std::string& body, const std::vector<In>& inputs,
             const std::function<uint16_t(const In&)>& expected);
void check_predicate(const std::string& body, const std::vector<In>& inputs,
                     const std::function<bool(const In&)>& expected);

inline uint32_t bits(float value) {
    return std::bit_cast<uint32_t>(value);
}
inline uint64_t bits(double value) {
    return std::bit_cast<uint64_t>(value);
}

/// Values where arithmetic goes wrong: zero, ones, extremes, powers of two and their neighbours.
const std::vector<uint32_t>& integers32();
const std::vector<uint64_t>& integers64();
/// Zeros, subnormals, ties, extremes, infinities, NaNs.
const std::vector<uint32_t>& floats32();
const std::vector<uint64_t>& floats64();
const std::vector<uint16_t>& halves(bool brain);

/// All pairs, or a selection of triples.
template <class T>
std::vector<In> pairs(const std::vector<T>& values) {
    std::vector<In> inputs;
    for (const T a : values)
        for (const T b : values)
            inputs.push_back({a, b, 0, 0});
    return inputs;
}
template <class T>
std::vector<In> triples(const std::vector<T>& values) {
    std::vector<In> inputs;
    size_t n = 0;
    for (const T a : values)
        for (const T b : values)
            for (const T c : values)
                if (++n % 3 == 0 || values.size() < 12)
                    inputs.push_back({a, b, c, 0});
    return inputs;
}
template <class T>
std::vector<In> singles(const std::vector<T>& values) {
    std::vector<In> inputs;
    for (const T a : values)
        inputs.push_back({a, 0, 0, 0});
    return inputs;
}
