// Copies and sets.
#include "sim/cuda/device/commands/checks.h"
#include "sim/cuda/device/gpu/real_gpu.h"
#include "sim/cuda/device/modelled_time.h"
#include "sim/cuda/device/service.h"

namespace sim::cuda {

// --- Copy ---

void Service::copy_row(const Copy& copy, uint64_t destination, uint64_t source, const machine::Order& order) {
    const auto side = [&](uint64_t address) {
        return copy.staged && in_host_range(address) ? std::span(shared_.at(address, copy.width), copy.width)
                                                     : host_memory(address, copy.width);
    };
    const auto from = side(source), to = side(destination);
    if (listener_ && !from.empty())
        listener_->reads_host(from, true);
    if (copy.staged && in_host_range(source))
        checked(gpu_.write(destination, from, order, "cudaMemcpy"));
    else if (copy.staged && in_host_range(destination))
        checked(gpu_.read(to, source, order, "cudaMemcpy"));
    else
        checked(gpu_.copy(destination, source, copy.width, order, "cudaMemcpyAsync"));
    if (listener_ && !to.empty() && !lost_)
        listener_->wrote_host(to, source);
}

template <>
Ticket Service::carry_out(const Copy& copy, Payload, Reply&) {
    check_stream(copy.stream);
    if (copy.staged && in_host_range(copy.source) == in_host_range(copy.destination))
        throw Refused{error::invalid_value, "a staged copy needs one host side"};
    check_sides(copy, [&](uint64_t address, uint64_t bytes) {
        return copy.staged && in_host_range(address) ? shared_.at(address, bytes) != nullptr : inside(address, bytes);
    });
    const bool from_host = in_host_range(copy.source) || is_host(copy.source);
    const bool to_host = in_host_range(copy.destination) || is_host(copy.destination);
    const uint64_t bytes = copy.width * copy.height * copy.depth;
    Streams::Issue issue;
    issue.engine = from_host ? Engine::host_to_device : to_host ? Engine::device_to_host : Engine::compute;
    issue.work = [this, copy, from_host, to_host, bytes](machine::Order order) {
        order.to_host = to_host;
        each_row(copy, [&](uint64_t destination, uint64_t source) {
            if (!lost_)
                copy_row(copy, destination, source, order);
            return !lost_;
        });
        return from_host || to_host ? bus_time(bytes) : memory_time(bytes);
    };
    const Operation::Ptr operation = streams_.issue(copy.stream, std::move(issue));
    if (copy.watch)
        watched_.push_back({operation, copy.watch == 2});
    if (copy.staged && from_host)
        staged_[copy.stream] = operation;
    return {operation->ticket};
}

template <>
Ticket RealGpu::carry_out(const Copy& copy, Payload, Reply& reply) {
    const CUstream in = stream(copy.stream);
    check_sides(copy, [&](uint64_t address, uint64_t bytes) {
        return in_host_range(address) ? shared_.at(address, bytes) != nullptr : memory_->inside(address, bytes);
    });
    operation_begins(in);
    each_row(copy, [&](uint64_t destination, uint64_t source) {
        checked(cu_.cuMemcpyAsync(destination, source, copy.width, in), "cudaMemcpy");
        if (!in_host_range(destination))
            host_written_.emplace_back(destination, copy.width);
        return true;
    });
    const uint64_t ticket = new_id();
    if (copy.watch == 2) { // the program may use the staging memory again when the copy has read it
        CUevent done = nullptr;
        checked(cu_.cuEventCreate(&done, CU_EVENT_DISABLE_TIMING), "creating an event");
        checked(cu_.cuEventRecord(done, in), "recording an event");
        staging_.emplace(ticket, done);
    } else if (copy.watch) {
        reply.released.push_back(ticket); // early accesses are found by the simulated device
    }
    return {ticket};
}

// --- Fill ---

template <>
Ticket Service::carry_out(const Fill& fill, Payload, Reply&) {
    check_stream(fill.stream);
    if (!inside(fill.destination, extent(fill)))
        throw Refused{error::invalid_value, "the destination of a set is not inside one allocation"};
    Streams::Issue issue;
    issue.engine = Engine::compute;
    issue.work = [this, fill](const machine::Order& order) {
        for (uint64_t row = 0; row < fill.height && !lost_; ++row)
            checked(gpu_.fill(fill.destination + row * fill.pitch, fill.value, fill.element_bytes, fill.count, order,
                              "cudaMemset"));
        return memory_time(fill.count * fill.element_bytes * fill.height);
    };
    const Operation::Ptr operation = streams_.issue(fill.stream, std::move(issue));
    if (fill.watch)
        watched_.push_back({operation, false});
    return {operation->ticket};
}

template <>
Ticket RealGpu::carry_out(const Fill& fill, Payload, Reply&) {
    const CUstream in = stream(fill.stream);
    if (!memory_->inside(fill.destination, extent(fill)))
        throw Refused{error::invalid_value, "the destination of a set is not inside one allocation"};
    const auto set = [&](uint64_t to) {
        switch (fill.element_bytes) {
        case 1:
            return cu_.cuMemsetD8Async(to, static_cast<unsigned char>(fill.value), fill.count, in);
        case 2:
            return cu_.cuMemsetD16Async(to, static_cast<unsigned short>(fill.value), fill.count, in);
        default:
            return cu_.cuMemsetD32Async(to, fill.value, fill.count, in);
        }
    };
    operation_begins(in);
    for (uint64_t row = 0; row < fill.height; ++row) {
        const uint64_t to = fill.destination + row * fill.pitch;
        checked(set(to), "cudaMemset");
        host_written_.emplace_back(to, fill.count * fill.element_bytes);
    }
    return {new_id()};
}

} // namespace sim::cuda
