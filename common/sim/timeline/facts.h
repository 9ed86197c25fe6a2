// A timeline's numbers, from which its pictures are made.
#pragma once

#include <string>
#include <vector>

#include "sim/timeline/replay.h"

namespace sim::timeline {

/// Copies that belong together in a picture: a bulk copy, or the cp.async groups of all warps with the same number.
struct Bar {
    std::string name; ///< "cp.async group 3"
    uint64_t bytes = 0;
    uint32_t warps = 0, place = none;
    uint64_t issued = 0, landed = 0;
    uint64_t observed = 0; ///< by the first wait for the part that landed last; 0: by none
    uint32_t observer = none;
    uint32_t lane = 0; ///< bars of one lane do not overlap
    bool out = false;  ///< from shared memory: nothing has to wait until it has landed, except at the end
    uint32_t number = 0;
    uint64_t end() const { return observed > landed && !out ? observed : landed; }
};
/// In order of issue.
std::vector<Bar> bars(const Recording&, const Timeline&);

/// The same of tcgen05 operations.
std::vector<Bar> tensor_bars(const Recording&, const Timeline&);

/// All waits of one kind at one line.
struct WaitFact {
    std::string name;
    uint32_t place = none;
    uint64_t count = 0, cycles = 0;
};

struct Facts {
    uint64_t cycles = 0;
    uint64_t computing = 0, loading = 0, waiting = 0; ///< of all warps together
    uint64_t in_flight = 0;                           ///< of all bars together: from issue to landing
    uint64_t hidden = 0;                              ///< of that, while a warp of the block computed
    uint64_t bytes = 0;                               ///< that asynchronous copies moved
    std::vector<WaitFact> waits;                      ///< the longest first
};
Facts facts(const Recording&, const Timeline&);
/// For how long at least one warp computes.
uint64_t time_computing(const Timeline&);

std::string label(const Join&);                      ///< "mbarrier 1, phase 3 (parity 1)"
std::string where(const Recording&, uint32_t place); ///< "kernel.cu:41"; empty: not known

} // namespace sim::timeline
