#include "sim/async/tensor_operations.h"

#include <algorithm>

#include "sim/async/engine.h"

namespace sim::async {

using events::BarrierOperation;
using machine::Schedule;

TensorOperations::TensorOperations(machine::Block& block)
    : block_(block), when_(block.grid.options.schedule.completion) {}

uint32_t TensorOperations::issued(uint32_t warp, uint32_t lane) const {
    const auto found = issued_.find(warp * 32 + lane);
    return found == issued_.end() ? 0 : found->second;
}

void TensorOperations::issue(TensorOperation operation) {
    operation.index = ++issued_[operation.issuer.warp * 32 + operation.issuer.lane];
    operations_.push_back(std::move(operation));
    if (when_ == Schedule::Completion::eager)
        complete_front();
}

void TensorOperations::commit(TensorCommit commit) {
    commit.upto = issued(commit.issuer.warp, commit.issuer.lane);
    for (TensorArrival& arrival : commit.arrivals)
        if (const Mbarrier* barrier = Engine::of(*arrival.block).barriers().find(arrival.offset))
            if (auto* log = block_.grid.log)
                arrival.logged = log->add(*block_.warps[commit.issuer.warp], 1u << commit.issuer.lane,
                                          {.kind = BarrierOperation::Kind::issue,
                                           .pc = commit.issuer.pc,
                                           .object = barrier->seen.id,
                                           .amount = 1,
                                           .phase = uint32_t(barrier->phase)});
    commits_.push_back(std::move(commit));
    if (when_ == Schedule::Completion::eager)
        fire();
}

void TensorOperations::complete_front() {
    const TensorOperation operation = std::move(operations_.front());
    operations_.pop_front();
    operation.carry_out();
    if (auto* observer = Engine::of(block_).listener())
        observer->tensor_done(operation.number);
    ++block_.grid.activity;
}

bool TensorOperations::complete(const TensorCommit& commit) const {
    return std::none_of(operations_.begin(), operations_.end(), [&](const TensorOperation& operation) {
        return operation.issuer.warp == commit.issuer.warp && operation.issuer.lane == commit.issuer.lane &&
               operation.group == commit.group && operation.index <= commit.upto;
    });
}

void TensorOperations::complete_for(const TensorCommit& commit) {
    while (!complete(commit))
        complete_front();
}

bool TensorOperations::held(uint64_t logged) const {
    return block_.grid.conductor && block_.grid.conductor->holds(logged);
}

void TensorOperations::arrive(const TensorCommit& commit, const TensorArrival& arrival) {
    Mbarriers& barriers = Engine::of(*arrival.block).barriers();
    Mbarrier* barrier = barriers.find(arrival.offset);
    if (!barrier)
        return;
    if (auto* observer = Engine::of(block_).listener())
        observer->tensor_arrive(commit.number, barrier->seen);
    if (auto* log = block_.grid.log)
        log->landed(block_, arrival.logged,
                    {.kind = BarrierOperation::Kind::land,
                     .object = barrier->seen.id,
                     .amount = 1,
                     .phase = uint32_t(barrier->phase)});
    barriers.arrive_deferred(arrival.offset, *barrier, 1);
}

void TensorOperations::fire(uint64_t due) {
    for (size_t i = 0; i < commits_.size();) {
        TensorCommit& commit = commits_[i];
        if (!complete(commit)) {
            ++i;
            continue;
        }
        std::vector<TensorArrival> now, later;
        for (const TensorArrival& arrival : commit.arrivals)
            (arrival.logged != due && held(arrival.logged) ? later : now).push_back(arrival);
        for (const TensorArrival& arrival : now)
            arrive(commit, arrival);
        commit.arrivals = std::move(later);
        if (!now.empty())
            ++block_.grid.activity;
        if (commit.arrivals.empty())
            commits_.erase(commits_.begin() + long(i));
        else
            ++i;
    }
}

bool TensorOperations::progress() {
    if (!outstanding())
        return false;
    const size_t before = operations_.size() + commits_.size();
    if (!commits_.empty())
        complete_for(commits_.front());
    else
        complete_front();
    fire();
    return operations_.size() + commits_.size() < before;
}

bool TensorOperations::land(uint64_t logged) {
    for (const TensorCommit& commit : commits_)
        for (const TensorArrival& arrival : commit.arrivals)
            if (arrival.logged == logged) {
                complete_for(commit);
                fire(logged);
                return true;
            }
    return false;
}

void TensorOperations::tick() {
    auto& random = block_.grid.random;
    if (!operations_.empty() && random() % 2)
        for (size_t left = 1 + random() % operations_.size(); left > 0; --left)
            complete_front();
    if (!commits_.empty() && random() % 2)
        fire();
}

void TensorOperations::block_end() {
    while (!operations_.empty())
        complete_front();
    fire();
    commits_.clear();
}

} // namespace sim::async
