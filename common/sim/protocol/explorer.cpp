#include "sim/protocol/explorer.h"

#include <algorithm>
#include <functional>

namespace sim::protocol {
namespace {

constexpr size_t most_bytes = size_t{256} << 20; // of states that are left to go on from

/// Numbers that have been seen. 0 is none.
class Seen {
  public:
    Seen() : slots_(1024) {}
    bool insert(uint64_t number) {
        number += number == 0;
        if (++count_ * 2 > slots_.size())
            grow();
        return put(slots_, number);
    }

  private:
    static bool put(std::vector<uint64_t>& slots, uint64_t number) {
        for (size_t at = number & (slots.size() - 1);; at = (at + 1) & (slots.size() - 1)) {
            if (slots[at] == number)
                return false;
            if (slots[at] == 0) {
                slots[at] = number;
                return true;
            }
        }
    }
    void grow() {
        std::vector<uint64_t> bigger(slots_.size() * 2);
        for (const uint64_t number : slots_)
            if (number)
                put(bigger, number);
        slots_ = std::move(bigger);
    }
    std::vector<uint64_t> slots_;
    size_t count_ = 0;
};

/// What may happen next: the step of an actor, or a landing.
struct Choice {
    uint32_t actor, flying; ///< one of them is `none`
};

class Search {
  public:
    Search(const Record& record, const Actors& actors, const std::vector<uint8_t>& irregular, const Limits& limits)
        : record_(record), actors_(actors), irregular_(irregular), rules_(record, actors, irregular), limits_(limits) {}

    Explored run() {
        const bool one_order = std::all_of(irregular_.begin(), irregular_.end(), [](uint8_t one) { return one == 0; });
        const auto count = one_order ? 0 : uint32_t(actors_.all.size());
        // What most often goes wrong: one warp is much slower or much faster than the others.
        for (uint32_t slow = 0; slow <= count && !one_order && !found() && in_time(); ++slow)
            for (const bool landings_first : {true, false})
                probe([&](const Choice& choice) {
                    return (choice.actor == none ? (landings_first ? 0 : 2) : 1) + (choice.actor == slow ? 4 : 0);
                });
        for (uint32_t fast = 0; fast < count && !found() && in_time(); ++fast)
            for (const bool landings_first : {true, false})
                probe([&](const Choice& choice) {
                    return choice.actor == fast ? -1 : choice.actor == none ? (landings_first ? 0 : 2) : 1;
                });
        if (!found())
            search();
        return std::move(result_);
    }

  private:
    bool found() const { return result_.fault.what != Fault::What::nothing; }
    bool in_time() const { return std::chrono::steady_clock::now() < limits_.until; }

    /// Executes all steps for which it does not matter when.
    void settle(World& world) {
        for (bool any = true; any && !found();) {
            any = false;
            for (uint32_t actor = 0; actor < actors_.all.size(); ++actor)
                while (!found() && rules_.ready(world, actor) && !rules_.matters(rules_.next(world, actor))) {
                    step(world, actor);
                    any = true;
                }
        }
    }

    void step(World& world, uint32_t actor) {
        result_.order.push_back({rules_.next(world, actor), false});
        rules_.execute(world, actor, result_.fault);
    }

    void take(World& world, const Choice& choice) {
        if (choice.actor != none)
            return step(world, choice.actor);
        result_.order.push_back({world.in_flight[choice.flying], true});
        rules_.land(world, choice.flying, result_.fault);
    }

    std::vector<Choice> choices(const World& world) const {
        std::vector<Choice> all;
        for (uint32_t actor = 0; actor < actors_.all.size(); ++actor)
            if (rules_.ready(world, actor) &&
                actors_.one(rules_.next(world, actor)) == actor) // of several that act together, one
                all.push_back({actor, none});
        for (uint32_t i = 0; i < world.in_flight.size(); ++i) {
            const auto alike = [&](uint32_t other) {
                const Operation &a = record_.operations[world.in_flight[i]], &b = record_.operations[other];
                return a.object == b.object && a.bytes == b.bytes && a.amount == b.amount && a.mask == b.mask &&
                       rules_.lands_in(world.in_flight[i]) == rules_.lands_in(other);
            };
            if (std::none_of(world.in_flight.begin(), world.in_flight.begin() + i, alike))
                all.push_back({none, i});
        }
        return all;
    }

