#include "sim/protocol/check.h"

#include <algorithm>
#include <bit>

#include "sim/detector/detector.h"
#include "sim/machine/grid.h"
#include "sim/protocol/proof.h"
#include "sim/protocol/wording.h"

namespace sim::protocol {
namespace {

constexpr std::chrono::duration<double> most_time{2};
constexpr uint64_t most_states = 2'000'000;

/// Alike for clusters whose warps do the same, in whatever order.
uint64_t number_of(const Record& record, const Actors& actors, uint64_t kernel) {
    uint64_t all = kernel;
    for (const Actor& actor : actors.all) {
        uint64_t hash = mix(uint64_t{actor.block} << 32 | actor.warp, actor.mask);
        for (const uint32_t step : actor.steps) {
            const Operation& one = record.operations[step];
            const Object* object = one.object == none ? nullptr : &record.objects[one.object];
            hash = mix(hash, uint64_t(one.kind) << 32 | one.pc);
            hash = mix(hash, object ? uint64_t{object->block} << 32 | object->number : ~uint64_t{0});
            hash = mix(hash, uint64_t{one.amount} << 32 | one.phase);
            hash = mix(hash, uint64_t(one.bytes) << 16 ^ one.threads);
        }
        all += hash;
    }
    return mix(all, record.ordered.size());
}

/// Every thread waits for the whole block, each time: there is only one order.
bool is_plain(const Record& record) {
    return std::ranges::all_of(record.operations, [&](const Operation& one) {
        return (one.object == none && one.kind != Kind::registers) ||
               (one.kind == Kind::block_barrier && one.waits && one.object == 0 &&
                one.amount == record.blocks[one.block].threads);
    });
}

uint64_t count(const Record& record) {
    return uint64_t(std::ranges::count_if(record.operations, [](const Operation& one) {
        return one.object != none && one.kind != Kind::land && one.kind != Kind::init;
    }));
}

std::shared_ptr<const events::ReplayedOrder> order_of(const Record& record, const std::vector<Step>& steps,
                                                      const std::vector<uint8_t>& irregular, uint64_t launch) {
    auto order = std::make_shared<events::ReplayedOrder>();
    order->launch = launch;
    std::unordered_map<uint32_t, uint32_t> turn_of;
    for (const Step& step : steps) {
        const Operation& one = record.operations[step.operation];
        if (one.object == none)
            continue;
        events::ReplayedOrder::Turn turn{record.blocks[one.block].linear, one.warp, one.pc};
        if (step.lands)
            turn.landing_of = turn_of.at(step.operation);
        turn_of.emplace(step.operation, uint32_t(order->turns.size()));
        turn.held = one.kind == Kind::issue && irregular[one.object] && !step.lands;
        order->turns.push_back(turn);
    }
    return order;
}

} // namespace

void Check::begin_part(machine::Grid&, const std::vector<bool>&) {
    before_ = summary_;
}

bool Check::independent(const machine::Grid&) {
    return !recorder_.others_matter() && summary_.states == before_.states && summary_.order == before_.order &&
           summary_.wrong == before_.wrong && summary_.deviates == before_.deviates &&
           summary_.not_all == before_.not_all;
}

void Check::pack_part(const machine::Grid&, events::Packer& to) const {
    to.add(summary_.operations - before_.operations);
    to.add(summary_.notable);
}

void Check::join_part(machine::Grid&, std::string_view part) {
    events::Unpacker from(part);
    summary_.operations += from.next<uint64_t>();
    summary_.notable = from.next<bool>() || summary_.notable;
}

void Check::not_all(std::string why) {
    if (summary_.not_all.empty())
        summary_.not_all = std::move(why);
}

void Check::examine(const Record& record, machine::Grid& grid) {
    const uint64_t operations = count(record);
    if (!operations)
        return;
    summary_.notable = summary_.notable || std::ranges::any_of(record.objects, [](const Object& one) {
                           return one.type != Object::Type::named || one.number;
                       });
    if (is_plain(record)) {
        summary_.operations += operations;
        return;
    }
    if (!record.complete)
        return not_all("a block executed more than a million of them");
    if (detector_.reporter().errors())
        return not_all("the run has errors, which come first");
    if (spent_ > most_time) {
        summary_.operations += operations;
        return not_all("2 s were not enough for all blocks");
    }
    using Time = std::chrono::steady_clock;
    const auto began = Time::now();
    const Actors actors(record);
    summary_.operations += operations;
    if (!known_.insert(number_of(record, actors, grid.entry->first_pc)).second)
        return;
    explore_orders(record, actors, grid, began + std::chrono::duration_cast<Time::duration>(most_time - spent_));
    spent_ += Time::now() - began;
    summary_.seconds = spent_.count();
}

void Check::explore_orders(const Record& record, const Actors& actors, const machine::Grid& grid,
                           std::chrono::steady_clock::time_point until) {
    const Proof proof = prove(record, actors);
    if (!proof.understood)
        return not_all("an operation completed several phases, or part of a copy's bytes completed one");
    if (proof.regular() && (!proof.registers || record.decides))
        return;
    if (record.decides)
        return not_all(
            "a thread went on after an unsuccessful test of a barrier, or there are too many atomic operations");
    Explored explored = explore(record, actors, proof.irregular, {most_states, until});
    if (!proof.regular())
        summary_.states += explored.states;
    if (explored.fault.what == Fault::What::nothing && explored.left_over.what != Fault::What::nothing &&
        !proof.left_over[explored.left_over.object]) {
        explored.fault = explored.left_over;
        explored.order = explored.with_left_over;
    }
    if (explored.fault.what != Fault::What::nothing) {
        report(record, explored, proof.irregular, grid);
        return not_all("the search ended with the order that is reported");
    }
    if (!explored.another.empty() && !summary_.order)
        summary_.order = order_of(record, explored.another, proof.irregular, grid.id), summary_.deviates = true;
    if (proof.regular())
        return;
    if (!explored.all)
        not_all(explored.states >= most_states ? "there are more than two million states" : "2 s were not enough");
    else if (explored.doubtful)
        not_all("some depend on accesses to memory whose order was that of this run");
}

void Check::report(const Record& record, const Explored& explored, const std::vector<uint8_t>& irregular,
                   const machine::Grid& grid) {
    const Wording wording(record, explored, detector_.places());
    detector_.report(wording.fact(), wording.here(), wording.there());
    if (!summary_.wrong)
        summary_.order = order_of(record, explored.order, irregular, grid.id);
    summary_.wrong = true;
    summary_.deviates = false;
}

} // namespace sim::protocol
