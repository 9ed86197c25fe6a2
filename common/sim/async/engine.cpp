#include "sim/async/engine.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sim::async {

using machine::for_lanes;
using machine::Schedule;

Engine::Engine(Block& block)
    : block_(block), barriers_(block), copies_(block.warps.size()), bulk_(block), tensor_(block), allocations_(block),
      when_(block.grid.options.schedule.completion) {}

// --- cp.async -------------------------------------------------------------------------------------------------------

void Engine::issue(Exec& x, CopyOp copy) {
    WarpCopies& warp = copies(x.warp);
    copy.warp = x.warp.id;
    copy.pc = x.pc();
    copy.index = ++warp.issued;
    copy.issued_at = x.warp.instructions + x.executed;
    if (auto* observer = listener())
        observer->copy_issue(x, {copy.mask, copy.index, copy.destination, copy.source, copy.bytes, copy.source_bytes});
    x.grid.statistics.cp_async_bytes += uint64_t{copy.bytes} * uint32_t(std::popcount(copy.mask));
    uint32_t reads = 0; // lanes whose copy reads at least a byte
    for_lanes(copy.mask, [&](int lane) { reads |= uint32_t{copy.source[lane] && copy.source_bytes[lane]} << lane; });
    if (reads && warp.unwaited.empty())
        warp.busy_since = copy.issued_at;
    if (reads)
        warp.unwaited.push_back({copy.index, reads, copy.issued_at});
    if (warp.unwaited.size() > 1024) // tracked by mbarriers: their issuer need not wait
        warp.unwaited.pop_front();
    if (when_ == Schedule::Completion::eager) {
        land(copy, copy.mask);
        return;
    }
    for_lanes(copy.mask, [&](int lane) {
        std::memset(block_.shared.data() + copy.destination[lane], memory::poison, copy.bytes);
    });
    warp.in_flight.push_back(copy);
}

void Engine::land(CopyOp& copy, uint32_t lanes) {
    for_lanes(lanes, [&](int lane) {
        std::byte* to = block_.shared.data() + copy.destination[lane];
        const uint32_t take = copy.source_bytes[lane];
        if (take) {
            const Issuer issuer{copy.warp, uint32_t(lane), copy.pc};
            const std::byte* from = source_of(block_, issuer, copy.source[lane], take);
            if (!from)
                return;
            std::memcpy(to, from, take);
        }
        std::memset(to + take, 0, copy.bytes - take);
    });
    copy.mask &= ~lanes;
    ++block_.grid.activity;
}

void Engine::commit(Exec& x) {
    WarpCopies& warp = copies(x.warp);
    if (warp.commits.size() > 4096)
        warp.commits.erase(warp.commits.begin(), warp.commits.begin() + 2048);
    warp.commits.push_back({warp.issued, x.mask});
    if (auto* observer = listener())
        observer->copy_commit(x.warp, x.mask, warp.issued);
}

void Engine::wait(Exec& x, uint32_t n) {
    WarpCopies& warp = copies(x.warp);
    const Lanes upto = waited_for(warp.commits, x.mask, n);
    const uint64_t now = x.warp.instructions + x.executed;
    auto& statistics = x.grid.statistics;
    ++statistics.waits;
    uint64_t oldest = now;
    for (auto& copy : warp.unwaited) {
        uint32_t awaited = 0;
        for_lanes(copy.mask & x.mask, [&](int lane) { awaited |= uint32_t{copy.index <= upto[size_t(lane)]} << lane; });
        if (awaited)
            oldest = std::min(oldest, copy.issued_at);
        copy.mask &= ~awaited;
    }
    if (std::erase_if(warp.unwaited, [](const auto& copy) { return copy.mask == 0; }) && warp.unwaited.empty())
        statistics.instructions_under_copies += (now - warp.busy_since) * uint32_t(std::popcount(x.mask));
    statistics.issue_to_wait_instructions += now - oldest;
    complete(x.warp, x.mask, upto);
    if (auto* observer = listener())
        observer->copy_wait(x, x.mask, upto, n, warp.issued);
    statistics.max_copy_groups =
        std::max(statistics.max_copy_groups, groups_in_flight(warp, uint32_t(std::countr_zero(x.mask))));
}

