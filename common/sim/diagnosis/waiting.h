// The threads of a launch that cannot make progress: where each waits, and what it could still do if it went on.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/diagnosis/facts.h"

namespace sim::hazards {

struct Waiting {
    const machine::Warp* warp;
    const machine::Fragment* fragment;
    uint32_t mask, pc;
    const events::Mbarrier* asked; ///< that it waits for; nullptr: it waits for something else
};
std::vector<Waiting> all_that_wait(const machine::Grid& grid);
ThreadSet waiting_for(const events::Mbarrier& barrier, const std::vector<Waiting>& all);

/// Asks about where the lanes are, and about the places to which they will return.
template <class F>
bool ahead(const Waiting& one, F&& may) {
    uint32_t pc = one.fragment->pc;
    for (const machine::Frame* frame = one.fragment->frame; frame; frame = frame->parent) {
        if (may(*frame->function, pc))
            return true;
        if (frame->parent)
            pc = uint32_t(frame->call - frame->parent->function->ops.data());
    }
    return false;
}

/// On which mbarriers the arrivals of the program's text are, as far as the run has shown.
class ArrivalTargets {
  public:
    explicit ArrivalTargets(const Context& context);
    /// Could these threads still arrive on `barrier`? An arrival whose line has arrived on other arrays of barriers
    /// only is for those. Of a line that no thread has come to, and behind a call, nothing is known.
    bool may_arrive(const Waiting& one, const events::Mbarrier& barrier) const;

  private:
    std::string array_of(const events::Mbarrier& barrier) const;
    bool may_be_on(const machine::DecodedFunction& function, uint32_t index, const std::string& array) const;

    const Context& context_;
    std::map<uint32_t, std::set<std::string>> seen_; ///< by line of the kernel: names of arrays
    bool forgotten_ = false;                         ///< some arrivals have not been remembered
};

} // namespace sim::hazards
