// A program's requests to the device in one case, kept to repeat them on another device with other inputs: results have
// to follow the inputs without the program's help (see Session).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/cuda/wire/socket.h"
#include "sim/protocol/summary.h"

namespace check {

class Recording {
  public:
    static constexpr size_t most_bytes = size_t{64} << 20;

    struct Request {
        sim::cuda::wire::Request request;
        std::vector<std::vector<std::byte>> host_memory; ///< host memory that the device read while carrying it out
    };

    void add(const sim::cuda::wire::Request& request);
    void add_host_memory(std::span<const std::byte> contents);
    /// The checker itself did something to the device: between the same two requests when they are repeated.
    void add_step() { steps_.push_back(requests_.size()); }
    /// The protocol check has found an order that goes well, but differs from the run's: repeat them in that one.
    void follow(const sim::protocol::Summary& found) {
        if (found.deviates)
            order_ = found.order;
    }

    const std::vector<Request>& requests() const { return requests_; }
    const std::vector<size_t>& steps() const { return steps_; }
    const std::shared_ptr<const sim::events::ReplayedOrder>& order() const { return order_; } ///< nullptr: any
    bool complete() const { return bytes_ <= most_bytes; } ///< else the rest was not kept

  private:
    std::vector<Request> requests_;
    std::vector<size_t> steps_;
    size_t bytes_ = 0;
    std::shared_ptr<const sim::events::ReplayedOrder> order_;
};

} // namespace check
