#include "sim/timeline/pipe.h"

#include <algorithm>
#include <array>

namespace sim::timeline {
namespace {

struct Point {
    double load;
    uint32_t latency;
};

/// Between two points it is on the line. Beyond the last one it stays: from there on, requests wait for their turn.
double between(const std::array<Point, 4>& points, double load) {
    for (size_t i = 1; i < points.size(); ++i) {
        const Point &before = points[i - 1], &after = points[i];
        if (load < after.load) {
            const double part = (load - before.load) / (after.load - before.load);
            return before.latency + part * (double(after.latency) - before.latency);
        }
    }
    return points.back().latency;
}

} // namespace

double latency(const Model& model, double load, double stores) {
    const double loading = between({{{0, model.latency},
                                     {0.50, model.latency_load_50},
                                     {0.75, model.latency_load_75},
                                     {0.95, model.latency_load_95}}},
                                   load);
    const double copying = between({{{0, model.latency},
                                     {0.50, model.latency_copy_50},
                                     {0.75, model.latency_copy_75},
                                     {0.95, model.latency_copy_95}}},
                                   load);
    const double like_copying = std::min(1.0, 2 * stores); // half of what a copy moves is stored
    return loading + like_copying * (copying - loading);
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
    const double late = latency(model_, load(now), stores);
    busy_ += turn(free_, bytes, model_.bytes_per_cycle);
    bytes_ += bytes;
    if (request.kind != Kind::load) {
        stored_ += bytes;
        // The L2 cache takes what is stored, and memory gets it at some later time.
        const double taken = between({{{0, model_.store_latency},
                                       {0.50, model_.store_latency},
                                       {0.75, model_.store_latency},
                                       {0.95, model_.store_latency_95}}},
                                     load(now));
        return {now + uint64_t(taken), now + uint64_t(taken)};
    }
    turn(cache_free_, request.bytes, model_.l2_bytes_per_cycle);
    // Of the same bytes, one load finds them in memory and the others in the cache: this one's share of the latency.
    const double far = request.bytes ? double(bytes) / double(request.bytes) : 1;
    const uint64_t over = bytes ? std::max(free_, cache_free_) : cache_free_;
    return {over, over + uint64_t(far * late + (1 - far) * model_.l2_latency)};
}

} // namespace sim::timeline
