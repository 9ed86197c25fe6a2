// Tensor Memory of one SM: 128 lanes of 512 columns of 32-bit cells (PTX ISA, "Tensor Memory"), and which columns are
// allocated to which of its blocks. Who may touch which cells, and in what order, is the hazard detector's business.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine/block.h"

namespace sim::async {

class TensorMemory final : public machine::SmAsync {
  public:
    static constexpr uint32_t lanes = 128, columns = 512;
    static constexpr uint32_t unit = 32;           ///< columns: allocations consist of such units
    static constexpr uint32_t poison = 0xdbdbdbdb; ///< what cells hold that nothing has written

    /// An address as instructions have it: the lane in the upper, the column in the lower 16 bits.
    struct Address {
        explicit Address(uint32_t bits) : lane(bits >> 16), column(bits & 0xffff) {}
        uint32_t lane, column;
    };

    uint32_t& cell(uint32_t lane, uint32_t column) { return cells_[column * lanes + lane]; }
    uint32_t cell(uint32_t lane, uint32_t column) const { return cells_[column * lanes + lane]; }

    struct Allocation {
        uint32_t column = 0, columns = 0;
        machine::Block* owner = nullptr;
    };
    const std::vector<Allocation>& allocations() const { return allocations_; }
    /// The first column of `count` free ones; for a pair, free in `peer`, too.
    std::optional<uint32_t> room(uint32_t count, const TensorMemory* peer = nullptr) const {
        for (uint32_t column = 0; column + count <= columns; column += unit)
            if (is_free(column, count) && (!peer || peer->is_free(column, count)))
                return column;
        return std::nullopt;
    }
    uint32_t free_columns() const {
        uint32_t count = columns;
        for (const Allocation& one : allocations_)
            count -= one.columns;
        return count;
    }
    void allocate(const Allocation& what) {
        allocations_.push_back(what);
        forget(what);
    }
    /// Frees an allocation, and lets those that wait for columns look again.
    void release(uint32_t column) {
        const auto at = std::find_if(allocations_.begin(), allocations_.end(),
                                     [&](const Allocation& one) { return one.column == column; });
        if (at == allocations_.end())
            return;
        forget(*at);
        freed_.push_back(*at);
        allocations_.erase(at);
        wake();
    }
    /// Has the block allocated all these columns?
    bool has(const machine::Block& block, uint32_t column, uint32_t count) const {
        for (const Allocation& one : allocations_)
            if (one.owner == &block && one.column <= column && column + count <= one.column + one.columns)
                return true;
        return false;
    }

    /// Did it have one of these columns, and no longer has?
    bool has_freed(const machine::Block& block, uint32_t column, uint32_t count) const {
        return !has(block, column, count) && std::any_of(freed_.begin(), freed_.end(), [&](const Allocation& one) {
            return one.owner == &block && one.column < column + count && column < one.column + one.columns;
        });
    }

    void forget_freed(const machine::Block& block) {
        freed_.erase(
            std::remove_if(freed_.begin(), freed_.end(), [&](const Allocation& one) { return one.owner == &block; }),
            freed_.end());
    }

    /// A warp of the block waits until columns are free.
    void wait(machine::Block& block) { waiting_.push_back(&block); }
    void wait_no_more(const machine::Block& block) {
        waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &block), waiting_.end());
    }

  private:
    bool is_free(uint32_t column, uint32_t count) const {
        return std::none_of(allocations_.begin(), allocations_.end(), [&](const Allocation& one) {
            return one.column < column + count && column < one.column + one.columns;
        });
    }
    void forget(const Allocation& what) {
        std::fill_n(cells_.begin() + what.column * lanes, what.columns * lanes, poison);
    }
    void wake() {
        const auto blocks = std::move(waiting_);
        waiting_.clear();
        for (machine::Block* block : blocks)
            block->wake(machine::Wait::Kind::tensor_memory);
    }

    std::vector<uint32_t> cells_ = std::vector<uint32_t>(lanes * columns, poison);
    std::vector<Allocation> allocations_;
    std::vector<Allocation> freed_; ///< by blocks that are still there
    std::vector<machine::Block*> waiting_;
};

} // namespace sim::async
