#include "sim/protocol/proof.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

namespace sim::protocol {
namespace {

/// What is known to have happened: by actor, how many of its steps; then by object, how many of its phases are
/// complete.
using Clock = std::vector<uint32_t>;

void join(Clock& into, const Clock& other) {
    if (into.empty())
        into = other;
    else
        for (size_t i = 0; i < other.size(); ++i)
            into[i] = std::max(into[i], other[i]);
}

/// A step of an actor.
struct Event {
    uint32_t actor, step;
};

/// A barrier as it was in the run, and what its phase is known to come after.
struct Known {
    uint32_t phase = 0, pending = 0, expected = 0;
    int64_t bytes = 0;
    uint32_t arrived = 0, passed = 0; ///< named and cluster barriers: threads
    bool counted = false;             ///< named: has an explicit count
    Clock before;                     ///< the completion of the current phase
    Clock arrivals;                   ///< each of its arrivals
    Clock done;                       ///< the completion of the phase before
    std::vector<Event> waits;         ///< for the phase before
    std::vector<Event> expects;       ///< in the current phase, without an arrival
    std::vector<uint32_t> waiting;    ///< actors at a named barrier
};

class Pass {
  public:
    Pass(const Record& record, const Actors& actors, const std::vector<uint8_t>& irregular)
        : record_(record), actors_(actors), irregular_(irregular), size_(actors.all.size() + record.objects.size()),
          clocks_(actors.all.size(), Clock(size_)), objects_(record.objects.size()), found_(irregular),
          exited_(record.blocks.size()), exited_of_warp_(record.blocks.size() * 32) {
        for (const auto& [later, earlier] : record.ordered)
            kept_.insert(earlier);
        arrived_at_cluster_.resize(actors.all.size());
        for (Known& one : objects_)
            one.done.assign(size_, 0);
    }

    void run() {
        auto edge = record_.ordered.begin();
        for (uint32_t i = 0; i < record_.operations.size() && understood; ++i) {
            const Operation& one = record_.operations[i];
            if (one.kind == Kind::land) {
                land(one);
                continue;
            }
            Clock clock = clocks_[actors_.one(i)];
            for (const uint32_t* other = actors_.begin(i); other != actors_.end(i); ++other)
                join(clock, clocks_[*other]);
            // Operations of one access follow each other in the list, in the order of the run.
            for (; edge != record_.ordered.end() && edge->first <= i; ++edge)
                if (edge->first == i)
                    if (const auto found = snapshots_.find(edge->second); found != snapshots_.end())
                        join(clock, found->second);
            for (const uint32_t* other = actors_.begin(i); other != actors_.end(i); ++other)
                ++clock[*other];
            step(i, one, clock);
            if (kept_.contains(i) || one.kind == Kind::issue)
                snapshots_[i] = clock;
            for (const uint32_t* other = actors_.begin(i); other != actors_.end(i); ++other)
                clocks_[*other] = clock;
            for (const auto& [actor, object] : released_)
                if (trusted(object))
                    join(clocks_[actor], objects_[object].done);
            released_.clear();
        }
    }

    std::vector<uint8_t> found() && { return std::move(found_); }
    std::vector<uint8_t> left_over() const {
        std::vector<uint8_t> all;
        for (const Known& one : objects_)
            all.push_back(one.arrived != 0);
        return all;
    }
    bool understood = true;

  private:
    size_t knows(uint32_t object) const { return actors_.all.size() + object; }
    void suspect(uint32_t object) { found_[object] = 1; }
    bool trusted(uint32_t object) const { return !irregular_[object]; }

    /// An operation of phase `phase` must come after the phase before.
    void belongs(uint32_t object, uint32_t phase, const Clock& clock) {
        if (clock[knows(object)] < phase)
            suspect(object);
    }

    void complete(uint32_t object) {
        Known& known = objects_[object];
        for (const Event& wait : known.waits)
            if (known.before.empty() || known.before[wait.actor] < wait.step)
                suspect(object);
        for (const Event& expect : known.expects)
            if (known.arrivals.empty() || known.arrivals[expect.actor] < expect.step)
                suspect(object);
        ++known.phase;
        join(known.before, known.done);
        known.done = std::move(known.before);
        known.done[knows(object)] = known.phase;
        known.before.clear();
        known.arrivals.clear();
        known.waits.clear();
        known.expects.clear();
    }

