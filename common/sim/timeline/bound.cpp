#include "sim/timeline/bound.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/timeline/facts.h"
#include "sim/timeline/pipe.h"

namespace sim::timeline {
namespace {

uint64_t saved(const Recording& recording, const Model& other, const Timeline& own) {
    const uint64_t cycles = replay(recording, other).cycles;
    return own.cycles - std::min(own.cycles, cycles);
}

Bound::Limit limit_of(const Recording& recording, const Model& model, const Timeline& own, const Bound& shares) {
    constexpr double busy = 0.85;
    if (shares.pipe >= busy)
        return Bound::Limit::bandwidth;
    if (shares.tensor >= busy)
        return Bound::Limit::tensor;
    Model near = model, quick = model;
    near.latency = near.latency_load_50 = near.latency_load_75 = near.latency_load_95 = 0;
    near.latency_copy_50 = near.latency_copy_75 = near.latency_copy_95 = near.cached = 0;
    near.tile_load_50 = near.tile_load_75 = near.tile_load_95 = 0;
    near.tile_copy_50 = near.tile_copy_75 = near.tile_copy_95 = 0;
    near.l2_latency = near.store_latency = near.store_latency_95 = 0;
    quick.schedulers = std::max(recording.warps, 1u);
    quick.issue_interval = quick.dependent = quick.branch = quick.copy_issue = quick.copy_again = quick.shared =
        quick.mbarrier = 0;
    const uint64_t latency = saved(recording, near, own), issue = saved(recording, quick, own);
    if (issue > latency)
        return Bound::Limit::issue;
    return latency > 3 * uint64_t{model.latency} / 2 ? Bound::Limit::latency : Bound::Limit::fill;
}

} // namespace

Bound bound(const Recording& recording, const Model& model, const Timeline& own) {
    Bound result;
    const double cycles = double(std::max<uint64_t>(own.cycles, 1));
    uint64_t bytes = 0, stored = 0, stored_by_copies = 0;
    for (const Event& event : recording.events) {
        bytes += event.bytes - event.cached;
        stored += event.kind == Event::Kind::store ? event.bytes : 0;
        stored_by_copies += event.kind == Event::Kind::store_copy ? event.bytes : 0;
    }
    const auto share = [&](uint64_t part) { return double(part) / double(std::max<uint64_t>(bytes, 1)); };
    double flown = 0, copied = 0; // bytes times cycles; bytes
    for (const Flight& flight : own.flights) {
        const auto size = double(recording.copies[flight.copy].bytes);
        flown += size * double(flight.landed - flight.issued);
        copied += size;
    }
    result.pipe = std::min(1.0, double(bytes) / model.bytes_per_cycle / cycles);
    result.tensor = double(own.tensor_busy) / cycles;
    result.measured =
        std::ranges::none_of(recording.events, [](const Event& event) { return event.kind == Event::Kind::tensor; });
    result.limit = limit_of(recording, model, own, result);
    result.computing = double(time_computing(own)) / cycles;
    result.in_flight = uint64_t(flown / cycles);
    // The time is that in a busy memory; ordinary stores take their part of its bandwidth.
    const double each = copied / double(std::max<size_t>(own.flights.size(), 1));
    const double busy = flight(model, 0.95, share(stored + stored_by_copies), each);
    result.needed = uint64_t(busy * model.bytes_per_cycle * (1 - share(stored)));
    return result;
}

const char* Bound::name() const {
    return limit == Limit::bandwidth ? "bandwidth"
           : limit == Limit::tensor  ? "tensor"
           : limit == Limit::issue   ? "issue"
                                     : "latency";
}

std::string Bound::why() const {
    const auto percent = [](double share) { return fmt::format("{:.0f} %", 100 * share); };
    switch (limit) {
    case Limit::bandwidth:
        return fmt::format("Bandwidth limits it: the memory pipe is busy for {} of the time. More stages do not help, "
                           "only fewer bytes do.",
                           percent(pipe));
    case Limit::tensor:
        return fmt::format("The tensor core limits it: it is busy for {} of the time{}.", percent(tensor),
                           measured ? "" : ", as far as a model that was not measured can say");
    case Limit::issue:
        return fmt::format("Instructions limit it: some warp computes for {} of the time. More stages help little; "
                           "fewer instructions for each byte help.",
                           percent(computing));
    case Limit::fill:
        return "What is left of the latency is that of the first data, which nothing can hide: a block that processes "
               "more tiles pays it only once.";
    case Limit::latency:
        break;
    }
    if (!in_flight)
        return "Latency limits it: the warps wait for loads. Asynchronous copies that are issued early hide latency.";
    if (in_flight >= needed)
        return fmt::format("Latency limits it: the memory pipe is busy for {} of the time, because the copies are "
                           "issued in bursts. Issue them earlier and evenly.",
                           percent(pipe));
    return fmt::format("Latency limits it: the memory pipe is busy for {} of the time. On average, {} bytes of "
                       "asynchronous copies are in flight; about {} would keep it busy. Issue copies earlier: use more "
                       "stages, or larger ones.",
                       percent(pipe), in_flight, needed);
}

} // namespace sim::timeline
