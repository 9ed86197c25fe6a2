// The loop that an instruction is in, and which registers decide how it goes on. A register that only counts rounds for
// later does not: a loop whose deciding registers have the values of an earlier round, while memory has not changed,
// never ends.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace sim::machine {

struct DecodedFunction;

struct Loop {
    /// Bytes [first, second) of a frame.
    using Ranges = std::vector<std::pair<uint32_t, uint32_t>>;
    Ranges deciding;
    /// If the loop asks the same places in memory again and again: the same without its counters and clocks, which can
    /// only make it give up. Else empty.
    Ranges polled;
    bool none = false; ///< the instruction is in no loop of its function
};

/// The loop around the instruction at `pc`. If it is in none, or the loop is not understood, all registers decide.
Loop loop_around(const DecodedFunction& function, uint32_t pc);

/// The loops that warps have been found in.
class LoopsSeen {
  public:
    /// The bytes of a frame that decide how the loop at `pc` goes on.
    const Loop::Ranges& deciding(const DecodedFunction& function, uint32_t pc);
    /// Can a call of the function come to `pc` only once?
    bool outside_loops(const DecodedFunction& function, uint32_t pc) { return loop(function, pc).none; }
    /// Does the loop at `pc` poll, and count how often or for how long?
    bool may_give_up(const DecodedFunction& function, uint32_t pc);
    bool patient = true; ///< may a counter or a clock still end a loop that polls?

  private:
    const Loop& loop(const DecodedFunction& function, uint32_t pc);
    std::map<std::pair<const DecodedFunction*, uint32_t>, Loop> loops_;
    std::map<std::pair<const DecodedFunction*, uint32_t>, bool> may_give_up_;
};

/// May this operation's result differ the next time, although its threads have changed nothing?
bool asks_others(const struct Op& op);

} // namespace sim::machine
