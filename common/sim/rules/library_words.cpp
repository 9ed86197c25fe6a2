#include "sim/rules/library_words.h"

#include <fmt/format.h>

#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

/// Has the other access been published in the phase that the thread has waited for?
bool published_in(const Conflict& conflict, const PhaseWait& wait) {
    if (const BulkFacts* bulk = conflict.bulk())
        return conflict.other_wrote && bulk->op->by_barrier && bulk->op->landed && bulk->op->barrier == wait.barrier &&
               bulk->op->phase == wait.phase;
    if (!conflict.ordinary() || !conflict.other_warp())
        return false;
    return conflict.other_warp()->history.arrival(lane_of(conflict.other), [&](const Arrival& arrival) {
        return arrival.barrier == wait.barrier && arrival.phase == wait.phase &&
               arrival.tick >= tick_of(conflict.other);
    });
}

} // namespace

void pipeline_words(const Conflict& conflict, Explanation& text) {
    const PhaseWait& wait = conflict.phase_wait();
    if (!wait.barrier || !wait.again || !is_consumer_wait(conflict.context().places.library_call(wait.pc)))
        return;
    text.cause = {wait.pc, "this consumer_wait returned at once"};
    text.returned_at_once = true;
    text.message = "The thread has not called consumer_release since its last consumer_wait, so this one asked for the "
                   "same stage again, which is complete, and not for the next one.";
    text.remedy = "Call consumer_release once after each consumer_wait, when the thread has read the stage: it also "
                  "moves the thread on to the next stage.";
}

void relaxed_wait(const Conflict& conflict, Explanation& text) {
    const PhaseWait& wait = conflict.phase_wait();
    if (!wait.barrier || !wait.relaxed || !published_in(conflict, wait))
        return;
    std::erase_if(text.also, [&](const auto& other) { return other.first == wait.pc; });
    text.cause = {wait.pc, "waits with .relaxed, which orders nothing"};
    text.message = fmt::format("The wait for {} of {} is .relaxed: it returns when the phase is complete, but it does "
                               "not order the thread after what happened before that.",
                               phase_text(wait.phase), conflict.barrier(wait.barrier));
    text.remedy = "Leave .relaxed out: without it the wait is an acquire.";
}

} // namespace sim::hazards
