// How much of the epilogues runs beside the products of the next tile: which loads of sums from Tensor Memory, and
// which stores of results, no product of the next tile is ordered after. The order is that of arrivals and waits, so
// it does not depend on the schedule.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/events/listener.h"
#include "sim/provenance/flow.h"

namespace sim::provenance {

class Epilogues {
  public:
    void clear() { *this = {}; }
    /// Another grid may have been at this address.
    void launch_begin(const events::Grid&);
    Epilogue sum() const;

    void issue(const events::Warp&, const events::TensorIssue&);
    void commit(const events::Warp&, const events::TensorCommit&);
    void commit_arrives(uint64_t commit, const events::Mbarrier&);
    void load(const events::Warp&, const events::TensorAccess&);
    void store(const events::Warp&, uint64_t bytes);

    void arrive(const events::Warp&, const events::Mbarrier&);
    void complete(const events::Mbarrier&);
    void acquire(const events::Warp&, const events::Mbarrier&);
    /// Barriers of the block, and (nullptr) of the cluster.
    void arrive(const events::Warp&, const events::Block*, uint32_t id);
    void complete(const events::Block& any, const events::Block*, uint32_t id);
    void release(const events::Warp&, const events::Block*, uint32_t id);

  private:
    /// What is ordered before something: of each warp, how much work of its products is complete, and how many loads
    /// and stores it has issued.
    struct Known {
        struct Of {
            uint32_t warp;
            uint64_t work = 0;
            uint32_t moves = 0;
        };
        std::vector<Of> all; ///< ascending
        Of& of(uint32_t warp);
        void join(const Known&);
    };
    struct Sync {
        Known arriving{}, done{};
    };
    /// Products into the same columns, from one that overwrites them to the last one before they are loaded.
    struct Run {
        const events::Block* block;
        uint32_t column, columns;
        uint64_t work;
        bool loaded = false;
    };
    /// Products of one warp, by the work of those before them.
    struct Next {
        uint32_t issuer;
        uint64_t from, until;
        uint64_t total = 0, beside = 0; ///< of them: issued; not ordered after the load or store
    };
    struct Move {
        uint32_t warp, index;
        uint64_t amount, work;
        bool store;
        std::vector<Next> next{};
    };
    /// Of a cluster.
    struct State {
        std::map<uint32_t, Known> warps{};
        std::map<uint32_t, uint64_t> issued{};                                ///< work, by warp
        std::map<std::pair<const events::Block*, uint32_t>, Sync> barriers{}; ///< mbarriers: by nullptr, and the id
        std::vector<Run> runs{};
        std::vector<Move> moves{};
        uint64_t work = 0; ///< of the run that was loaded last
        Known& of(uint32_t warp) { return warps[warp]; }
    };
    using Key = std::pair<const events::Grid*, uint64_t>;
    State* find(const events::Block&);
    void add(State&, const events::Warp&, uint64_t amount, bool store);
    static void count(Epilogue&, const Move&);

    std::map<Key, State> states_;                         ///< of clusters that have issued a product
    std::map<uint64_t, std::pair<Key, Known>> commits_{}; ///< by their numbers
    Epilogue sum_{};
};

} // namespace sim::provenance
