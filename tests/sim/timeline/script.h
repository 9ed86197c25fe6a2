// Writes down what a block does, for tests of the timeline.
#pragma once

#include "sim/timeline/replay.h"

namespace sim::timeline {

// One instruction a cycle and scheduler, a latency of 100 at any load and for any number of lines, of 10 from the
// cache, 16 bytes per cycle, barriers of 20 cycles.
inline constexpr Model model{.schedulers = 1,
                             .issue_interval = 1,
                             .branch = 0,
                             .copy_issue = 4,
                             .copy_again = 0,
                             .latency = 100,
                             .latency_load_50 = 100,
                             .latency_load_75 = 100,
                             .latency_load_95 = 100,
                             .latency_copy_50 = 100,
                             .latency_copy_75 = 100,
                             .latency_copy_95 = 100,
                             .tile_load_50 = 0,
                             .tile_load_75 = 0,
                             .tile_load_95 = 0,
                             .tile_copy_50 = 0,
                             .tile_copy_75 = 0,
                             .tile_copy_95 = 0,
                             .cached = 10,
                             .l2_latency = 40,
                             .bytes_per_cycle = 16,
                             .l2_bytes_per_cycle = 16,
                             .store_latency = 60,
                             .store_latency_95 = 60,
                             .mbarrier_arrival = 0,
                             .barrier = 20,
                             .quantum = 1000};

// Writing down what a block does.
struct Script {
    Recording recording;
    explicit Script(uint32_t warps) {
        recording.warps = warps;
        recording.places = {{"kernel.cu", 10}};
    }
    uint32_t add(Event::Kind kind, uint32_t warp, uint32_t instructions, uint32_t bytes = 0, uint32_t what = none) {
        recording.events.push_back({kind, warp, instructions, 0, bytes, 0, what});
        return uint32_t(recording.events.size() - 1);
    }
    uint32_t copy(uint32_t warp, uint32_t instructions, uint32_t bytes) {
        const auto number = uint32_t(recording.copies.size());
        recording.copies.push_back({"bulk copy", number, warp, 0, bytes});
        return add(Event::Kind::copy, warp, instructions, bytes, number);
    }
    void wait(uint32_t warp, uint32_t instructions, std::vector<uint32_t> events, bool reads = false) {
        recording.joins.push_back({"join", none, reads, std::move(events)});
        add(Event::Kind::wait, warp, instructions, 0, uint32_t(recording.joins.size() - 1));
    }
    Timeline replay(Copies copies = Copies::asynchronous) const {
        return sim::timeline::replay(recording, model, copies);
    }
};

inline Span compute(uint32_t warp, uint64_t begin, uint64_t end) {
    return {Span::Kind::compute, warp, begin, end, 0, none};
}
inline Span waits(uint32_t warp, uint64_t begin, uint64_t end, uint32_t join) {
    return {Span::Kind::wait, warp, begin, end, 0, join};
}
inline Span loads(uint32_t warp, uint64_t begin, uint64_t end) {
    return {Span::Kind::load, warp, begin, end, 0, none};
}
using Spans = std::vector<Span>;

} // namespace sim::timeline
