#include "sim/async/tensor_allocations.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/async/engine.h"

namespace sim::async {

/// Blocks that are resident on one SM share its Tensor Memory. Those of a cluster are on different ones.
TensorMemory& TensorAllocations::memory() {
    if (!sm_) {
        const machine::Grid& grid = block_.grid;
        const uint64_t sms = grid.options.properties.sm_count, each = grid.blocks_per_cluster;
        const uint64_t number = each == 1
                                    ? block_.linear % sms
                                    : block_.cluster % std::max<uint64_t>(1, sms / each) * each + block_.cluster_rank;
        auto& sm = block_.grid.next.sms[number];
        if (!sm)
            sm = std::make_shared<TensorMemory>();
        sm_ = sm;
    }
    return static_cast<TensorMemory&>(*sm_);
}

machine::Block* TensorAllocations::peer() const {
    if (block_.grid.blocks_per_cluster < 2)
        return nullptr;
    return block_.grid.cluster_block(block_, block_.cluster_rank ^ 1);
}

TensorAllocations::Request* TensorAllocations::of_warp(uint32_t warp) {
    const auto at =
        std::find_if(requests_.begin(), requests_.end(), [&](const Request& one) { return one.warp == warp; });
    return at == requests_.end() ? nullptr : &*at;
}

void TensorAllocations::forget(uint32_t warp) {
    std::erase_if(requests_, [&](const Request& one) { return one.warp == warp; });
}

TensorAllocations::Progress TensorAllocations::alone(Request& request) {
    if (request.kind == Request::Kind::alloc) {
        const auto column = memory().room(request.columns);
        if (!column) {
            memory().wait(block_);
            return Progress::waits;
        }
        request.column = *column;
        memory().allocate({*column, request.columns, &block_});
    } else {
        memory().release(request.column);
    }
    ++block_.grid.activity;
    return Progress::done;
}

TensorAllocations::Progress TensorAllocations::together(Request& request, Request& other, TensorAllocations& peers) {
    if (other.columns != request.columns || (request.kind == Request::Kind::dealloc && other.column != request.column))
        return Progress::differs;
    if (request.kind == Request::Kind::alloc) {
        const auto column = memory().room(request.columns, &peers.memory());
        if (!column) {
            memory().wait(block_);
            peers.memory().wait(block_);
            return Progress::waits;
        }
        request.column = other.column = *column;
        memory().allocate({*column, request.columns, &block_});
        peers.memory().allocate({*column, request.columns, &peers.block_});
    } else {
        memory().release(request.column);
        peers.memory().release(request.column);
    }
    other.done = true;
    peers.block_.wake(machine::Wait::Kind::tensor_memory);
    ++block_.grid.activity;
    return Progress::done;
}

TensorAllocations::Progress TensorAllocations::carry_out(Request& request) {
    if (!request.pair)
        return alone(request);
    Request* own = of_warp(request.warp);
    if (own && own->done) {
        request = *own;
        forget(request.warp);
        return Progress::done;
    }
    TensorAllocations& peers = Engine::of(*peer()).allocations();
    const auto other = std::find_if(peers.requests_.begin(), peers.requests_.end(),
                                    [&](const Request& one) { return one.kind == request.kind && !one.done; });
    const Progress progress = other == peers.requests_.end() ? Progress::waits : together(request, *other, peers);
    if (progress == Progress::waits) {
        if (!own)
            requests_.push_back(request);
    } else {
        forget(request.warp);
    }
    return progress;
}

std::string TensorAllocations::describe(uint32_t warp) {
    const Request* request = of_warp(warp);
    if (!request)
        return fmt::format("waits in tcgen05.alloc for columns of Tensor Memory; {} of {} are free on its SM",
                           memory().free_columns(), TensorMemory::columns);
    if (request->kind == Request::Kind::dealloc)
        return "waits in tcgen05.dealloc.cta_group::2 for a warp of the other block of its pair";
    return fmt::format("waits in tcgen05.alloc.cta_group::2 for a warp of the other block of its pair, or for {} "
                       "columns of Tensor Memory that are free in both; {} of {} are free on its SM",
                       request->columns, memory().free_columns(), TensorMemory::columns);
}

void TensorAllocations::block_end() {
    if (!sm_ || !block_.grid.listener)
        return;
    for (const TensorMemory::Allocation& one : memory().allocations())
        if (one.owner == &block_)
            block_.grid.listener->tensor_leaked(block_, one.column, one.columns);
}

TensorAllocations::~TensorAllocations() {
    if (!sm_)
        return;
    memory().wait_no_more(block_);
    const auto all = memory().allocations();
    for (const TensorMemory::Allocation& one : all)
        if (one.owner == &block_)
            memory().release(one.column);
    memory().forget_freed(block_);
}

} // namespace sim::async
