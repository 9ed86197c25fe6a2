// The program's allocations.
#include "sim/cuda/program/host_watch.h"
#include "sim/cuda/program/runtime.h"
#include "sim/cuda/program/staged_sources.h"

namespace sim::cuda {

void Runtime::add(const Allocation& allocation) {
    const std::lock_guard lock(mutex_);
    allocations_.insert_or_assign(allocation.address, allocation);
    freed_.erase(freed_.lower_bound(allocation.address), freed_.lower_bound(allocation.address + allocation.bytes));
    if (allocation.is_variable)
        managed_variables_.push_back(allocation.address);
    if (allocation.kind != Allocation::Kind::device)
        shares_memory_ = true;
}

bool Runtime::remove(uint64_t address, Allocation& removed) {
    const uint32_t call = call_sites::here();
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(address);
    if (found == allocations_.end())
        return false;
    removed = found->second;
    allocations_.erase(found);
    if (removed.kind != Allocation::Kind::registered)
        freed_.insert_or_assign(address, Freed{removed.bytes, call});
    return true;
}

uint32_t Runtime::freed_at(uint64_t address) const {
    const std::lock_guard lock(mutex_);
    const auto next = freed_.upper_bound(address);
    if (next == freed_.begin())
        return 0;
    const auto& [first, gone] = *std::prev(next);
    return address - first < gone.bytes ? gone.call : 0;
}

bool Runtime::find(uint64_t address, Allocation& found) const {
    const std::lock_guard lock(mutex_);
    auto next = allocations_.upper_bound(address);
    if (next == allocations_.begin())
        return false;
    const Allocation& candidate = std::prev(next)->second;
    if (address - candidate.address >= candidate.bytes)
        return false;
    found = candidate;
    return true;
}

bool Runtime::registered_page(uint64_t pages, uint64_t bytes) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, allocation] : allocations_)
        if (allocation.kind == Allocation::Kind::registered && allocation.pages < pages + bytes &&
            pages < allocation.pages + allocation.page_bytes)
            return true;
    return false;
}

uint64_t Runtime::map_host_block(uint64_t bytes, Allocation::Kind kind, unsigned flags) {
    const uint64_t block = arena_->allocate(bytes);
    if (!block)
        fail(cudaErrorMemoryAllocation, "no room for " + std::to_string(bytes) + " bytes of pinned memory");
    try {
        call(MapHost{block, block, bytes, kind == Allocation::Kind::managed});
    } catch (const Failure&) {
        arena_->release(block);
        throw;
    }
    add({kind, block, bytes, flags, block, 0, 0});
    return block;
}

void Runtime::drop_all() {
    wait(Target::device, 0);
    std::map<uint64_t, Allocation> all;
    {
        const std::lock_guard lock(mutex_);
        all.swap(allocations_);
        managed_variables_.clear();
    }
    for (const auto& [address, gone] : all) {
        if (gone.kind == Allocation::Kind::device) {
            call(Release{address});
            continue;
        }
        call(UnmapHost{address});
        if (gone.kind == Allocation::Kind::registered)
            arena_->disown(gone.pages, gone.page_bytes, gone.block);
        else
            arena_->release(gone.block);
    }
    // Variables get their initial values back when the modules are loaded again.
    Tables& known = tables();
    const std::lock_guard lock(known.mutex);
    for (auto& [host, function] : known.functions)
        function->kernel = 0;
    for (auto& [host, variable] : known.variables)
        variable->address = 0;
    for (auto& module : known.modules)
        unload(*module);
}

void Runtime::forget(uint64_t ticket) {
    const std::lock_guard lock(mutex_);
    const auto found = tracked_.find(ticket);
    if (found == tracked_.end()) {
        released_early_.insert(ticket);
        return;
    }
    if (found->second) {
        arena_->release(found->second);
        staged_sources_->remove(ticket);
    } else {
        HostWatch::get().remove(ticket);
    }
    tracked_.erase(found);
}

void Runtime::track_watched(const WatchedCopy& copy) {
    const std::lock_guard lock(mutex_);
    if (released_early_.contains(copy.ticket))
        return;
    tracked_.emplace(copy.ticket, 0);
    if (!HostWatch::get().add(copy))
        not_done(NotDone::Kind::watch, {});
}

void Runtime::track_staging(uint64_t ticket, uint64_t block) {
    const std::lock_guard lock(mutex_);
    if (released_early_.erase(ticket))
        arena_->release(block);
    else
        tracked_.emplace(ticket, block);
}

void Runtime::track_staging(uint64_t ticket, uint64_t block, const Box& box, const void* site) {
    track_staging(ticket, block);
    const std::lock_guard lock(mutex_);
    if (tracked_.contains(ticket))
        staged_sources_->add(ticket, {box, block, site});
}

} // namespace sim::cuda