uint32_t Engine::groups_in_flight(const WarpCopies& warp, uint32_t lane) {
    uint32_t groups = 0, group = 0, counted = 0; // a group is known by how many copies had been issued when it ended
    auto commit = warp.commits.rbegin();
    for (auto copy = warp.unwaited.rbegin(); copy != warp.unwaited.rend(); ++copy) {
        if (!(copy->mask >> lane & 1))
            continue;
        for (; commit != warp.commits.rend() && commit->upto >= copy->index; ++commit)
            if (commit->mask >> lane & 1)
                group = commit->upto;
        groups += group >= copy->index && group != counted;
        counted = group;
    }
    return groups;
}

void Engine::complete(Warp& warp, uint32_t mask, const Lanes& upto) {
    WarpCopies& copies = this->copies(warp);
    for (auto& copy : copies.in_flight) {
        uint32_t lanes = 0;
        for_lanes(copy.mask & mask, [&](int lane) {
            if (copy.index <= upto[size_t(lane)])
                lanes |= 1u << lane;
        });
        if (lanes)
            land(copy, lanes);
    }
    while (!copies.in_flight.empty() && copies.in_flight.front().mask == 0)
        copies.in_flight.pop_front();
    if (!deferred_.empty())
        fire_deferred();
}

void Engine::deferred_arrive(Exec& x, const Op& op, uint32_t mask, uint32_t offset, bool noinc) {
    Mbarrier* barrier = barriers_.use(x, op, mask, offset);
    if (!barrier)
        return;
    if (!noinc) // the arrive that comes later is counted in now, so that the net effect on the phase is zero
        barrier->pending += uint32_t(std::popcount(mask)), barrier->added += uint32_t(std::popcount(mask));
    uint64_t logged = 0;
    if (auto* log = block_.grid.log)
        logged = log->add(x.warp, mask,
                          {.kind = events::BarrierOperation::Kind::issue,
                           .counted_in = !noinc,
                           .pc = x.pc(),
                           .object = barrier->seen.id,
                           .amount = 1,
                           .phase = uint32_t(barrier->phase)});
    deferred_.push_back({&x.warp, mask, copies(x.warp).issued, offset, logged});
    auto* observer = listener();
    if (observer && noinc)
        barriers_.check_arrivals(x, op, mask, *barrier);
    if (observer)
        observer->mbarrier_tracks(x.warp, mask, barrier->seen, copies(x.warp).issued);
    if (when_ == Schedule::Completion::eager)
        fire_deferred();
}

void Engine::fire_deferred(uint64_t due) {
    for (size_t i = 0; i < deferred_.size();) {
        DeferredArrive& arrive = deferred_[i];
        uint32_t waiting = 0;
        for (const auto& copy : copies(*arrive.warp).in_flight)
            if (copy.index <= arrive.upto)
                waiting |= copy.mask & arrive.mask;
        const uint32_t done = arrive.mask & ~waiting;
        if (!done || (arrive.logged != due && held(arrive.logged))) {
            ++i;
            continue;
        }
        if (Mbarrier* barrier = barriers_.find(arrive.barrier)) {
            uint32_t rest = done;
            while (rest) { // as many lanes as fit into this phase arrive together
                uint32_t now = 0;
                do {
                    now |= rest & -rest;
                    rest &= rest - 1;
                } while (rest && uint32_t(std::popcount(now)) < barrier->pending);
                if (auto* observer = listener())
                    observer->mbarrier_copies(*arrive.warp, now, barrier->seen, arrive.upto);
                if (auto* log = block_.grid.log)
                    log->landed(block_, arrive.logged,
                                {.kind = events::BarrierOperation::Kind::land,
                                 .object = barrier->seen.id,
                                 .amount = uint32_t(std::popcount(now)),
                                 .phase = uint32_t(barrier->phase)});
                barriers_.arrive_deferred(arrive.barrier, *barrier, uint32_t(std::popcount(now)));
            }
        }
        arrive.mask = waiting;
        if (!waiting)
            deferred_.erase(deferred_.begin() + long(i));
        else
            ++i;
    }
}

// --- machine::BlockAsync --------------------------------------------------------------------------------------------

bool Engine::progress() {
    if (!deferred_.empty()) {
        const DeferredArrive arrive = deferred_.front();
        Lanes upto;
        upto.fill(arrive.upto);
        complete(*arrive.warp, arrive.mask, upto);
        fire_deferred();
        return true;
    }
    const bool landed = bulk_.progress();
    return tensor_.progress() || landed;
}

