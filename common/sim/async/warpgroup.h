// The warpgroups of one block: which of their warps have reached a wgmma.mma_async, and what each warp has issued,
// committed and waited for. Results are available at once; the marks detect threads that touch them too early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace sim::machine {
struct Op;
}

namespace sim::async {

/// The state of one register of a warp.
struct RegisterMark {
    uint32_t result_of = 0;                  ///< an accumulator: the operation that writes it, from 1
    uint32_t read_by = 0;                    ///< a fragment of A: the operation that reads it
    const machine::Op* operation = nullptr;  ///< that operation
    const machine::Op* written_at = nullptr; ///< the last instruction that wrote it and does more than move values
    uint32_t written_in = 0;                 ///< WarpMatrices::waits then
};

struct WarpMatrices {
    uint32_t issued = 0, committed = 0, done = 0; ///< operations, in issue order
    std::deque<uint32_t> groups;                  ///< for each committed group: the last of its operations
    uint32_t waits = 1;                           ///< wgmma.wait_group executed, and 1
    bool fenced = false;                          ///< since the last wait
    bool ever_fenced = false;
    uint32_t waited_issued = 0, waited_committed = 0, waited_n = 0; ///< at the last wait
    std::vector<RegisterMark> marks;                                ///< by the numbers that the function gives
    std::vector<bool> said;                                         ///< by watched instruction

    /// Committed groups with operations that no wait has covered.
    uint32_t pending() const {
        uint32_t count = 0, last = done;
        for (const uint32_t group : groups) {
            count += group > last;
            last = group;
        }
        return count;
    }
    void commit() {
        committed = issued;
        groups.push_back(issued);
    }
    void wait(uint32_t n) {
        for (; groups.size() > n; groups.pop_front())
            done = groups.front();
        ++waits;
        fenced = false;
        waited_issued = issued;
        waited_committed = committed;
        waited_n = n;
    }
};

struct Warpgroup {
    static constexpr uint32_t size = 4;
    struct Arrived {
        std::byte* base[4]; ///< Exec::base
        const machine::Op* op;
    };
    Arrived arrived[size];
    uint32_t here = 0;    ///< warps that have come, one bit each
    uint32_t through = 0; ///< warps for which the operation has been carried out
    WarpMatrices warps[size];
};

class Warpgroups {
  public:
    Warpgroup& of_warp(uint32_t warp) {
        if (groups_.size() <= warp / Warpgroup::size)
            groups_.resize(warp / Warpgroup::size + 1);
        return groups_[warp / Warpgroup::size];
    }

  private:
    std::deque<Warpgroup> groups_;
};

} // namespace sim::async
