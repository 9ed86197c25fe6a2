// Commands that put work into streams: copies, fills and launches.
#include <algorithm>

#include "sim/cuda/error_code.h"
#include "sim/cuda/service.h"

namespace sim::cuda {
namespace {

/// The modelled device has as many SMs as a test wants; how large a cooperative grid may be, does not depend on that.
constexpr uint64_t sms_of_h100 = 132;

} // namespace


namespace {

constexpr uint64_t limit =
    uint64_t{1} << 41; // no size or pitch is larger, so sums and products of three cannot overflow

bool in_host_range(uint64_t address) {
    return address >= host_base && address - host_base < host_bytes;
}

/// Bytes from the first to behind the last byte of a box of rows; 0 for an impossible one.
uint64_t extent(uint64_t width, uint64_t height, uint64_t depth, uint64_t pitch, uint64_t slice) {
    if (!width || !height || !depth || std::max({width, height, depth, pitch, slice}) > limit)
        return 0;
    if ((height > 1 && pitch < width) || (height > 1 && height - 1 > limit / pitch) ||
        (depth > 1 && (slice == 0 || depth - 1 > limit / slice)))
        return 0;
    return (depth - 1) * slice + (height - 1) * pitch + width;
}

// Modelled times in nanoseconds: latency plus bytes over bandwidth.
uint64_t bus_time(uint64_t bytes) {
    return 4000 + bytes / 25; // 25 GB/s
}
uint64_t memory_time(uint64_t bytes) {
    return 2000 + bytes / 1500; // 1.5 TB/s each way
}

} // namespace

void Service::copy_row(const Copy& body, uint64_t destination, uint64_t source, const machine::Order& order) {
    const auto side = [&](uint64_t address) {
        return body.staged && in_host_range(address) ? std::span(shared_.at(address, body.width), body.width)
                                                     : host_memory(address, body.width);
    };
    const auto from = side(source), to = side(destination);
    if (listener_ && !from.empty())
        listener_->reads_host(from, true);
    if (body.staged && in_host_range(source))
        checked(gpu_.write(destination, from, order, "cudaMemcpy"));
    else if (body.staged && in_host_range(destination))
        checked(gpu_.read(to, source, order, "cudaMemcpy"));
    else
        checked(gpu_.copy(destination, source, body.width, order, "cudaMemcpyAsync"));
    if (listener_ && !to.empty() && !lost_)
        listener_->wrote_host(to, source);
}

void Service::copy(const Copy& body, std::span<const std::byte>, Reply& reply) {
    check_stream(body.stream);
    if (body.staged && in_host_range(body.source) == in_host_range(body.destination))
        throw Refused{error::invalid_value, "a staged copy needs one host side"};
    const auto side = [&](uint64_t address, uint64_t pitch, uint64_t slice, const char* which) {
        const uint64_t bytes = extent(body.width, body.height, body.depth, pitch, slice);
        const bool valid =
            body.staged && in_host_range(address) ? shared_.at(address, bytes) != nullptr : inside(address, bytes);
        if (!bytes || !valid)
            throw Refused{error::invalid_value, std::string("the ") + which + " of a copy of " + std::to_string(bytes) +
                                                    " bytes is not inside one allocation"};
    };
    side(body.destination, body.destination_pitch, body.destination_slice, "destination");
    side(body.source, body.source_pitch, body.source_slice, "source");

    const bool from_host = in_host_range(body.source) || is_host(body.source);
    const bool to_host = in_host_range(body.destination) || is_host(body.destination);
    const uint64_t bytes = body.width * body.height * body.depth;
    Timeline::Issue issue;
    issue.engine = from_host ? Engine::host_to_device : to_host ? Engine::device_to_host : Engine::compute;
    issue.work = [this, body, from_host, to_host, bytes](const machine::Order& order) {
        for (uint64_t slice = 0; slice < body.depth; ++slice)
            for (uint64_t row = 0; row < body.height && !lost_; ++row)
                copy_row(body, body.destination + slice * body.destination_slice + row * body.destination_pitch,
                         body.source + slice * body.source_slice + row * body.source_pitch, order);
        return from_host || to_host ? bus_time(bytes) : memory_time(bytes);
    };
    const Operation::Ptr operation = timeline_.issue(body.stream, std::move(issue));
    if (body.watch)
        watched_.push_back({operation, body.watch == 2});
    reply.values[0] = operation->ticket;
}

void Service::fill(const Fill& body, std::span<const std::byte>, Reply& reply) {
    check_stream(body.stream);
    if (body.element_bytes != 1 && body.element_bytes != 2 && body.element_bytes != 4)
        throw Refused{error::invalid_value, "elements of 1, 2 or 4 bytes can be set"};
    const uint64_t width = body.count > limit ? 0 : body.count * body.element_bytes;
    const uint64_t bytes = extent(width, body.height, 1, body.pitch, 0);
    if (!bytes || !inside(body.destination, bytes) || body.destination % body.element_bytes)
        throw Refused{error::invalid_value, "the destination of a set is not inside one allocation"};
    Timeline::Issue issue;
    issue.engine = Engine::compute;
    issue.work = [this, body, width](const machine::Order& order) {
        for (uint64_t row = 0; row < body.height && !lost_; ++row)
            checked(gpu_.fill(body.destination + row * body.pitch, body.value, body.element_bytes, body.count, order,
                              "cudaMemset"));
        return memory_time(width * body.height);
    };
    reply.values[0] = timeline_.issue(body.stream, std::move(issue))->ticket;
}

void Service::launch(const Launch& body, std::span<const std::byte> payload, Reply& reply) {
    check_stream(body.stream);
    const auto found = kernels_.find(body.kernel);
    if (found == kernels_.end())
        throw Refused{error::invalid_resource_handle, "no such kernel"};
    const machine::Kernel kernel = found->second;
    const machine::Properties& device = gpu_.properties();
    machine::LaunchConfig config;
    config.grid = {body.grid[0], body.grid[1], body.grid[2]};
    config.block = {body.block[0], body.block[1], body.block[2]};
    config.cluster = {body.cluster[0], body.cluster[1], body.cluster[2]};
    config.dynamic_shared = body.dynamic_shared;
    config.cooperative = body.cooperative != 0;

    const auto refuse = [](uint32_t error, std::string why) { throw Refused{error, std::move(why)}; };
    const auto within = [](const machine::Dim3& size, const machine::Dim3& most) {
        return size.x && size.y && size.z && size.x <= most.x && size.y <= most.y && size.z <= most.z;
    };
    if (!within(config.grid, device.max_grid))
        refuse(error::invalid_value, "the grid has a dimension of 0 or one that is too large");
    if (!within(config.block, device.max_block) || config.block.count() > device.max_threads_per_block)
        refuse(error::invalid_value, "a block may have 1 to 1024 threads (x, y <= 1024, z <= 64)");
    if (config.block.count() > kernel.max_threads)
        refuse(error::invalid_value, "the kernel was compiled for at most " + std::to_string(kernel.max_threads) +
                                         " threads per block (__launch_bounds__)");
    const machine::Dim3& cluster = config.cluster;
    if (!cluster.x || !cluster.y || !cluster.z || std::max({cluster.x, cluster.y, cluster.z}) > 16 ||
        cluster.count() > 16)
        refuse(error::invalid_cluster_size, "a cluster may have at most 8 blocks (16 when not portable)");
    if (config.grid.x % cluster.x || config.grid.y % cluster.y || config.grid.z % cluster.z)
        refuse(error::invalid_cluster_size, "the grid is no multiple of the cluster");
    const uint64_t shared = uint64_t{kernel.static_shared} + config.dynamic_shared;
    const uint64_t granted =
        std::clamp<uint64_t>(body.max_shared, device.shared_per_block, device.shared_per_block_optin);
    if (shared > granted)
        refuse(error::invalid_value, "a block would use " + std::to_string(shared) + " bytes of shared memory, " +
                                         std::to_string(granted) +
                                         " are granted: raise cudaFuncAttributeMaxDynamicSharedMemorySize (at most " +
                                         std::to_string(device.shared_per_block_optin) + ")");
    const uint64_t warps = (config.block.count() + 31) / 32;
    const uint64_t together = std::min({uint64_t{device.max_blocks_per_sm}, device.max_threads_per_sm / (32 * warps),
                                        device.shared_per_sm / std::max<uint64_t>(shared, 1)});
    if (config.cooperative && config.grid.count() > together * sms_of_h100)
        refuse(error::cooperative_launch_too_large, "a cooperative grid is resident as a whole: of such blocks, an H100 "
                                                    "holds " + std::to_string(together * sms_of_h100));
    if (payload.size() != kernel.parameter_bytes)
        refuse(error::invalid_value, "the parameters have the wrong size");

    Timeline::Issue issue;
    issue.engine = Engine::compute;
    issue.work = [this, kernel, config, parameters = std::vector<std::byte>(payload.begin(), payload.end())](
                     const machine::Order& order) -> uint64_t {
        if (lost_)
            return 0;
        const machine::OperationId id = gpu_.next_operation();
        if (listener_)
            for (const auto& [address, memory] : mapped_)
                listener_->reads_host(memory, false);
        checked(gpu_.launch(kernel, config, parameters, order));
        const machine::Statistics& counted = gpu_.statistics();
        if (listener_)
            listener_->launched(kernel, config, id, counted);
        // Four warp instructions a cycle on each SM at 1.7 GHz, or the memory's bandwidth, whichever is slower.
        const uint64_t issue_time = counted.warp_instructions * 10 / (68 * uint64_t{gpu_.properties().sm_count});
        return 3000 + std::max(issue_time, (counted.global_load_bytes + counted.global_store_bytes) / 3000);
    };
    reply.values[0] = timeline_.issue(body.stream, std::move(issue))->ticket;
}

void Service::free_async(const FreeAsync& body, std::span<const std::byte>, Reply& reply) {
    check_stream(body.stream);
    const machine::Gpu::Range range = gpu_.range(body.address);
    if (range.address != body.address || !range.bytes || range.kind != machine::AllocationKind::device)
        throw Refused{error::invalid_value, "not the start of an allocation"};
    Timeline::Issue issue;
    issue.work = [this, address = body.address](const machine::Order&) -> uint64_t {
        gpu_.release(address);
        return 0;
    };
    reply.values[0] = timeline_.issue(body.stream, std::move(issue))->ticket;
}

} // namespace sim::cuda
