// What the warps of one cluster did at barriers in a run that came to its end.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/events/barrier_log.h"

namespace sim::protocol {

using Kind = events::BarrierOperation::Kind;

inline constexpr uint32_t none = UINT32_MAX;

inline uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

/// A barrier: an initialisation of an mbarrier, a named barrier of a block, or the barrier of the cluster.
struct Object {
    enum class Type : uint8_t { mbarrier, named, cluster };
    Type type;
    uint32_t block;  ///< rank in the cluster
    uint32_t number; ///< offset in shared memory, or number of the named barrier
    std::string name;
};

/// events::BarrierOperation, with `object` as an index of Record::objects, or `none`.
struct Operation : events::BarrierOperation {
    uint32_t block = 0, warp = 0; ///< rank in the cluster; in the block
    uint32_t mask = 0;
    uint32_t issue = none; ///< land: the operation that it was issued by
};

struct Record {
    struct Block {
        uint64_t linear; ///< in the grid
        uint32_t threads;
    };
    std::vector<Block> blocks; ///< by rank
    std::vector<Object> objects;
    std::vector<Operation> operations;                  ///< in the order of the run
    std::vector<std::pair<uint32_t, uint32_t>> ordered; ///< (later, earlier): for another reason than barriers
    bool decides = false;                               ///< what a warp does may depend on the order
    bool complete = true;                               ///< else there were more operations than are kept
};

/// Lanes of one warp that do everything together.
struct Actor {
    uint32_t block, warp, mask;
    std::vector<uint32_t> steps; ///< operations, in program order; without polls and landings
};

/// The actors of a record, and who takes part in each operation.
struct Actors {
    explicit Actors(const Record& record);
    std::vector<Actor> all;
    /// The actors that execute an operation together.
    const uint32_t* begin(uint32_t operation) const { return members_.data() + first_[operation]; }
    const uint32_t* end(uint32_t operation) const { return members_.data() + first_[operation + 1]; }
    uint32_t one(uint32_t operation) const { return members_[first_[operation]]; }

  private:
    std::vector<uint32_t> members_, first_;
};

} // namespace sim::protocol
