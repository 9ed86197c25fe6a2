// Which call sites the copies of inlined code belong to. Private to this folder: see SourceMap.
#pragma once

#include <cstdint>
#include <vector>

namespace sim::ptx {

/// One possible call site of an instruction.
struct SiteChoice {
    int32_t site = -1;
    int32_t position = 0; ///< where this instruction stands in the sequence of the original code
    double cost = 0;      ///< what else speaks against this choice
};

/// One instruction with side effects, in the order of the text. A single choice: its site is known.
struct SequenceStep {
    std::vector<SiteChoice> choices;
};

/// Finds, for each step, the choices that fit best into a walk through the original sequence.
///
/// Unrolling copies code as a sequence, and instructions with side effects stay in order, so a copy reads like the
/// original: the next instruction is the next position. Going on is free, leaving positions out (code that the compiler
/// removed from the copy) costs something, starting over (the next copy) a little more, staying in place still more,
/// except where the known steps show that it happens (`repeats`: the copied loop has nothing else in it). Returns for
/// each step the indices of the choices that are on a cheapest walk or close to one.
std::vector<std::vector<uint32_t>> match_copies(const std::vector<SequenceStep>& steps,
                                                const std::vector<bool>& repeats);

} // namespace sim::ptx
