// Runs tcgen05 instructions on one block, or on a pair: shared memory and Tensor Memory get contents, one thread issues
// the instructions and commits them, and the test gets what is in Tensor Memory then.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/gpu.h"

struct TensorProgram {
    /// What the thread executes. It finds the address of Tensor Memory in %r10, the shared address of its matrices
    /// divided by 16 in %rd10, and the 64-bit `values` in %rd20, %rd21 …
    std::string body;
    std::vector<uint64_t> values{};
    uint32_t group = 1;                         ///< cta_group, and the blocks of the cluster
    std::vector<std::vector<uint8_t>> shared{}; ///< of each block, from a multiple of 1024 on
    std::vector<std::vector<uint32_t>> cells{}; ///< of each block: 128 lanes of each column; missing ones are 0
    sim::machine::Schedule::Completion completion = sim::machine::Schedule::Completion::lazy;
    bool detect = false;
};

struct TensorResult {
    sim::machine::Outcome outcome;
    std::vector<std::vector<uint32_t>> cells; ///< of each block
    uint32_t at(uint32_t block, uint32_t lane, uint32_t column) const { return cells[block][column * 128 + lane]; }
};

TensorResult run(const TensorProgram& program);
