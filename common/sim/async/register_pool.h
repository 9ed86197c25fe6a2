// The registers of one block, as setmaxnreg moves them between its warps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace sim::machine {
struct Op;
}

namespace sim::async {

class RegisterPool {
  public:
    static constexpr uint32_t of_sm = 65536, most_per_thread = 256;

    struct Shortage {
        uint64_t wanted = 0;                   ///< registers, by all warps
        uint32_t per_thread = 0;               ///< that a launch can have given to each thread at most
        const machine::Op* increase = nullptr; ///< the last one
    };

    void set(uint32_t warp, uint32_t per_thread, const machine::Op* increase) {
        if (of_warp_.size() <= warp)
            of_warp_.resize(warp + 1);
        of_warp_[warp] = per_thread;
        if (increase)
            increase_ = increase;
    }

    /// How many registers the launch of a block of this many warps can have given to a thread at most. `threads`: for
    /// how many in a block it was compiled (.maxntid), if that is more; `blocks`: that many of which an SM has to hold
    /// (.minnctapersm).
    static uint32_t at_launch(uint32_t warps, uint32_t threads, uint32_t blocks) {
        return std::min(most_per_thread, of_sm / (std::max(warps * 32, threads) * std::max(1u, blocks)) / 8 * 8);
    }

    /// The shortage in a block with this many warps, all of which have changed their registers for the last time. The
    /// compiler chooses how many registers a launch gives to a thread; a shortage is one that no choice can satisfy.
    std::optional<Shortage> shortage(uint32_t warps, uint32_t at_launch) const {
        if (!increase_)
            return std::nullopt;
        Shortage found{.per_thread = at_launch, .increase = increase_};
        for (uint32_t warp = 0; warp < warps; ++warp) {
            const uint32_t changed = warp < of_warp_.size() ? of_warp_[warp] : 0;
            found.wanted += uint64_t{changed ? changed : found.per_thread} * 32;
        }
        return found.per_thread && found.wanted > uint64_t{found.per_thread} * warps * 32 ? std::optional(found)
                                                                                          : std::nullopt;
    }

  private:
    std::vector<uint32_t> of_warp_; ///< per thread; 0: as launched
    const machine::Op* increase_ = nullptr;
};

} // namespace sim::async
