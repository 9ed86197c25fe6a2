// A moment of an exploration: how far each actor has come, and what the barriers count.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/protocol/record.h"

namespace sim::protocol {

struct Barrier {
    uint32_t phase = 0, pending = 0, expected = 0;
    int64_t bytes = 0;
    uint32_t arrived = 0, passed = 0; ///< named and cluster barriers: threads; of these, those that did not stay
    bool counted = false;             ///< named: has an explicit count
    uint32_t used = 0;                ///< operations so far, the first of an mbarrier being its initialisation
    uint32_t of_run = none;           ///< the phase in the run of the arrivals in this one
};

struct World {
    std::vector<uint32_t> at;      ///< steps done, by actor
    std::vector<uint8_t> waiting;  ///< at a named barrier, by actor
    std::vector<uint32_t> arrived; ///< by actor: the cluster's phase of its arrival + 1; 0: it has not arrived
    std::vector<uint32_t> token;   ///< by slot: the phase of the arrival
    std::vector<Barrier> barriers; ///< by object
    std::vector<uint32_t> exited;  ///< threads, by block
    uint32_t ended_after_arriving = 0;
    std::vector<int64_t> registers;  ///< released and not taken, by block
    bool deviates = false;           ///< an operation was in another phase than in the run
    bool mixes = false;              ///< arrivals of two phases of the run were in one
    std::vector<uint32_t> in_flight; ///< operations that will land
};

/// What has gone wrong.
struct Fault {
    enum class What : uint8_t {
        nothing,
        deadlock,   ///< no actor can go on
        registers,  ///< the same, because one waits for registers
        overflow,   ///< more arrivals than the phase has
        missed,     ///< the phase that a wait is for is over before the wait, and the next one, too
        early,      ///< a wait returned for an older phase
        incomplete, ///< a phase was complete before its bytes were announced
        leftover,   ///< arrivals at a named barrier at the end of the block
    };
    What what = What::nothing;
    uint32_t operation = none; ///< that cannot be right
    uint32_t other = none;     ///< missed: what completed the next phase; overflow, early: nothing
    uint32_t object = none;
    uint32_t meant = 0, now = 0; ///< phases complete: in the run, in this order
};

/// The rules by which a world changes.
class Rules {
  public:
    Rules(const Record& record, const Actors& actors, const std::vector<uint8_t>& irregular);

    World begin() const;
    bool ended(const World& world, uint32_t actor) const { return world.at[actor] == actors_.all[actor].steps.size(); }
    uint32_t next(const World& world, uint32_t actor) const { return actors_.all[actor].steps[world.at[actor]]; }
    /// Can the actor's next step be executed now?
    bool ready(const World& world, uint32_t actor) const;
    /// Does it matter when? Else it is executed as soon as it can be.
    bool matters(uint32_t operation) const {
        const uint32_t object = record_.operations[operation].object;
        return object != none && irregular_[object] && record_.operations[operation].kind != Kind::init;
    }
    /// The phase in the run in which what an issue has begun lands, at first.
    uint32_t lands_in(uint32_t issue) const { return lands_in_[issue]; }
    void execute(World& world, uint32_t actor, Fault& fault) const;
    void land(World& world, size_t which, Fault& fault) const;
    /// Why does a step that is not ready not run? True: for a reason that another order might not have.
    bool uncertain(const World& world, uint32_t actor) const;
    /// Arrivals at a named barrier that nobody will complete.
    Fault left_over(const World& world) const;
    /// Worlds with the same number go on in the same way.
    uint64_t hash(const World& world) const;

  private:
    struct WaitAt {
        uint32_t actor, step, operation;
    };
    bool executed(const World& world, uint32_t operation) const;
    bool all_there(const World& world, uint32_t operation) const;
    bool satisfied(const World& world, uint32_t actor, uint32_t operation) const;
    uint32_t asked(const World& world, uint32_t operation) const;
    void arrive(World& world, uint32_t operation, uint64_t count, uint32_t each, Fault& fault) const;
    void settle(World& world, uint32_t object, uint32_t by, Fault& fault) const;
    void look_for_missed(const World& world, uint32_t object, uint32_t by, Fault& fault) const;
    void complete_named(World& world, uint32_t object) const;
    uint32_t ended_beside(const World& world, uint32_t object) const;
    void complete_cluster(World& world, uint32_t object) const;
    void advance(World& world, uint32_t operation) const;
    void count(World& world, uint32_t operation) const;

    const Record& record_;
    const Actors& actors_;
    const std::vector<uint8_t>& irregular_;
    std::vector<uint32_t> index_;               ///< of an operation among its first actor's steps
    std::vector<std::vector<uint32_t>> before_; ///< by place in later_
    std::vector<uint32_t> later_;               ///< operations that follow others for another reason; sorted
    std::vector<uint32_t> lands_in_;            ///< issue: the phase in the run
    std::vector<uint32_t> uses_;                ///< inval: operations on the barrier before it
    std::vector<std::vector<WaitAt>> waits_;    ///< on irregular mbarriers, by object, in the order of the run
    std::vector<uint32_t> slot_;                ///< arrive: where its token is kept; wait by token: the same
    uint32_t slots_ = 0;
    std::vector<int64_t> takes_;          ///< registers: how many the warp takes
    std::vector<uint64_t> kind_of_actor_; ///< alike for actors that do the same
};

} // namespace sim::protocol
