// Tensor Memory and the tcgen05 operations as listeners see them (PTX ISA, "TensorCore 5th Generation Family
// Instructions").
#pragma once

#include <cstdint>
#include <span>

#include "sim/events/copies.h"

namespace sim::events {

/// Cells of 32 bits of Tensor Memory: lanes × columns, those of one block's SM.
struct TensorCells {
    machine::Block* block = nullptr; ///< whose Tensor Memory it is
    uint32_t lane = 0, lanes = 0;
    uint32_t column = 0, columns = 0;
    bool written = false; ///< else read
    char name = 'D';      ///< as which operand of the instruction: A, D, scale factors 'S', metadata 'E'
};

/// tcgen05.mma, .cp or .shift: issued by one thread, complete when a later commit of the same thread says so.
struct TensorIssue {
    enum class Kind : uint8_t { mma, cp, shift };
    Kind kind = Kind::mma;
    uint64_t number = 0; ///< of all bulk copies of the device, in issue order
    int lane = 0;        ///< that issues it
    uint32_t group = 1;  ///< cta_group
    uint32_t index = 0;  ///< the thread's such operations in issue order, from 1
    struct Shared {
        machine::Block* block = nullptr;
        MatrixOperand matrix;
    };
    std::span<const Shared> operands; ///< read in shared memory, in the async proxy
    std::span<const TensorCells> cells;
    uint32_t shape = 0; ///< M << 16 | N of an mma: those of one accumulator and shape run in order
};

/// tcgen05.ld or .st of a warp: complete when the warp has executed tcgen05.wait::ld or ::st.
struct TensorAccess {
    bool store = false;
    uint32_t index = 0; ///< the warp's loads, or stores, in issue order, from 1
    std::span<const TensorCells> cells;
};

/// tcgen05.commit: an arrival at the mbarrier once the lane's operations up to `upto` are complete.
struct TensorCommit {
    uint64_t number = 0; ///< of all bulk copies of the device, in issue order
    int lane = 0;
    uint32_t group = 1;
    uint32_t upto = 0;                   ///< TensorIssue::index
    std::span<Mbarrier* const> barriers; ///< several: multicast
};

} // namespace sim::events
