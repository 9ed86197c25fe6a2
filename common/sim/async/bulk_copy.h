// Bulk copies of one block (PTX ISA, "cp.async.bulk" and "cp.async.bulk.tensor"): which are in flight, in which bulk
// async-group, and what happens when they land.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "sim/events/copies.h"
#include "sim/machine/exec.h"

namespace sim::async {

using events::Lanes;

/// Contiguous bytes of a bulk copy. The global address is looked up when the bytes are copied, since the program may
/// free the memory until then.
struct Piece {
    uint64_t address = 0; ///< global
    uint32_t offset = 0;  ///< in shared memory
    uint32_t bytes = 0;
    bool inside = true; ///< false: outside the tensor (a load fills, a store drops)
};

/// The instruction that issued a copy.
struct Issuer {
    uint32_t warp = 0, lane = 0;
    uint32_t pc = 0; ///< device-wide
    static Issuer of(machine::Exec& x, int lane) { return {x.warp.id, uint32_t(lane), x.pc()}; }
};

/// Combines `bytes` bytes at `from` into `into` (cp.reduce.async.bulk).
using Reduce = void (*)(std::byte* into, const std::byte* from, uint32_t bytes);

/// A copy that completes on an mbarrier: global -> shared, or shared -> another block's shared memory.
struct BulkLoad {
    uint64_t number = 0; ///< events::BulkLoad::number
    machine::Block* source =
        nullptr; ///< nullptr: global memory; else pieces' `address` is an offset in its shared memory
    machine::Block* destination = nullptr;
    Issuer issuer;
    std::vector<std::byte> data; ///< st.async, red.async: the value, instead of memory
    std::vector<Piece> pieces;
    std::array<std::byte, 16> fill{}; ///< of pieces outside the tensor, repeated
    uint64_t bytes = 0;               ///< counted on the barrier: the full box
    machine::Block* barrier_block = nullptr;
    uint32_t barrier = 0;
    Reduce reduce = nullptr;
    void (*convert)(std::byte* at,
                    uint32_t bytes) = nullptr; ///< converts the elements on their way; nullptr: no conversion
    bool tensor = false;
    std::string remark;  ///< for reports: a peculiarity of its tensor map
    uint64_t logged = 0; ///< its number in the log of barrier operations
};

/// A copy in a bulk async-group of its thread: shared -> global.
struct BulkStore {
    uint64_t number = 0;
    Issuer issuer;
    uint32_t index = 0; ///< the warp's bulk stores and tile loads in issue order, from 1
    std::vector<Piece> pieces;
    Reduce reduce = nullptr;
    bool read = false; ///< the source has been read: `data` holds it
    std::vector<std::byte> data;
    bool tensor = false;
};

/// The bulk async-groups of one warp.
struct WarpBulk {
    uint32_t issued = 0;
    std::deque<BulkStore> in_flight;
    struct Commit {
        uint32_t upto;
        uint32_t mask;
    };
    std::deque<Commit> commits;
    struct Unwaited {
        uint64_t number;
        uint32_t lane, index;
    };
    std::vector<Unwaited> unwaited; ///< stores that their threads have not waited for, complete or not
};

/// For each lane of `mask`: how far its operations must be complete so that at most the `n` most recent groups pend.
template <class Commits>
Lanes waited_for(const Commits& commits, uint32_t mask, uint32_t n) {
    Lanes upto{}, newer{};
    for (auto commit = commits.rbegin(); commit != commits.rend() && mask; ++commit)
        machine::for_lanes(commit->mask & mask, [&](int lane) {
            if (newer[size_t(lane)]++ == n) {
                upto[size_t(lane)] = commit->upto;
                mask &= ~(1u << lane);
            }
        });
    return upto;
}

void report_gone(machine::Block&, const Issuer&, std::string_view verb, uint64_t address, uint64_t bytes);
/// `bytes` bytes of global memory at `address`, which were there when the copy was issued. nullptr: they have been
/// freed, which is reported, and ends the launch.
inline std::byte* memory_of(machine::Block& block, const Issuer& issuer, std::string_view verb, uint64_t address,
                            uint64_t bytes) {
    std::byte* const found = block.grid.memory.at(address, bytes);
    if (!found) [[unlikely]]
        report_gone(block, issuer, verb, address, bytes);
    return found;
}

/// As memory_of, for a copy that reads. What it takes from the host's memory counts as what threads load from there.
inline const std::byte* source_of(machine::Block& block, const Issuer& issuer, uint64_t address, uint64_t bytes) {
    const std::byte* const found = memory_of(block, issuer, "reads", address, bytes);
    using Kind = memory::AllocationKind;
    if (auto* from = found ? block.grid.memory.find(address) : nullptr)
        from->loaded_bytes += from->kind == Kind::host_pinned || from->kind == Kind::managed ? bytes : 0;
    return found;
}

class BulkCopies {
  public:
    explicit BulkCopies(machine::Block& block);

    void load(BulkLoad copy);
    void store(machine::Exec&, BulkStore copy);
    void commit(machine::Exec&);
    /// wait_group{.read} n of the executing threads.
    void wait(machine::Exec&, uint32_t n, bool read_only);
    /// The number of the warp's next bulk store or tile load: operations that its bulk async-groups may contain.
    uint32_t next_index(const machine::Warp& warp) { return warps_[warp.id].issued + 1; }

    bool progress();
    bool land(uint64_t logged);
    void tick();
    bool outstanding() const { return !loads_.empty(); }
    /// A copy into `block` that is still in flight; nullptr: there is none.
    const BulkLoad* in_flight_to(const machine::Block& block) const;
    /// Lanes `mask` exit. Forget which copies out of this block they had observed.
    void lanes_exit(machine::Warp&, uint32_t mask);
    /// Copies from this block's shared memory whose completion no thread that has ended was ordered after.
    const std::vector<uint64_t>& unknown() const { return sent_; }
    void block_end();
    /// Stores of these lanes that they have not waited for: exiting may free the memory under the copy.
    std::vector<uint64_t> unwaited(const machine::Warp&, uint32_t mask) const;

  private:
    void land(BulkLoad& copy);
    void read_source(BulkStore& copy);
    void land(BulkStore& copy);

    machine::Block& block_;
    std::deque<BulkLoad> loads_;
    std::vector<uint64_t> sent_; ///< numbers
    std::vector<WarpBulk> warps_;
    machine::Schedule::Completion when_;
};

} // namespace sim::async
