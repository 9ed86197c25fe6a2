// Looks for store buffering in litmus tests: launches in which few threads make few strong accesses.
#pragma once

#include <vector>

#include "sim/detector/core.h"
#include "sim/events/access.h"

namespace sim::hazards {

class StoreBuffering {
  public:
    explicit StoreBuffering(Core& core) : core_(core) {}

    void launch_begin();
    void access(Exec& x, const events::Access& access) {
        if (access.semantics != events::Semantics::weak && watching_) [[unlikely]]
            record(x, access);
    }
    void fence(Exec& x, uint32_t mask);
    /// These lanes have met other threads.
    void meet(Warp& warp, uint32_t mask);
    void launch_end(); ///< reports

  private:
    static constexpr uint32_t none = UINT32_MAX;
    struct Event {
        uint32_t thread = 0; ///< of threads_
        bool load = false, store = false;
        uint64_t address = 0;
        uint32_t pc = 0;
        uint32_t fences = 0; ///< of its thread, so far
        uint32_t saw = none; ///< load: the last store to the location, if nothing orders that before the load
        Epoch epoch = 0;
    };
    struct Thread {
        uint64_t block = 0;
        uint32_t warp = 0, lane = 0, fences = 0;
    };

    void record(Exec& x, const events::Access& access);
    void record(Exec& x, const events::Access& access, uint32_t lane);
    uint32_t number_of(uint64_t block, uint32_t warp, uint32_t lane);
    void count_fence(const Warp& warp, uint32_t mask);
    bool is_only_access(uint32_t event) const;
    void look_at(uint32_t load);

    Core& core_;
    std::vector<Event> events_;
    std::vector<Thread> threads_;
    bool watching_ = true;
};

} // namespace sim::hazards
