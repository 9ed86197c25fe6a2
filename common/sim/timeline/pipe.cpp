#include "sim/timeline/pipe.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sim::timeline {
namespace {

struct Point {
    double load;
    double latency;
};

/// Between two points it is on the line. Beyond the last one it stays: from there on, requests wait for their turn.
double between(const std::array<Point, 4>& points, double load) {
    for (size_t i = 1; i < points.size(); ++i) {
        const Point &before = points[i - 1], &after = points[i];
        if (load < after.load) {
            const double part = (load - before.load) / (after.load - before.load);
            return before.latency + part * (after.latency - before.latency);
        }
    }
    return points.back().latency;
}

/// While all SMs load, and while they copy: half of what a copy moves is stored.
double mixed(double loading, double copying, double stores) {
    return loading + std::min(1.0, 2 * stores) * (copying - loading);
}

/// How much later than the average line the last of some lines arrives, in parts of what it is for a tile of 8 KiB. The
/// delays of lines differ; the longest of n grows with the logarithm of n.
double last_of(double bytes) {
    constexpr double line = 128, tile = 8192;
    return std::log2(std::max(1.0, bytes / line)) / std::log2(tile / line);
}

} // namespace

double latency(const Model& model, double load, double stores) {
    const double loading = between({{{0.0, double(model.latency)},
                                     {0.50, double(model.latency_load_50)},
                                     {0.75, double(model.latency_load_75)},
                                     {0.95, double(model.latency_load_95)}}},
                                   load);
    const double copying = between({{{0.0, double(model.latency)},
                                     {0.50, double(model.latency_copy_50)},
                                     {0.75, double(model.latency_copy_75)},
                                     {0.95, double(model.latency_copy_95)}}},
                                   load);
    return mixed(loading, copying, stores);
}

double spread(const Model& model, double load, double stores) {
    constexpr double tile = 8192;
    const double turn = tile / model.l2_bytes_per_cycle;
    const auto beyond = [&](uint32_t all, uint32_t line) { return std::max(0.0, all - turn - line); };
    const double loading = beyond(model.tile_load_50, model.latency_load_50);
    const double idle = model.latency_load_50 ? loading * model.latency / model.latency_load_50 : 0;
    const std::array<double, 4> loads{idle, loading, beyond(model.tile_load_75, model.latency_load_75),
                                      beyond(model.tile_load_95, model.latency_load_95)};
    const std::array<double, 4> copies{idle, beyond(model.tile_copy_50, model.latency_copy_50),
                                       beyond(model.tile_copy_75, model.latency_copy_75),
                                       beyond(model.tile_copy_95, model.latency_copy_95)};
    const auto at = [&](const std::array<double, 4>& values) {
        return between({{{0, values[0]}, {0.50, values[1]}, {0.75, values[2]}, {0.95, values[3]}}}, load);
    };
    return mixed(at(loads), at(copies), stores);
}

double flight(const Model& model, double load, double stores, double bytes) {
    return bytes / model.l2_bytes_per_cycle + latency(model, load, stores) +
           spread(model, load, stores) * last_of(bytes);
}

double Pipe::load(uint64_t now) const {
    const uint64_t queued = free_ > now ? free_ - now : 0;
    // In the first moments hardly anything has been requested, by the other SMs no more than here.
    return double(busy_ - queued) / double(std::max<uint64_t>({now, model_.latency, 1}));
}

Pipe::Turn Pipe::request(uint64_t now, const Request& request) {
    using Kind = Request::Kind;
    const auto turn = [&](uint64_t& free, uint64_t bytes, uint32_t rate) {
        const uint64_t time = (bytes + rate - 1) / rate;
        free = std::max(free, now) + time;
        return time;
    };
    const uint64_t bytes = request.bytes - request.cached;
    const double stores = bytes_ ? double(stored_) / double(bytes_) : 0;
    const double busy = load(now);
    const double late = latency(model_, busy, stores), later = spread(model_, busy, stores);
    busy_ += turn(free_, bytes, model_.bytes_per_cycle);
    bytes_ += bytes;
    if (request.kind != Kind::load) {
        stored_ += bytes;
        // The L2 cache takes what is stored, and memory gets it at some later time.
        const double quick = model_.store_latency, slow = model_.store_latency_95;
        const double taken = between({{{0, quick}, {0.50, quick}, {0.75, quick}, {0.95, slow}}}, busy);
        return {now + uint64_t(taken), now + uint64_t(taken)};
    }
    burst_ = (cache_free_ > now ? burst_ : 0) + request.bytes;
    turn(cache_free_, request.bytes, model_.l2_bytes_per_cycle);
    // Of the same bytes, one load finds them in memory and the others in the cache: this one's share of the latency.
    const double far = request.bytes ? double(bytes) / double(request.bytes) : 1;
    const uint64_t landed =
        cache_free_ + uint64_t(far * (late + later * last_of(double(burst_))) + (1 - far) * model_.l2_latency);
    // The latency under load has the queues in it, unless the SM asks for more than its share in the long run.
    return {cache_free_, bytes ? std::max(landed, free_) : landed};
}

} // namespace sim::timeline
