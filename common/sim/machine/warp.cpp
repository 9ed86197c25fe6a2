#include "sim/machine/warp.h"

#include <algorithm>
#include <cstring>

#include "sim/machine/block.h"

namespace sim::machine {

Warp::Warp(Block& owner, uint32_t warp_id, uint32_t lanes, WarpStorage&& storage)
    : block(owner), id(warp_id), population(lanes), fragments(std::move(storage.fragments)),
      specials(std::move(storage.specials)), pool_(std::move(storage.frames)) {
    fragments.reserve(32); // never reallocated: handlers hold references
}

WarpStorage Warp::retire() {
    for (auto& fragment : fragments)
        drop(fragment.frame);
    fragments.clear();
    return {std::move(specials), std::move(fragments), std::move(pool_)};
}

bool Warp::has_room(const DecodedFunction& callee, const Frame& caller) {
    constexpr uint64_t most_frames = 256 << 20; // registers and parameters of all activations, for 32 lanes
    return uint64_t{caller.local_base} + caller.function->local_bytes + callee.local_bytes <= ptx::most_local_bytes &&
           caller.stack + callee.frame_bytes <= most_frames;
}

Frame* Warp::push(DecodedFunction& function, Frame* parent, uint32_t return_pc, const Op* call) {
    auto spare = std::find_if(pool_.begin(), pool_.end(),
                              [&](const auto& candidate) { return candidate->capacity >= function.frame_bytes; });
    Frame* frame;
    if (spare != pool_.end()) {
        frame = spare->release();
        *spare = std::move(pool_.back());
        pool_.pop_back();
    } else {
        frame = new Frame;
        frame->capacity = std::max(function.frame_bytes, 64u);
        frame->data = static_cast<std::byte*>(::operator new[](frame->capacity, std::align_val_t{64}));
    }
    std::memset(frame->data, 0, function.frame_bytes);
    frame->parent = parent;
    frame->function = &function;
    frame->references = 1;
    frame->depth = parent ? parent->depth + 1 : 0;
    frame->stack = (parent ? parent->stack : 0) + function.frame_bytes;
    frame->return_pc = return_pc;
    frame->call = call;
    frame->local_base = parent ? parent->local_base + parent->function->local_bytes : 0;
    if (const uint32_t top = frame->local_base + function.local_bytes; top > local_stride)
        grow_local(std::max(top, local_stride * 2));
    if (parent)
        ++parent->references;
    return frame;
}

void Warp::drop(Frame* frame) {
    while (frame && --frame->references == 0) {
        Frame* parent = frame->parent;
        if (!pending.empty())
            pending.forget(frame);
        pool_.emplace_back(frame);
        frame = parent;
    }
}

void Warp::grow_local(uint32_t stride) {
    std::vector<std::byte> grown(size_t{32} * stride, std::byte{memory::poison});
    for (size_t lane = 0; lane < 32 && local_stride; ++lane)
        std::memcpy(grown.data() + lane * stride, local.data() + lane * local_stride, local_stride);
    local = std::move(grown);
    local_stride = stride;
}

void Warp::exit(size_t index, uint32_t mask) {
    exited |= mask;
    block.exited += uint32_t(std::popcount(mask));
    Fragment& fragment = fragments[index];
    fragment.mask &= ~mask;
    if (!fragment.mask) {
        drop(fragment.frame);
        fragments.erase(fragments.begin() + long(index));
        current = 0;
    }
    uint32_t counted_at = 0; // barriers that count these lanes with the others of the warp
    for (auto& other : fragments) {
        if (other.wait.kind == Wait::Kind::collective) // fewer lanes to wait for
            other.wait.kind = Wait::Kind::none;
        if (other.wait.kind != Wait::Kind::barrier || counted_at >> other.wait.id & 1)
            continue;
        counted_at |= 1u << other.wait.id;
        if (NamedBarrier& barrier = block.barriers[other.wait.id]; barrier.counted)
            barrier.arrived += uint32_t(std::popcount(mask));
    }
}

size_t Warp::split(size_t index, uint32_t mask, uint32_t pc) {
    Fragment copy = fragments[index];
    fragments[index].mask &= ~mask;
    copy.mask = mask;
    copy.pc = pc;
    copy.wait = {};
    retain(copy.frame);
    fragments.push_back(copy);
    return fragments.size() - 1;
}

void Warp::merge() {
    auto mergeable = [](const Fragment& fragment) {
        if (fragment.wait.arrived)
            return false;
        switch (fragment.wait.kind) {
        case Wait::Kind::none:
        case Wait::Kind::collective:
        case Wait::Kind::mbarrier:
        case Wait::Kind::tensor_memory:
        case Wait::Kind::sleep:
            return true;
        default:
            return false;
        }
    };
    // Together, those that wait for different lanes would part again at once, and so on without end.
    auto awaited = [](const Wait& wait) {
        return wait.kind == Wait::Kind::collective || wait.forced ? wait.member : 0;
    };
    auto wait_for_others = [&](const Fragment& a, const Fragment& b) {
        return awaited(a.wait) && awaited(b.wait) && awaited(a.wait) != awaited(b.wait);
    };
    for (size_t i = 0; i < fragments.size(); ++i)
        for (size_t j = i + 1; j < fragments.size();) {
            Fragment &a = fragments[i], &b = fragments[j];
            if (a.pc == b.pc && a.frame == b.frame && mergeable(a) && mergeable(b) && !wait_for_others(a, b)) {
                a.mask |= b.mask;
                a.wait = {};
                drop(b.frame);
                fragments.erase(fragments.begin() + long(j));
            } else {
                ++j;
            }
        }
    current = 0;
}

bool Warp::runnable() const {
    for (const auto& fragment : fragments)
        if (fragment.ready())
            return true;
    return false;
}

} // namespace sim::machine