    void settle(uint32_t object) {
        Known& known = objects_[object];
        if (known.pending == 0 && known.bytes == 0) {
            complete(object);
            known.pending = known.expected;
        }
    }

    void arrive(uint32_t object, uint64_t count) {
        Known& known = objects_[object];
        if (count > known.pending) {
            understood = false; // several phases, or too many: reported anyway
            return;
        }
        known.pending -= uint32_t(count);
        settle(object);
    }

    void land(const Operation& one) {
        Known& known = objects_[one.object];
        const Clock& clock = snapshots_.at(one.issue);
        check_phase(one);
        belongs(one.object, one.phase, clock);
        join(known.before, clock);
        known.bytes -= one.bytes;
        if (one.amount) {
            join(known.arrivals, clock);
            arrive(one.object, one.amount);
        } else {
            settle(one.object);
        }
        if (!kept_.contains(one.issue) && one.bytes && one.bytes == record_.operations[one.issue].bytes)
            snapshots_.erase(one.issue);
    }

    void check_phase(const Operation& one) { understood = understood && objects_[one.object].phase == one.phase; }

    void step(uint32_t number, const Operation& one, Clock& clock) {
        const Event event{actors_.one(number), clock[actors_.one(number)]};
        switch (one.kind) {
        case Kind::init:
            objects_[one.object].expected = objects_[one.object].pending = one.amount;
            break;
        case Kind::arrive: {
            Known& known = objects_[one.object];
            const auto lanes = uint32_t(std::popcount(one.mask));
            check_phase(one);
            belongs(one.object, one.phase, clock);
            join(known.before, clock);
            join(known.arrivals, clock);
            known.bytes += one.bytes;
            if (one.drops)
                known.expected -= std::min(known.expected, one.amount * lanes);
            arrive(one.object, uint64_t{one.amount} * lanes);
            break;
        }
        case Kind::expect: {
            Known& known = objects_[one.object];
            check_phase(one);
            belongs(one.object, one.phase, clock);
            join(known.before, clock);
            if (one.bytes > 0) // a thread's complete_tx is like bytes that land
                known.expects.push_back(event);
            known.bytes += one.bytes;
            settle(one.object);
            break;
        }
        case Kind::issue:
            if (one.counted_in) {
                Known& known = objects_[one.object];
                check_phase(one);
                belongs(one.object, one.phase, clock);
                join(known.before, clock);
                known.expects.push_back(event);
                known.pending += one.amount * uint32_t(std::popcount(one.mask));
            }
            break;
        case Kind::wait: {
            Known& known = objects_[one.object];
            check_phase(one);
            if (one.phase > 0 && clock[knows(one.object)] + 1 < one.phase)
                suspect(one.object);
            known.waits.push_back(event);
            if (trusted(one.object))
                join(clock, known.done);
            break;
        }
        case Kind::block_barrier:
            block_barrier(number, one, clock);
            break;
        case Kind::cluster_arrive:
        case Kind::cluster_wait:
            cluster_barrier(number, one, clock);
            break;
        case Kind::exit:
            leave(number, one);
            break;
        default:
            break;
        }
    }

    void block_barrier(uint32_t number, const Operation& one, const Clock& clock) {
        Known& known = objects_[one.object];
        belongs(one.object, known.phase, clock);
        if ((known.arrived && known.expected != one.amount) || known.arrived + one.threads > one.amount)
            suspect(one.object);
        known.expected = one.amount;
        known.counted = one.counted;
        known.arrived += one.threads;
        if (one.counted && one.waits && !waits_there(known, one)) // a warp counts in full
            known.arrived += exited_of_warp_[one.block * 32 + one.warp];
        join(known.before, clock);
        join(known.arrivals, clock);
        if (one.waits)
            known.waiting.insert(known.waiting.end(), actors_.begin(number), actors_.end(number));
        else
            known.passed += uint32_t(std::popcount(one.mask));
        complete_named(one.object);
    }

