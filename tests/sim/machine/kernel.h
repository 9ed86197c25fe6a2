// Runs a kernel that is written in PTX, and hands back what it left in a buffer of 32-bit words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/gpu.h"

struct Ran {
    sim::machine::Outcome outcome;
    std::vector<uint32_t> words;
    sim::machine::Statistics statistics;
    sim::machine::Executed executed;
};

struct Shape {
    uint32_t blocks = 1, threads = 32;
    sim::machine::Schedule schedule{};
    uint64_t max_instructions = 20'000'000;
};

/// `body` finds the buffer (`words` zeros) in %rd1, %tid.x in %r1, its own word's address (word ctaid * ntid + tid) in
/// %rd2; its own registers are %r2 … %r31, %rd3 … %rd15, %p1 … %p7. `flag` is a word of shared memory, zero at first.
Ran run(const std::string& body, size_t words, const Shape& shape = {});
