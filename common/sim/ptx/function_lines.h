// Which inlined call each instruction of a function comes from. Private to this folder: see SourceMap.
#pragma once

#include "sim/ptx/copy_matching.h"
#include "sim/ptx/inline_sites.h"
#include "sim/ptx/register_flow.h"

#include <tuple>

namespace sim::ptx {

/// Finds the lines of one function: first those that the text gives, then those of copies from the sequence of the
/// rest.
class FunctionLines {
  public:
    FunctionLines(const Code& code, InlineSites& sites)
        : code_(code), sites_(sites), possible_(code.body.size()), line_(code.body.size(), -1),
          position_(code.body.size(), -1) {}

    /// The possible call sites of each instruction; empty where the location itself says everything.
    std::vector<std::vector<int32_t>> run();

  private:
    /// What two copies of one instruction have in common: location, enclosing place, opcode.
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, int32_t, uint32_t, uint32_t, uint32_t, std::string_view>;

    const Location& location(uint32_t i) const { return code_.locations[code_.body[i].location]; }
    Key key(uint32_t i) const;

    int32_t own_chain(int32_t site) const { return site < 0 ? -1 : sites_.site(site).own_chain; }

    void read();
    void match();
    void follow_neighbours();
    std::vector<int32_t> distinct_lines(const std::vector<int32_t>& sites) const;
    std::vector<int32_t> likely_original(uint32_t i, const std::vector<int32_t>& sites);
    void settle(uint32_t i, int32_t site);
    void append(uint32_t i);
    void in_order(uint32_t i, bool open);
    int32_t only_site(uint32_t i) const { return possible_[i].empty() ? -1 : possible_[i][0]; }
    std::vector<bool> same_origins(uint32_t i, const std::vector<int32_t>& sites, const RegisterFlow& flow) const;
    std::vector<SiteChoice> choices(uint32_t i, const RegisterFlow& flow);

    const Code& code_;
    InlineSites& sites_;
    std::vector<std::vector<int32_t>> possible_;
    std::vector<int32_t> line_; ///< the chain of the program's own lines, where it is certain
    std::vector<uint32_t> key_;
    std::map<std::pair<uint32_t, int32_t>, std::vector<int32_t>> original_; ///< (key, site) -> where in the original
    std::vector<int32_t> position_;  ///< of instructions that are part of the original sequence, else -1
    std::vector<uint32_t> sequence_; ///< the original sequence's instructions
    bool in_original_ = true;        ///< no copy since the last new element of the sequence
    std::vector<std::pair<uint32_t, int32_t>> tentative_; ///< since then: instructions that read like a copy, and sites
    std::map<int32_t, int32_t> last_of_user_;             ///< outermost own site -> last position within it
    int32_t length_ = 0;
};

} // namespace sim::ptx
