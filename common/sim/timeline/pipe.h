// The memory pipe: an SM's share of the bandwidth of the device's memory, and of the L2 cache's.
#pragma once

#include <cstdint>

#include "sim/timeline/model.h"

namespace sim::timeline {

/// The latency of a request that is made while `load` of the bandwidth is in use, from 0 to 1, and `stores` of the
/// bytes are stored.
double latency(const Model& model, double load, double stores);
/// How much later than the average line the last line of 8 KiB arrives.
double spread(const Model& model, double load, double stores);
/// From the request of `bytes` until the last one is there, if the SM requests nothing else.
double flight(const Model& model, double load, double stores, double bytes);

class Pipe {
  public:
    explicit Pipe(const Model& model) : model_(model) {}

    struct Turn {
        uint64_t over;   ///< when the pipe has dealt with the request
        uint64_t landed; ///< when its last byte is there
    };
    struct Request {
        uint64_t bytes = 0, cached = 0; ///< `cached` of them are in the L2 cache
        enum class Kind : uint8_t { load, store, store_copy } kind = Kind::load;
    };
    /// A request at `now`. It takes its turn behind those before it.
    Turn request(uint64_t now, const Request& request);

  private:
    /// How much of the bandwidth has been in use until `now`. All SMs do the same, at other moments: that is the load
    /// which a request meets.
    double load(uint64_t now) const;

    const Model model_;
    uint64_t free_ = 0;       ///< when it has dealt with all requests
    uint64_t cache_free_ = 0; ///< when the cache has delivered all bytes
    uint64_t burst_ = 0;      ///< bytes that the cache delivers without a pause
    uint64_t busy_ = 0;       ///< how long it needs for all requests so far
    uint64_t bytes_ = 0, stored_ = 0;
};

} // namespace sim::timeline
