// tcgen05.alloc, .dealloc and .relinquish_alloc_permit of one block. With .cta_group::2 a warp of each block of a pair
// takes part: the pair are the blocks of a cluster whose ranks differ in the last bit.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/async/tensor_memory.h"

namespace sim::async {

class TensorAllocations {
  public:
    explicit TensorAllocations(machine::Block& block) : block_(block) {}
    TensorAllocations(const TensorAllocations&) = delete;
    ~TensorAllocations(); ///< frees what the block has left

    TensorMemory& memory();
    /// The other block of the pair; nullptr: there is none.
    machine::Block* peer() const;

    /// What a warp does, together with one of the peer if it is for a pair.
    struct Request {
        enum class Kind : uint8_t { alloc, dealloc };
        Kind kind = Kind::alloc;
        uint32_t warp = 0;
        uint32_t column = 0; ///< of the allocation: what dealloc names, and what alloc gets
        uint32_t columns = 0;
        bool pair = false;
        bool done = false; ///< by the peer's warp
    };
    enum class Progress : uint8_t { done, waits, differs };
    /// Tries to carry out what the warp asks for. `done`: request.column is the first column. `waits`: it must try
    /// again when it is woken. `differs`: the peer's warp names another number of columns or another address.
    Progress carry_out(Request& request);
    /// Does the warp wait for one of the peer, or has that one just carried out what both ask for?
    bool has_asked(uint32_t warp) { return of_warp(warp) != nullptr; }

    bool relinquished = false;
    uint32_t last_columns = 0; ///< of the last allocation; 0: there was none

    std::string describe(uint32_t warp); ///< for the table of a deadlock: what it waits for
    void block_end();

  private:
    Progress alone(Request& request);
    Progress together(Request& request, Request& other, TensorAllocations& peers);
    Request* of_warp(uint32_t warp);
    void forget(uint32_t warp);

    machine::Block& block_;
    std::shared_ptr<machine::SmAsync> sm_; ///< nullptr: not used yet
    std::vector<Request> requests_;        ///< for a pair; at most one of each warp
};

} // namespace sim::async
