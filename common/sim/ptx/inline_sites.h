// The tree of inlined calls of each function, rebuilt from what nvcc prints. Private to this folder: see SourceMap.
#pragma once

#include "sim/ptx/module.h"

#include <array>
#include <unordered_map>

namespace sim::ptx {

/// A place where a function was inlined: once for each time the compiler inlined it, not once per copy made by
/// unrolling.
struct CallSite {
    uint32_t file = 0, line = 0, column = 0;
    int32_t callee = -1; ///< Location::name of the code inlined here
    int32_t parent = -1; ///< the site that this call is in
    int32_t user = -1;   ///< this or the next outer site that is in the program's own files
    int32_t own_chain =
        -1; ///< number of the chain of the program's own lines from here outward; equal for equal chains
};

/// Numbers the call sites in the order in which the compiler printed them.
///
/// nvcc prints a site's own .loc the first time anything below it is printed, and never again. So a `.loc` whose
/// `inlined_at` was not printed just before it belongs to one of the sites printed earlier in the same function: all
/// those at that place, into which the same function was inlined, are possible.
class InlineSites {
  public:
    InlineSites(const Code& code, const std::vector<bool>& own_file) : code_(code), own_file_(own_file) {}

    /// Takes note of every location up to `location`. Call with rising numbers, in the order of the text.
    void read_to(uint32_t location);
    /// The site of the last instruction: new sites printed by their last link are most likely within it.
    void set_current(int32_t site) { current_ = site; }
    /// The sites that may enclose `location`: a single one if the text names it; in the order in which they were
    /// printed.
    std::vector<int32_t> candidates(uint32_t location) const;
    /// Whether `outer` is `site` or encloses it.
    bool encloses(int32_t outer, int32_t site) const;
    /// The innermost site if there is one choice; the chain from `location` outward is not known if there are several.
    int32_t common(const std::vector<int32_t>& choices) const { return choices.size() == 1 ? choices[0] : -1; }
    /// The number of the chain that has `place` (if it is the program's own) inside the chain numbered `outer`.
    int32_t own_chain(const Location& place, int32_t outer);
    const CallSite& site(int32_t index) const { return sites_[index]; }

  private:
    using Place = std::array<uint32_t, 3>;
    struct PlaceHash {
        size_t operator()(const Place& p) const {
            return ((p[0] * 0x9e3779b97f4a7c15u ^ p[1]) * 0x9e3779b97f4a7c15u ^ p[2]) * 0x9e3779b97f4a7c15u;
        }
    };
    std::vector<int32_t> sites_at(const Location& place, int32_t callee) const;
    int32_t site_of(int32_t location, int32_t callee);
    int32_t add_site(const Location& place, int32_t callee, int32_t parent);
    int32_t likely_parent(const Location& place, int32_t callee, const Location& child, int32_t child_callee) const;

    const Code& code_;
    const std::vector<bool>& own_file_;
    std::vector<CallSite> sites_;
    std::unordered_map<Place, std::vector<int32_t>, PlaceHash> by_place_;
    std::unordered_map<int32_t, int32_t> by_location_;
    std::map<std::array<int64_t, 3>, int32_t> chains_;
    uint32_t read_ = 1;
    int32_t current_ = -1;
};

} // namespace sim::ptx