    /// Do lanes of the operation's warp wait at the named barrier?
    bool waits_there(const Known& known, const Operation& one) const {
        return std::any_of(known.waiting.begin(), known.waiting.end(), [&](uint32_t actor) {
            return actors_.all[actor].block == one.block && actors_.all[actor].warp == one.warp;
        });
    }

    void complete_named(uint32_t object) {
        Known& known = objects_[object];
        const uint32_t threads = record_.blocks[record_.objects[object].block].threads;
        const uint32_t exited = exited_[record_.objects[object].block];
        const uint32_t absent =
            !known.counted && known.expected >= threads && exited > known.passed ? exited - known.passed : 0;
        if (!known.arrived || known.arrived + absent < known.expected)
            return;
        complete(object);
        known.arrived = known.passed = 0;
        for (const uint32_t actor : known.waiting)
            released_.emplace_back(actor, object);
        known.waiting.clear();
    }

    void cluster_barrier(uint32_t number, const Operation& one, Clock& clock) {
        Known& known = objects_[one.object];
        if (one.kind == Kind::cluster_wait) {
            if (trusted(one.object))
                join(clock, known.done);
            return;
        }
        belongs(one.object, known.phase, clock);
        known.arrived += uint32_t(std::popcount(one.mask));
        join(known.before, clock);
        for (const uint32_t* actor = actors_.begin(number); actor != actors_.end(number); ++actor)
            arrived_at_cluster_[*actor] = 1;
        cluster_ = one.object;
        complete_cluster();
    }

    void complete_cluster() {
        if (cluster_ == none)
            return;
        Known& known = objects_[cluster_];
        uint32_t threads = 0, exited = 0;
        for (size_t i = 0; i < record_.blocks.size(); ++i) {
            threads += record_.blocks[i].threads;
            exited += exited_[i];
        }
        if (!known.arrived || known.arrived + exited - ended_after_arriving_ < threads)
            return;
        complete(cluster_);
        known.arrived = ended_after_arriving_ = 0;
        std::fill(arrived_at_cluster_.begin(), arrived_at_cluster_.end(), 0);
    }

    void leave(uint32_t number, const Operation& one) {
        exited_[one.block] += one.threads;
        exited_of_warp_[one.block * 32 + one.warp] += one.threads;
        for (const uint32_t* actor = actors_.begin(number); actor != actors_.end(number); ++actor)
            if (arrived_at_cluster_[*actor])
                ended_after_arriving_ += uint32_t(std::popcount(actors_.all[*actor].mask));
        for (uint32_t object = 0; object < objects_.size(); ++object)
            if (record_.objects[object].type == Object::Type::named && record_.objects[object].block == one.block) {
                if (objects_[object].counted && waits_there(objects_[object], one))
                    objects_[object].arrived += one.threads;
                complete_named(object);
            }
        complete_cluster();
    }

    const Record& record_;
    const Actors& actors_;
    const std::vector<uint8_t>& irregular_;
    const size_t size_;
    std::vector<Clock> clocks_;
    std::vector<Known> objects_;
    std::vector<uint8_t> found_;
    std::vector<uint32_t> exited_, exited_of_warp_;
    std::vector<std::pair<uint32_t, uint32_t>> released_; ///< actors, with the barrier where they waited
    std::vector<uint8_t> arrived_at_cluster_;
    uint32_t cluster_ = none, ended_after_arriving_ = 0;
    std::unordered_set<uint32_t> kept_;
    std::unordered_map<uint32_t, Clock> snapshots_; ///< clocks of operations that others follow, or that land later
};

} // namespace

bool Proof::regular() const {
    return std::ranges::none_of(irregular, [](uint8_t one) { return one != 0; });
}

Proof prove(const Record& record, const Actors& actors) {
    Proof proof;
    proof.irregular.resize(record.objects.size());
    proof.registers = std::ranges::any_of(record.operations, [](const Operation& one) {
        return one.kind == Kind::registers && one.amount > one.threads;
    });
    for (;;) {
        Pass pass(record, actors, proof.irregular);
        pass.run();
        proof.understood = pass.understood;
        proof.left_over = pass.left_over();
        std::vector<uint8_t> found = std::move(pass).found();
        if (!proof.understood || found == proof.irregular)
            return proof;
        proof.irregular = std::move(found);
    }
}

} // namespace sim::protocol
