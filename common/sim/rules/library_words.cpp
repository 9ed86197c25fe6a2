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

void consumer_wait_again(const PhaseWait& wait, Explanation& text) {
    text.cause = {wait.pc, "this consumer_wait returned at once"};
    text.returned_at_once = true;
    text.message = "The thread has not called consumer_release since its last consumer_wait, so this one asked for the "
                   "same stage again, which is complete, and not for the next one.";
    text.remedy = "Call consumer_release once after each consumer_wait, when the thread has read the stage: it also "
                  "moves the thread on to the next stage.";
}

void consumer_wait_missing(bool has_waited, Explanation& text) {
    text.message = has_waited ? "The thread reads bytes of a stage for which it has not called consumer_wait: its last "
                                "consumer_wait was for another one."
                              : "The thread reads bytes of a stage without a consumer_wait for it.";
    text.remedy =
        "Call consumer_wait before the first read of each stage, and consumer_release once after the last one.";
}

/// Are these the two mbarriers of one stage of a cuda::pipeline_shared_state?
bool same_stage(const Conflict& conflict, uint32_t a, uint32_t b) {
    const events::Mbarrier *one = conflict.context().blocks.mbarrier(a), *other = conflict.context().blocks.mbarrier(b);
    const uint32_t state = sizeof(uint64_t);
    return one && other && one->owner == other->owner &&
           (one->offset + state == other->offset || other->offset + state == one->offset);
}

void acquire_missing(Explanation& text) {
    text.message =
        "The stage is filled again without a producer_acquire, so nothing orders the new copy after the reads "
        "of the old bytes.";
    text.remedy =
        "Call producer_acquire before the copies of each stage: it waits until every consumer has released the "
        "stage. Call producer_commit once after them.";
}

void producer_words(const Conflict& conflict, const std::string& call, bool committed, Explanation& text) {
    const PhaseWait& wait = conflict.phase_wait();
    if (is_producer_acquire(call) && wait.again) {
        text.cause = {wait.pc, "this producer_acquire returned at once"};
        text.returned_at_once = true;
        text.message = "The thread has not called producer_commit since its last producer_acquire, so this one asked "
                       "for the same stage again, and not for the next one.";
        text.remedy = "Call producer_commit once after the copies of each stage: it also moves the thread on to the "
                      "next stage.";
    } else if (is_producer_acquire(call) && committed) {
        const bool same = same_stage(conflict, wait.barrier, conflict.copy()->tracked->barrier);
        text.also.emplace_back(wait.pc, "the producer_acquire before it");
        text.message = same ? "producer_acquire returned because the consumers had released the stage, but they had "
                              "not waited for the earlier copy: they call consumer_release more often than "
                              "consumer_wait."
                            : "The earlier copy belongs to another stage than the one that the last producer_acquire "
                              "was for: two stages use the same bytes.";
        text.remedy = same ? "Call consumer_release once after each consumer_wait."
                           : "Give each stage of the pipeline bytes of its own, and fill those of the stage that was "
                             "acquired: the number of the tile modulo the number of stages.";
    } else if (is_consumer_wait(call) || (committed && !is_producer_acquire(call))) {
        acquire_missing(text);
    }
}

} // namespace

void pipeline_words(const Conflict& conflict, Explanation& text) {
    const Places& places = conflict.context().places;
    const PhaseWait& wait = conflict.phase_wait();
    const std::string call = wait.barrier ? places.library_call(wait.pc) : "";
    const CopyFacts* copy = conflict.copy();
    const bool committed = copy && copy->tracked && is_producer_commit(places.library_call(copy->tracked->pc));
    if (is_consumer_wait(call) && wait.again)
        consumer_wait_again(wait, text);
    else if (conflict.reads() && committed && copy->stage == CopyFacts::Stage::unwaited)
        consumer_wait_missing(is_consumer_wait(call), text);
    else if (conflict.role == Role::copy_destination)
        producer_words(conflict, call, committed, text);
    else if (conflict.reads() && committed && copy->stage == CopyFacts::Stage::overtaken && copy->issuer &&
             !is_producer_acquire(places.library_call(copy->issuer->history.phase_waits[copy->lane].pc)))
        acquire_missing(text);
}

void pipeline_words(const EarlyRead& read, Explanation& text) {
    if (!is_producer_acquire(read.writer_waited))
        return;
    consumer_wait_missing(false, text);
    text.message += " In this run the read came before the copy.";
}

void relaxed_wait(const Conflict& conflict, Explanation& text) {
    const PhaseWait& wait = conflict.phase_wait();
    if (!wait.barrier || !wait.relaxed || !published_in(conflict, wait))
        return;
    std::erase_if(text.also, [&](const auto& other) { return other.first == wait.pc; });
    text.cause = {wait.pc, "waits with .relaxed, which orders nothing"};
    text.message = fmt::format("The wait for {} of {} is .relaxed: it returns when the phase is complete, but it does "
                               "not order the thread after what happened before that.",
                               phase_text(wait.phase, conflict), conflict.barrier(wait.barrier));
    text.remedy = "Leave .relaxed out: without it the wait is an acquire.";
}

} // namespace sim::hazards
