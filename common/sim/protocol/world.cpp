#include "sim/protocol/world.h"

#include <algorithm>
#include <bit>
#include <map>

namespace sim::protocol {
Rules::Rules(const Record& record, const Actors& actors, const std::vector<uint8_t>& irregular)
    : record_(record), actors_(actors), irregular_(irregular), index_(record.operations.size()),
      lands_in_(record.operations.size(), none), uses_(record.operations.size()), waits_(record.objects.size()),
      slot_(record.operations.size(), none), takes_(record.operations.size()) {
    const auto& operations = record.operations;
    for (uint32_t actor = 0; actor < actors.all.size(); ++actor)
        for (uint32_t i = 0; i < actors.all[actor].steps.size(); ++i)
            if (const uint32_t step = actors.all[actor].steps[i]; actors.one(step) == actor)
                index_[step] = i;
    for (const auto& [later, earlier] : record.ordered) {
        if (later_.empty() || later_.back() != later) {
            later_.push_back(later);
            before_.emplace_back();
        }
        before_.back().push_back(earlier);
    }
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> registers; // of each thread of a warp
    for (uint32_t i = 0; i < operations.size(); ++i)
        if (const Operation& one = operations[i]; one.kind == Kind::registers) {
            uint32_t& now = registers.try_emplace({one.block, one.warp}, one.threads).first->second;
            takes_[i] = (int64_t{one.amount} - now) * 32;
            now = one.amount;
        }
    std::vector<uint32_t> used(record.objects.size());
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> last_arrival; // by actor and object
    for (uint32_t i = 0; i < operations.size(); ++i) {
        const Operation& one = operations[i];
        if (one.kind == Kind::land)
            lands_in_[one.issue] = std::min(lands_in_[one.issue], one.phase);
        if (one.object == none || one.kind == Kind::land)
            continue;
        uses_[i] = used[one.object]++;
        if (!irregular[one.object])
            continue;
        const uint32_t actor = actors.one(i);
        if (one.kind == Kind::arrive)
            last_arrival[{actor, one.object}] = i;
        if (one.kind == Kind::wait && one.by_token) {
            if (const auto found = last_arrival.find({actor, one.object}); found != last_arrival.end()) {
                uint32_t& slot = slot_[found->second];
                slot_[i] = slot = slot == none ? slots_++ : slot;
            }
        } else if (one.kind == Kind::wait) {
            waits_[one.object].push_back({actor, index_[i], i});
        }
    }
    // Actors with the same steps can stand for each other, unless something names one of them.
    for (uint32_t actor = 0; actor < actors.all.size(); ++actor) {
        uint64_t kind = 1;
        for (const uint32_t step : actors.all[actor].steps) {
            const Operation& one = operations[step];
            const bool named = actors.end(step) - actors.begin(step) > 1 || slot_[step] != none ||
                               one.kind == Kind::strong || one.kind == Kind::init || one.kind == Kind::inval;
            kind = mix(kind, named ? mix(actor, step) : uint64_t(one.kind) << 8 | one.waits);
            kind = mix(kind, uint64_t{one.object} << 32 | one.amount);
            kind = mix(kind, uint64_t(one.bytes) << 32 | (one.kind == Kind::block_barrier ? 0 : one.phase));
            kind = mix(kind, uint64_t(std::popcount(one.mask)) << 32 | one.threads);
        }
        kind_of_actor_.push_back(kind);
    }
}

World Rules::begin() const {
    World world;
    world.at.resize(actors_.all.size());
    world.waiting.resize(actors_.all.size());
    world.arrived.resize(actors_.all.size());
    world.token.resize(slots_);
    world.barriers.resize(record_.objects.size());
    world.exited.resize(record_.blocks.size());
    world.registers.resize(record_.blocks.size());
    return world;
}

bool Rules::executed(const World& world, uint32_t operation) const {
    return world.at[actors_.one(operation)] > index_[operation];
}

bool Rules::all_there(const World& world, uint32_t operation) const {
    return std::all_of(actors_.begin(operation), actors_.end(operation), [&](uint32_t actor) {
        return !ended(world, actor) && next(world, actor) == operation && !world.waiting[actor];
    });
}

/// The phase that a wait asks for, as the number of phases that are complete then.
uint32_t Rules::asked(const World& world, uint32_t operation) const {
    return slot_[operation] == none ? record_.operations[operation].phase : world.token[slot_[operation]] + 1;
}

bool Rules::satisfied(const World& world, uint32_t, uint32_t operation) const {
    const Operation& one = record_.operations[operation];
    const Barrier& barrier = world.barriers[one.object];
    return barrier.used && ((barrier.phase ^ asked(world, operation)) & 1) == 0;
}

bool Rules::ready(const World& world, uint32_t actor) const {
    if (ended(world, actor) || world.waiting[actor])
        return false;
    const uint32_t operation = next(world, actor);
    const Operation& one = record_.operations[operation];
    if (!all_there(world, operation))
        return false;
    if (one.kind == Kind::strong) {
        const auto at = std::ranges::lower_bound(later_, operation);
        if (at != later_.end() && *at == operation)
            return std::ranges::all_of(before_[size_t(at - later_.begin())],
                                       [&](uint32_t earlier) { return executed(world, earlier); });
    }
    switch (one.kind) {
    case Kind::registers:
        return world.registers[one.block] >= takes_[operation];
    case Kind::inval:
        return world.barriers[one.object].used == uses_[operation];
    case Kind::arrive:
    case Kind::expect:
    case Kind::issue:
        return world.barriers[one.object].used != 0;
    case Kind::wait:
        return satisfied(world, actor, operation);
    case Kind::cluster_wait:
        return world.barriers[one.object].phase >= world.arrived[actor];
    default:
        return true;
    }
}

bool Rules::uncertain(const World& world, uint32_t actor) const {
    if (ended(world, actor) || world.waiting[actor])
        return false;
    const uint32_t operation = next(world, actor);
    switch (record_.operations[operation].kind) {
    case Kind::wait: // the lanes that are there may look by themselves
        return satisfied(world, actor, operation);
    case Kind::block_barrier:
    case Kind::cluster_wait:
    case Kind::meet:
    case Kind::registers:
        return false;
    default: // other lanes of the warp, an access in the order of the run, a barrier that does not exist yet
        return true;
    }
}

void Rules::advance(World& world, uint32_t operation) const {
    for (const uint32_t* actor = actors_.begin(operation); actor != actors_.end(operation); ++actor)
        ++world.at[*actor];
}

void Rules::look_for_missed(const World& world, uint32_t object, uint32_t by, Fault& fault) const {
    const uint32_t phase = world.barriers[object].phase;
    for (const WaitAt& wait : waits_[object]) {
        const Operation& one = record_.operations[wait.operation];
        if (one.phase < phase && world.at[wait.actor] <= wait.step) {
            fault = {Fault::What::missed, wait.operation, by, object, one.phase, phase};
            return;
        }
    }
}

void Rules::settle(World& world, uint32_t object, uint32_t by, Fault& fault) const {
    Barrier& barrier = world.barriers[object];
    if (barrier.pending || barrier.bytes)
        return;
    ++barrier.phase;
    barrier.pending = barrier.expected;
    barrier.of_run = none;
    if (irregular_[object] && fault.what == Fault::What::nothing)
        look_for_missed(world, object, by, fault);
}

/// Is the arrival with those that were in its phase in the run?
void Rules::count(World& world, uint32_t operation) const {
    const Operation& one = record_.operations[operation];
    Barrier& barrier = world.barriers[one.object];
    world.deviates = world.deviates || barrier.phase != one.phase;
    world.mixes = world.mixes || (irregular_[one.object] && barrier.of_run != none && barrier.of_run != one.phase);
    barrier.of_run = one.phase;
}

/// `count` arrivals, of which `each` come together at least.
void Rules::arrive(World& world, uint32_t operation, uint64_t count, uint32_t each, Fault& fault) const {
    const uint32_t object = record_.operations[operation].object;
    Barrier& barrier = world.barriers[object];
    while (count) {
        if (barrier.pending < each) {
            if (fault.what == Fault::What::nothing)
                fault = {Fault::What::overflow, operation, none, object, 0, barrier.phase};
            return;
        }
        const auto now = uint32_t(std::min<uint64_t>(count, barrier.pending / each * each));
        barrier.pending -= now;
        count -= now;
        settle(world, object, operation, fault);
    }
}

/// Lanes that have ended, of warps of which other lanes wait at a named barrier: a warp counts in full.
uint32_t Rules::ended_beside(const World& world, uint32_t object) const {
    const uint32_t block = record_.objects[object].block;
    uint32_t warps = 0, lanes = 0;
    for (uint32_t actor = 0; actor < world.at.size(); ++actor)
        if (world.waiting[actor] && record_.operations[next(world, actor)].object == object)
            warps |= 1u << actors_.all[actor].warp;
    for (uint32_t actor = 0; actor < world.at.size(); ++actor)
        if (const Actor& of = actors_.all[actor]; of.block == block && warps >> of.warp & 1 && ended(world, actor))
            lanes += uint32_t(std::popcount(of.mask));
    return lanes;
}

void Rules::complete_named(World& world, uint32_t object) const {
    Barrier& barrier = world.barriers[object];
    const uint32_t block = record_.objects[object].block;
    const uint32_t exited = world.exited[block];
    uint32_t absent = 0;
    if (barrier.arrived && barrier.counted && exited)
        absent = ended_beside(world, object);
    else if (!barrier.counted && barrier.expected >= record_.blocks[block].threads && exited > barrier.passed)
        absent = exited - barrier.passed;
    if (!barrier.arrived || barrier.arrived + absent < barrier.expected)
        return;
    barrier.arrived = barrier.passed = 0;
    ++barrier.phase;
    barrier.of_run = none;
    for (uint32_t actor = 0; actor < world.at.size(); ++actor)
        if (world.waiting[actor] && record_.operations[next(world, actor)].object == object) {
            world.waiting[actor] = 0;
            ++world.at[actor];
        }
}

void Rules::complete_cluster(World& world, uint32_t object) const {
    Barrier& barrier = world.barriers[object];
    uint32_t threads = 0, exited = 0;
    for (size_t i = 0; i < record_.blocks.size(); ++i) {
        threads += record_.blocks[i].threads;
        exited += world.exited[i];
    }
    if (!barrier.arrived || barrier.arrived + exited - world.ended_after_arriving < threads)
        return;
    barrier.arrived = world.ended_after_arriving = 0;
    ++barrier.phase;
}

void Rules::land(World& world, size_t which, Fault& fault) const {
    const uint32_t operation = world.in_flight[which];
    world.in_flight.erase(world.in_flight.begin() + long(which));
    const Operation& one = record_.operations[operation];
    Barrier& barrier = world.barriers[one.object];
    const uint32_t meant = lands_in_[operation];
    world.deviates = world.deviates || barrier.phase != meant;
    if (one.bytes > 0 && barrier.phase > meant && fault.what == Fault::What::nothing)
        fault = {Fault::What::incomplete, operation, none, one.object, meant, barrier.phase};
    barrier.bytes -= one.bytes;
    if (one.amount)
        arrive(world, operation, uint64_t{one.amount} * uint32_t(std::popcount(one.mask)), one.amount, fault);
    else
        settle(world, one.object, operation, fault);
}

void Rules::execute(World& world, uint32_t actor, Fault& fault) const {
    const uint32_t operation = next(world, actor);
    const Operation& one = record_.operations[operation];
    Barrier* barrier = one.object == none ? nullptr : &world.barriers[one.object];
    const auto lanes = uint32_t(std::popcount(one.mask));
    if (barrier)
        ++barrier->used;
    if (one.kind == Kind::arrive || one.kind == Kind::block_barrier)
        count(world, operation);
    if (one.kind == Kind::block_barrier && one.waits) {
        for (const uint32_t* other = actors_.begin(operation); other != actors_.end(operation); ++other)
            world.waiting[*other] = 1;
    } else {
        advance(world, operation);
    }
    switch (one.kind) {
    case Kind::init:
        barrier->expected = barrier->pending = one.amount;
        break;
    case Kind::arrive:
        if (slot_[operation] != none)
            world.token[slot_[operation]] = barrier->phase;
        barrier->bytes += one.bytes;
        if (one.drops)
            barrier->expected -= std::min(barrier->expected, one.amount * lanes);
        arrive(world, operation, uint64_t{one.amount} * lanes, one.amount, fault);
        break;
    case Kind::expect:
        if (one.bytes > 0 && barrier->phase > one.phase)
            fault = {Fault::What::incomplete, operation, none, one.object, one.phase, barrier->phase};
        barrier->bytes += one.bytes;
        settle(world, one.object, operation, fault);
        break;
    case Kind::issue:
        barrier->pending += one.counted_in ? one.amount * lanes : 0;
        world.in_flight.push_back(operation);
        if (!irregular_[one.object])
            land(world, world.in_flight.size() - 1, fault);
        break;
    case Kind::wait:
        if (const uint32_t meant = asked(world, operation); barrier->phase != meant)
            fault = {barrier->phase < meant ? Fault::What::early : Fault::What::missed,
                     operation,
                     none,
                     one.object,
                     meant,
                     barrier->phase};
        break;
    case Kind::block_barrier:
        barrier->expected = one.amount;
        barrier->counted = one.counted;
        barrier->arrived += one.threads;
        barrier->passed += one.waits ? 0 : lanes;
        complete_named(world, one.object);
        break;
    case Kind::registers:
        world.registers[one.block] -= takes_[operation];
        break;
    case Kind::cluster_arrive:
        barrier->arrived += lanes;
        for (const uint32_t* other = actors_.begin(operation); other != actors_.end(operation); ++other)
            world.arrived[*other] = barrier->phase + 1;
        complete_cluster(world, one.object);
        break;
    case Kind::exit:
        world.exited[one.block] += one.threads;
        for (uint32_t object = 0; object < record_.objects.size(); ++object)
            if (const Object& of = record_.objects[object]; of.type == Object::Type::cluster) {
                for (const uint32_t* other = actors_.begin(operation); other != actors_.end(operation); ++other)
                    if (world.arrived[*other] == world.barriers[object].phase + 1)
                        world.ended_after_arriving += uint32_t(std::popcount(actors_.all[*other].mask));
                complete_cluster(world, object);
            } else if (of.type == Object::Type::named && of.block == one.block) {
                complete_named(world, object);
            }
        break;
    default:
        break;
    }
}

Fault Rules::left_over(const World& world) const {
    for (uint32_t object = 0; object < record_.objects.size(); ++object)
        if (record_.objects[object].type == Object::Type::named && irregular_[object] &&
            world.barriers[object].arrived) {
            Fault fault{.what = Fault::What::leftover, .object = object};
            for (uint32_t i = 0; i < record_.operations.size(); ++i)
                if (record_.operations[i].object == object)
                    fault.operation = i;
            return fault;
        }
    return {};
}

uint64_t Rules::hash(const World& world) const {
    uint64_t actors = 0;
    for (size_t actor = 0; actor < world.at.size(); ++actor)
        actors += mix(mix(kind_of_actor_[actor], uint64_t{world.at[actor]} << 1 | world.waiting[actor]),
                      world.arrived[actor]);
    uint64_t hash = mix(7 + world.mixes, actors);
    for (const int64_t free : world.registers)
        hash = mix(hash, uint64_t(free));
    for (const Barrier& one : world.barriers) {
        hash = mix(hash, uint64_t{one.phase} << 32 | one.pending);
        hash = mix(hash, uint64_t{one.expected} << 32 | one.arrived);
        hash = mix(hash, uint64_t(one.bytes) << 24 ^ uint64_t{one.passed} << 1 ^ one.counted);
    }
    for (const uint32_t token : world.token)
        hash = mix(hash, token);
    uint64_t flying = 0; // in whatever order they were issued
    for (const uint32_t operation : world.in_flight) {
        const Operation& one = record_.operations[operation];
        flying += mix(mix(uint64_t{lands_in_[operation]} << 32 | one.object, uint64_t(one.bytes)),
                      uint64_t{one.amount} << 32 | uint32_t(std::popcount(one.mask)));
    }
    return mix(hash, flying);
}

} // namespace sim::protocol