    /// Nothing can happen any more.
    void judge_end(const World& world) {
        bool all_ended = true, doubtful = false;
        for (uint32_t actor = 0; actor < actors_.all.size(); ++actor) {
            all_ended = all_ended && rules_.ended(world, actor);
            doubtful = doubtful || rules_.uncertain(world, actor);
        }
        if (all_ended) {
            if (result_.left_over.what == Fault::What::nothing) {
                result_.left_over = rules_.left_over(world);
                if (result_.left_over.what != Fault::What::nothing)
                    result_.with_left_over = result_.order;
            }
            if (world.deviates && (result_.another.empty() || (world.mixes && !result_.mixes))) {
                result_.another = result_.order;
                result_.mixes = world.mixes;
            }
            return;
        }
        result_.doubtful = result_.doubtful || doubtful;
        if (doubtful)
            return;
        result_.fault.what = Fault::What::deadlock;
        for (uint32_t actor = 0; actor < actors_.all.size(); ++actor)
            if (!rules_.ended(world, actor))
                result_.stuck.push_back(rules_.next(world, actor));
        result_.barriers = world.barriers;
        result_.exited = world.exited;
        blame(world);
    }

    /// A thread that waits for registers says most, then one that waits for an mbarrier.
    void blame(const World& world) {
        Fault& fault = result_.fault;
        for (const uint32_t operation : result_.stuck) {
            const Operation& one = record_.operations[operation];
            const auto says = [](Kind kind) { return kind == Kind::registers ? 2 : kind == Kind::wait ? 1 : 0; };
            if (fault.operation != none && says(one.kind) <= says(record_.operations[fault.operation].kind))
                continue;
            if (one.kind == Kind::registers)
                fault.what = Fault::What::registers;
            fault.operation = operation;
            fault.object = one.object;
            fault.meant = one.phase;
            fault.now = one.object == none ? 0 : world.barriers[one.object].phase;
        }
    }

    void probe(const std::function<int(const Choice&)>& rank) {
        if (found())
            return;
        World world = rules_.begin();
        result_.order.clear();
        for (uint32_t count = 0;; ++count) {
            settle(world);
            if (found() || (count % 64 == 63 && !in_time()))
                return;
            const std::vector<Choice> all = choices(world);
            if (all.empty())
                return judge_end(world);
            take(world, *std::ranges::min_element(all, {}, rank));
            if (found())
                return;
        }
    }

    struct Branch {
        World world;
        std::vector<Choice> choices;
        size_t next = 0, order = 0;
    };

    bool exhausted(size_t bytes) {
        ++result_.states;
        if (result_.states >= limits_.states || (result_.states % 256 == 0 && !in_time()) || bytes > most_bytes)
            result_.all = false;
        return !result_.all;
    }

    /// Goes on until there are several choices, in a state that has not been seen. Empty: this way ends before.
    std::vector<Choice> onward(World& world, Seen& seen, size_t bytes) {
        for (;;) {
            settle(world);
            if (found() || exhausted(bytes))
                return {};
            std::vector<Choice> all = choices(world);
            if (all.empty())
                judge_end(world);
            if (all.size() != 1)
                return !all.empty() && seen.insert(rules_.hash(world)) ? all : std::vector<Choice>{};
            take(world, all[0]);
            if (found())
                return {};
        }
    }

    void search() {
        Seen seen;
        std::vector<Branch> open;
        World world = rules_.begin();
        size_t bytes = 0;
        result_.order.clear();
        for (;;) {
            std::vector<Choice> all = onward(world, seen, bytes);
            if (found() || !result_.all)
                return;
            if (!all.empty()) {
                bytes += bytes_of(world);
                open.push_back({world, std::move(all), 0, result_.order.size()});
            }
            while (!open.empty() && open.back().next == open.back().choices.size()) {
                bytes -= bytes_of(open.back().world);
                open.pop_back();
            }
            if (open.empty())
                return;
            Branch& branch = open.back();
            result_.order.resize(branch.order);
            world = branch.world;
            take(world, branch.choices[branch.next++]);
            if (found())
                return;
        }
    }

    static size_t bytes_of(const World& world) {
        return world.at.size() * 9 + world.barriers.size() * sizeof(Barrier) + world.in_flight.size() * 4 + 256;
    }

    const Record& record_;
    const Actors& actors_;
    const std::vector<uint8_t>& irregular_;
    const Rules rules_;
    const Limits& limits_;
    Explored result_;
};

} // namespace

Explored explore(const Record& record, const Actors& actors, const std::vector<uint8_t>& irregular,
                 const Limits& limits) {
    return Search(record, actors, irregular, limits).run();
}

} // namespace sim::protocol
