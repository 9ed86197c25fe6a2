// The inlined calls of a function, and which line of a chain of them a reader should see. Private to this folder: see
// SourceMap.
#pragma once

#include "sim/ptx/inline_sites.h"

#include <map>
#include <set>

namespace sim::ptx {

/// Which line a reader should see first. That is the call in the kernel, the outermost line, since the lines inside a
/// wrapper are the same for all its calls. Some functions are no wrappers, and their own lines are shown instead: one
/// that does everything that its caller does (the kernel only forwards to it); and one in the kernel's file that is
/// long or put together from the program's own functions (a producer's loop, a lambda for one stage).
class CallTree {
  public:
    /// `own`: which of the module's files are not the toolkit's.
    CallTree(const Module& module, const Code& code, const std::vector<bool>& own);

    const InlineSites& sites() const { return sites_; }
    bool is_own(const Location& place) const { return place.line != 0 && place.file < own_.size() && own_[place.file]; }
    /// The sites that an instruction may belong to; empty where its location says everything.
    const std::vector<int32_t>& possible(uint32_t index) const;
    /// The program's own lines of its chain; an empty chain if there are none.
    SourceFrames frames(uint32_t index) const;

  private:
    struct Link {
        SourceLine place;
        uint32_t file = 0;
        int32_t name = -1; ///< Location::name: whose code it is
        int32_t site = -1; ///< the call site at this line; -1: the instruction itself
    };
    /// What happens inside a function's body or one inlined call. Instructions with an effect are those that access
    /// memory or synchronise.
    struct Inside {
        size_t instructions = 0;                 ///< with an effect
        std::set<uint32_t> lines;                ///< that have any of these
        std::set<uint32_t> all_lines;            ///< that have any code
        std::set<uint32_t> calling;              ///< those among them that call the program's own functions
        std::map<int32_t, size_t> through_calls; ///< how many are in which of these calls
    };
    using Chain = std::vector<Link>; ///< innermost first
    SourceLine line(const auto& place) const;
    Chain chain(uint32_t index, int32_t site) const;
    void count();
    const Inside& inside(int32_t site) const;
    const Inside& around(const Chain& chain, size_t link) const;
    size_t shown(const Chain& chain) const;

    const Module& module_;
    const Code& code_;
    const std::vector<bool>& own_;
    InlineSites sites_;
    std::vector<std::vector<int32_t>> possible_;
    std::map<int32_t, Inside> inside_; ///< by site; -1: the function itself
};

} // namespace sim::ptx
