// The recorder's view of flags in global memory: polls that find nothing new, atomic operations that change nothing.
#include <bit>
#include <cstring>
#include <utility>

#include "sim/machine/exec.h"
#include "sim/machine/grid.h"
#include "sim/stepper/recorder.h"

namespace sim::stepper {

namespace {

/// Of at most eight bytes of global memory; 0: there are none.
uint64_t value_at(const machine::Grid& grid, uint64_t address, uint32_t bytes) {
    uint64_t value = 0;
    if (const memory::Allocation* allocation = grid.memory.find(address);
        allocation && allocation->data && allocation->holds(address, bytes))
        std::memcpy(&value, allocation->data + (address - allocation->address), bytes);
    return value;
}

} // namespace

bool Recorder::is_poll_again(Exec& x, const events::Access& access) {
    const auto known = polls_.find({rank(&x.block), x.warp.id});
    if (known == polls_.end())
        return false;
    const Poll& last = known->second;
    const uint64_t address = access.address[std::countr_zero(access.mask)];
    if (last.pc != x.pc() || last.address != address || last.skipped != current_.skipped ||
        last.step >= current_.steps.size() || current_.steps[last.step].mask != access.mask ||
        writes_[address] != last.writes)
        return false;
    Step& step = current_.steps[last.step];
    ++step.times;
    note_values(x, step, access);
    return true;
}

void Recorder::note_poll(Exec& x, const events::Access& access) {
    const uint64_t address = access.address[std::countr_zero(access.mask)];
    Poll& poll = polls_[{rank(&x.block), x.warp.id}];
    poll = {x.pc(), poll.step, address, current_.skipped, writes_[address]};
    if (access.kind == events::Access::Kind::atomic && std::has_single_bit(access.mask) && access.bytes <= 8) {
        update_ = {poll.step, access.bytes, current_.skipped, address, value_at(x.grid, address, access.bytes)};
        if (current_.steps[poll.step].times == 1)
            current_.steps[poll.step].first = 1;
    }
}

void Recorder::finish_update() {
    const auto done = std::exchange(update_, std::nullopt);
    if (done && grid_ && done->skipped == current_.skipped && done->step < current_.steps.size() &&
        value_at(*grid_, done->address, done->bytes) != done->before)
        current_.steps[done->step].first = 0;
}

void Recorder::count_writes(const events::Access& access) {
    if (!writes_.empty())
        machine::for_lanes(access.mask, [&](int lane) {
            if (const auto polled = writes_.find(access.address[lane]); polled != writes_.end())
                ++polled->second;
        });
}

} // namespace sim::stepper
