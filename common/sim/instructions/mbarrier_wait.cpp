// mbarrier.test_wait and try_wait, by token or by parity.
#include "sim/instructions/async_operands.h"

#include <fmt/format.h>

namespace sim::instructions::mbarrier_wait {
namespace {

enum : uint8_t { acquires = 1, blocks = 2, parity = 4 };

/// What an unsuccessful test_wait costs on the modelled clock. A loop of them is a wait: without this, a grid in which
/// all warps poll would execute tens of thousands of instructions before a copy that they wait for is completed.
constexpr uint64_t poll_cycles = 1024;

uint64_t question_of(Exec& x, const Op& op, int lane) {
    return op.flags & parity ? async::parity_question | (x.lanes<uint32_t>(op.a)[lane] & 1)
                             : x.lanes<uint64_t>(op.a)[lane];
}

/// Those of `lanes` that ask the same.
uint32_t same_question(Exec& x, const Op& op, uint32_t lanes, uint64_t question) {
    uint32_t same = 0;
    if (op.flags & parity)
        for (int lane = 0; lane < 32; ++lane)
            same |= uint32_t(((x.lanes<uint32_t>(op.a)[lane] ^ question) & 1) == 0) << lane;
    else
        for (int lane = 0; lane < 32; ++lane)
            same |= uint32_t(x.lanes<uint64_t>(op.a)[lane] == question) << lane;
    return same & lanes;
}

/// The lanes' polls, and those whose phase is complete.
struct Answer {
    uint32_t complete = 0;
    bool asked = false, several = false; ///< questions: of one barrier for one phase
    uint32_t first_offset = 0;
    uint64_t first_question = 0;
};

void ask(Exec& x, const Op& op, async::Mbarrier& barrier, uint32_t offset, uint32_t lanes, Answer& answer) {
    using Kind = events::BarrierOperation::Kind;
    uint32_t done = 0;
    for (uint32_t rest = lanes; rest;) {
        const uint64_t question = question_of(x, op, std::countr_zero(rest));
        const uint32_t same = same_question(x, op, rest, question);
        rest &= ~same;
        const bool complete = async::Mbarriers::complete(barrier, question);
        done |= complete ? same : 0;
        if (x.grid.log)
            x.grid.log->add(x.warp, same,
                            {.kind = complete ? Kind::wait : Kind::poll,
                             .by_token = !(op.flags & parity),
                             .parity = ((op.flags & parity ? question : question >> 24) & 1) != 0,
                             .pc = x.pc(),
                             .object = barrier.seen.id,
                             .phase = uint32_t(barrier.phase)});
        answer.several = answer.several || answer.asked;
        if (!answer.asked) {
            answer.first_offset = offset;
            answer.first_question = question;
            answer.asked = true;
        }
        const uint64_t phase = question >> 24;
        if (!(op.flags & parity) && phase + 1 < barrier.phase && x.listener)
            for_lanes(same, [&](int lane) {
                x.listener->misuse(&x.warp, 1u << lane, &op, events::OldToken{phase, barrier.phase});
            });
    }
    if (done && x.listener)
        x.listener->mbarrier_acquire(x.warp, done, barrier.seen, op.flags & acquires);
    answer.complete |= done;
}

/// The fragment waits, and knows for what.
void wait_for(Exec& x, const Answer& answer, Wait::Kind kind) {
    Wait& wait = x.fragment().wait;
    wait = {};
    wait.kind = kind;
    wait.address = answer.first_offset;
    wait.phase = answer.first_question;
}

Flow test_or_wait(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    Answer answer;
    const bool good = for_barriers(x, op, op.address, [&](Block& block, uint32_t offset, uint32_t lanes) {
        if (&block != &x.block)
            return x.fail(Fault::illegal_instruction, "a wait needs a barrier of the block's own shared memory") ==
                   Flow::next;
        async::Mbarrier* barrier = barriers_of(block).use(x, op, lanes, offset);
        if (barrier)
            ask(x, op, *barrier, offset, lanes, answer);
        return barrier != nullptr;
    });
    if (!good)
        return Flow::fault;
    Fragment& fragment = x.fragment();
    // try_wait waits for a limited time. A program that calls it only once should fail here: under the lazy schedule
    // the first unsuccessful poll returns at once, under random ones some do.
    using Completion = machine::Schedule::Completion;
    const Completion completion = x.grid.options.schedule.completion;
    const bool at_once = completion == Completion::lazy && !fragment.wait.address;
    const bool gives_up = !answer.complete && (op.flags & blocks) &&
                          (at_once || (completion == Completion::random && x.grid.random() % 8 == 0));
    if (!answer.complete && (op.flags & blocks) && !fragment.wait.forced && !gives_up) {
        wait_for(x, answer, Wait::Kind::mbarrier);
        fragment.wait.id = answer.several;
        fragment.wait.ticket = x.block.wakeups;
        return Flow::block;
    }
    fragment.wait.forced = false;
    fragment.wait.address = answer.complete ? 0 : answer.first_offset;
    x.set_predicate(op.d, answer.complete);
    if (op.address2.base.exists()) { // no copy of the modelled device reports anything
        x.set_predicate(op.address2.base, 0);
        if (op.b.exists())
            for_lanes(x.mask, [&](int lane) { x.lanes<uint16_t>(op.b)[lane] = 0; });
    }
    if (!answer.complete && (!(op.flags & blocks) || gives_up)) { // an unsuccessful poll: the others have a turn first
        wait_for(x, answer, Wait::Kind::none);
        if (gives_up && at_once)
            return Flow::next;
        x.grid.cycles += poll_cycles;
        fragment.wait.kind = Wait::Kind::sleep;
        ++fragment.pc;
        return Flow::block;
    }
    x.grid.statistics.mbarrier_waits += uint32_t(std::popcount(answer.complete));
    return Flow::next;
}

Handler decode(Decoder& d) {
    const auto phase_type = d.value(".phase_type");
    if (phase_type == ".phase_type::conditional")
        d.fail(fmt::format("'{}': conditional phases are not part of the simulated device yet", d.source.opcode));
    const ptx::Operand& out = d.operand(0);
    const bool reports = out.kind == ptx::Operand::Kind::pair;
    if (reports && phase_type.empty())
        d.fail(fmt::format("'{}': a report predicate needs .phase_type::primary", d.source.opcode));
    d.op.d = predicate_destination(d, reports ? out.elements.at(0) : out);
    size_t at = 1;
    if (reports) {
        d.op.address2.base = predicate_destination(d, out.elements.at(1));
        if (d.operand(1).kind != ptx::Operand::Kind::address)
            d.op.b = destination(d, at++, 2);
    }
    d.op.address = barrier_address(d, at);
    d.op.flags = uint8_t((is_ordering(d) ? acquires : 0) | (d.has(".parity") ? parity : 0) |
                         (d.op.record->name == "mbarrier.try_wait" ? blocks : 0));
    d.op.a = d.read(at + 1, d.has(".parity") ? 4 : 8);
    return test_or_wait;
}

} // namespace

INSTRUCTIONS = {
    {.name = "mbarrier.test_wait",
     .syntax =
         R"(mbarrier.test_wait{.parity}{.phase_type}{.sem}{.scope}{.space}.b64 wait-complete{, report-value}, [addr], state;
        .phase_type = { .phase_type::primary, .phase_type::conditional };
        .sem = { .acquire, .relaxed }; .scope = { .cta, .cluster }; .space = { .shared{::cta} };)",
     .isa = 70,
     .sm = 80,
     .manual = "parallel-synchronization-and-communication-instructions-mbarrier-test-wait-try-wait",
     .decode = decode,
     .use = Use::sink,
     .effects = {{"", effect::waits_for_phase}}},
    {.name = "mbarrier.try_wait",
     .syntax =
         R"(mbarrier.try_wait{.parity}{.phase_type}{.sem}{.scope}{.space}.b64 wait-complete{, report-value}, [addr], state{, suspend-time};
        .phase_type = { .phase_type::primary, .phase_type::conditional };
        .sem = { .acquire, .relaxed }; .scope = { .cta, .cluster }; .space = { .shared{::cta} };)",
     .isa = 78,
     .sm = 90,
     .manual = "parallel-synchronization-and-communication-instructions-mbarrier-test-wait-try-wait",
     .decode = decode,
     .use = Use::sink,
     .effects = {{"", effect::waits_for_phase}}},
};

} // namespace sim::instructions::mbarrier_wait