void Engine::tick() {
    if (auto* conductor = block_.grid.conductor)
        while (const auto due = conductor->lands(block_))
            if (!land(*due))
                break;
    if (when_ != Schedule::Completion::random)
        return;
    auto& random = block_.grid.random;
    bulk_.tick();
    tensor_.tick();
    for (auto& warp : copies_)
        if (!warp.in_flight.empty() && random() % 4 == 0) {
            // Of many copies several at once: a warp that has issued hundreds is not to be waited for that long.
            const size_t count = warp.in_flight.size();
            for (size_t left = count > 16 ? 1 + random() % (count / 4) : 1; left > 0; --left) {
                CopyOp& copy = warp.in_flight[random() % count];
                land(copy, copy.mask & uint32_t(random()));
            }
            while (!warp.in_flight.empty() && warp.in_flight.front().mask == 0)
                warp.in_flight.pop_front();
        }
    if (!deferred_.empty())
        fire_deferred();
}

bool Engine::land(uint64_t logged) {
    for (const DeferredArrive& arrive : deferred_)
        if (arrive.logged == logged) {
            Lanes upto;
            upto.fill(arrive.upto);
            const DeferredArrive now = arrive;
            complete(*now.warp, now.mask, upto);
            fire_deferred(logged);
            return true;
        }
    return bulk_.land(logged) || tensor_.land(logged);
}

bool Engine::outstanding() const {
    return bulk_.outstanding() || tensor_.outstanding() || !deferred_.empty();
}

bool Engine::wait_over(const Fragment& fragment) {
    if (fragment.wait.id) // the lanes wait on several barriers: let them look again
        return true;
    const Mbarrier* barrier = barriers_.find(uint32_t(fragment.wait.address));
    return !barrier || Mbarriers::complete(*barrier, fragment.wait.phase);
}

std::string Engine::describe(const machine::Warp& warp, const machine::Fragment& fragment) {
    if (fragment.wait.kind == machine::Wait::Kind::tensor_memory)
        return allocations_.describe(warp.id);
    const auto offset = uint32_t(fragment.wait.address);
    std::string text = barriers_.describe(offset, fragment.wait.phase & parity_question);
    const Mbarrier* barrier = barriers_.find(offset);
    if (auto* observer = listener(); observer && barrier)
        text += observer->mbarrier_history(warp, fragment.mask, barrier->seen);
    return text;
}

void Engine::block_end() {
    bulk_.block_end();
    tensor_.block_end();
    allocations_.block_end();
    deferred_.clear();
}

uint32_t Engine::registers_at_launch() const {
    const ptx::Function& kernel = *block_.grid.entry->function;
    const auto& most = kernel.max_threads[0] ? kernel.max_threads : kernel.required_threads;
    const uint32_t threads = most[0] * std::max(1u, most[1]) * std::max(1u, most[2]);
    return RegisterPool::at_launch(uint32_t(block_.warps.size()), threads, kernel.min_blocks);
}

std::optional<RegisterPool::Shortage> Engine::register_shortage() const {
    return registers_.shortage(uint32_t(block_.warps.size()), registers_at_launch());
}

void Engine::lanes_exit(Warp& warp, uint32_t mask) {
    bulk_.lanes_exit(warp, mask);
    if (auto* log = block_.grid.log)
        log->add(warp, mask, {.kind = events::BarrierOperation::Kind::exit, .threads = uint32_t(std::popcount(mask))});
    WarpCopies& own = copies(warp);
    for (auto& copy : own.unwaited)
        copy.mask &= ~mask;
    if (std::erase_if(own.unwaited, [](const auto& copy) { return copy.mask == 0; }) && own.unwaited.empty())
        block_.grid.statistics.instructions_under_copies +=
            (warp.instructions - own.busy_since) * uint32_t(std::popcount(mask));
    const bool last = block_.exited + uint32_t(std::popcount(mask)) >= block_.threads;
    if (listener() && last)
        if (const auto shortage = register_shortage())
            listener()->misuse(&warp, 0, shortage->increase,
                               events::RegistersMissing{shortage->wanted, block_.threads, shortage->per_thread});
    if (listener() && last && !bulk_.unknown().empty())
        listener()->bulk_source_outlives(bulk_.unknown().front());
    if (listener() && last)
        for (auto& peer : block_.grid.resident)
            if (peer->cluster == block_.cluster)
                if (const BulkLoad* copy = of(*peer).bulk().in_flight_to(block_))
                    listener()->bulk_outlives(warp, copy->number, peer.get() != &block_);
    if (listener())
        for (const uint64_t store : bulk_.unwaited(warp, mask))
            listener()->bulk_source_outlives(store);
}

} // namespace sim::async
