// Kernel launches.
#include <algorithm>

#include "sim/cuda/device/gpu/real_gpu.h"
#include "sim/cuda/device/service.h"

namespace sim::cuda {

// --- The simulated device ---

namespace {

/// The modelled device has as many SMs as a test wants; how large a cooperative grid may be does not depend on that.
constexpr uint64_t sms_of_h100 = 132;

machine::LaunchConfig config_of(const Launch& launch) {
    const auto dim = [](const uint32_t(&size)[3]) { return machine::Dim3{size[0], size[1], size[2]}; };
    machine::LaunchConfig config;
    config.grid = dim(launch.grid);
    config.block = dim(launch.block);
    config.cluster = dim(launch.cluster);
    config.dynamic_shared = launch.dynamic_shared;
    config.cooperative = launch.cooperative != 0;
    return config;
}

[[noreturn]] void refuse(uint32_t error, std::string why) {
    throw Refused{error, std::move(why)};
}

void check_dimensions(const machine::LaunchConfig& config, const machine::Kernel& kernel,
                      const machine::Properties& device) {
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
    if (!within(cluster, {16, 16, 16}) || cluster.count() > 16)
        refuse(error::invalid_cluster_size, "a cluster may have at most 8 blocks (16 when not portable)");
    if (config.grid.x % cluster.x || config.grid.y % cluster.y || config.grid.z % cluster.z)
        refuse(error::invalid_cluster_size, "the grid is no multiple of the cluster");
}

/// `most_shared`: the kernel's limit that the program has set, in bytes.
void check_resources(const machine::LaunchConfig& config, const machine::Kernel& kernel,
                     const machine::Properties& device, uint64_t most_shared) {
    const uint64_t shared = uint64_t{kernel.static_shared} + config.dynamic_shared;
    const uint64_t granted = std::clamp<uint64_t>(most_shared, device.shared_per_block, device.shared_per_block_optin);
    if (shared > granted)
        refuse(error::invalid_value, "a block would use " + std::to_string(shared) + " bytes of shared memory, " +
                                         std::to_string(granted) +
                                         " are granted: raise cudaFuncAttributeMaxDynamicSharedMemorySize (at most " +
                                         std::to_string(device.shared_per_block_optin) + ")");
    const uint64_t warps = (config.block.count() + 31) / 32;
    const uint64_t together = std::min({uint64_t{device.max_blocks_per_sm}, device.max_threads_per_sm / (32 * warps),
                                        device.shared_per_sm / std::max<uint64_t>(shared, 1)});
    if (config.cooperative && config.grid.count() > together * sms_of_h100)
        refuse(error::cooperative_launch_too_large,
               "a cooperative grid is resident as a whole: of such blocks, an H100 holds " +
                   std::to_string(together * sms_of_h100));
}

} // namespace

std::optional<uint64_t> Service::run(const Launched& launched, Payload parameters, const machine::Order& order) {
    if (lost_)
        return 0;
    const machine::OperationId id = gpu_.next_operation();
    if (listener_)
        for (const auto& [address, memory] : mapped_)
            listener_->reads_host(memory, false);
    const machine::Outcome begun = gpu_.begin(launched.kernel, launched.config, parameters, order, launched.place);
    checked(begun);
    if (!begun)
        return 0;
    running_.emplace(id, launched);
    return std::nullopt;
}

Progress Service::advance(bool give_up) {
    if (give_up)
        gpu_.give_up();
    const machine::Pause pause = gpu_.advance();
    if (pause != machine::Pause::ended)
        return {pause};
    const machine::Ended ended = gpu_.take_ended();
    const Launched launched = std::move(running_.extract(ended.launch).mapped());
    checked(ended.outcome);
    const machine::Statistics& counted = ended.statistics;
    if (listener_)
        listener_->launched(launched.kernel, launched.config, ended.launch, counted);
    launched.notes->triggered = counted.dependent_triggers != 0;
    launched.notes->triggered_after_wait = counted.triggered_after_wait != 0;
    // Four warp instructions a cycle on each SM at 1.7 GHz, or the memory's bandwidth, whichever is slower.
    const uint64_t issue_time = counted.warp_instructions * 10 / (68 * uint64_t{gpu_.properties().sm_count});
    const uint64_t memory_time = (counted.global_load_bytes + counted.global_store_bytes) / 3000;
    return {pause, ended.launch, 3000 + std::max(issue_time, memory_time)};
}

template <>
Ticket Service::carry_out(const Launch& launch, Payload payload, Reply&) {
    check_stream(launch.stream);
    const auto found = kernels_.find(launch.kernel);
    if (found == kernels_.end())
        refuse(error::invalid_resource_handle, "no such kernel");
    const machine::Kernel kernel = found->second;
    const machine::LaunchConfig config = config_of(launch);
    check_dimensions(config, kernel, gpu_.properties());
    check_resources(config, kernel, gpu_.properties(), launch.max_shared);
    if (payload.size() != kernel.parameter_bytes)
        refuse(error::invalid_value, "the parameters have the wrong size");
    Streams::Issue issue;
    issue.engine = Engine::compute;
    issue.launch = std::make_shared<DependentLaunch>(DependentLaunch{launch.programmatic == 1});
    issue.work = [this, launched = Launched{kernel, config, issue.launch, ++launches_},
                  parameters = std::vector<std::byte>(payload.begin(), payload.end())](const machine::Order& order) {
        return run(launched, parameters, order);
    };
    const Operation::Ptr operation = streams_.issue(launch.stream, std::move(issue));
    if (launch.watch)
        watched_.push_back({operation, false});
    return {operation->ticket};
}

// --- A real GPU ---

// So much more dynamic shared memory that one block more than wanted would not fit on an SM.
void RealGpu::pad_shared(CUfunction function, uint64_t static_shared, uint32_t& dynamic, uint64_t granted) {
    const int per_sm = gpu::attribute(device_, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    const int reserved = gpu::attribute(device_, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    const int most = gpu::attribute(device_, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    const int64_t total = per_sm / (options_.blocks_per_sm + 1) - reserved + 1024;
    const int64_t wanted = std::min<int64_t>(total, most) - static_cast<int64_t>(static_shared);
    dynamic = static_cast<uint32_t>(std::max<int64_t>(dynamic, wanted));
    if (static_shared + dynamic > granted)
        checked(cu_.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       static_cast<int>(dynamic)),
                "a block's shared memory");
}

uint32_t RealGpu::dynamic_shared(const Launch& launch, const Kernel& kernel) {
    uint32_t dynamic = launch.dynamic_shared;
    constexpr uint32_t usual_shared = 48 << 10;
    if (launch.max_shared > usual_shared)
        checked(cu_.cuFuncSetAttribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       static_cast<int>(launch.max_shared - kernel.static_shared)),
                "cudaFuncAttributeMaxDynamicSharedMemorySize");
    if (options_.blocks_per_sm)
        pad_shared(kernel.function, kernel.static_shared, dynamic, std::max(launch.max_shared, usual_shared));
    return dynamic;
}

template <>
Ticket RealGpu::carry_out(const Launch& launch, Payload payload, Reply&) {
    const CUstream in = stream(launch.stream);
    const auto found = kernels_.find(launch.kernel);
    if (found == kernels_.end())
        refuse(error::invalid_resource_handle, "no such kernel");
    const Kernel& kernel = found->second;
    if (payload.size() != kernel.parameter_bytes)
        refuse(error::invalid_value, "the parameters have the wrong size");

    CUlaunchAttribute attributes[2] = {};
    CUlaunchConfig config{};
    config.gridDimX = launch.grid[0], config.gridDimY = launch.grid[1], config.gridDimZ = launch.grid[2];
    config.blockDimX = launch.block[0], config.blockDimY = launch.block[1], config.blockDimZ = launch.block[2];
    config.sharedMemBytes = dynamic_shared(launch, kernel);
    config.hStream = in;
    config.attrs = attributes;
    if (launch.cooperative) {
        attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[config.numAttrs++].value.cooperative = 1;
    }
    const uint64_t cluster = uint64_t{launch.cluster[0]} * launch.cluster[1] * launch.cluster[2];
    if (cluster > 1 && !kernel.required_cluster) {
        auto& size = attributes[config.numAttrs].value.clusterDim;
        attributes[config.numAttrs++].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        size.x = launch.cluster[0], size.y = launch.cluster[1], size.z = launch.cluster[2];
    }
    if (cluster > 8)
        checked(cu_.cuFuncSetAttribute(kernel.function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                "a cluster of more than 8 blocks");
    std::vector<std::byte> parameters(payload.begin(), payload.end());
    size_t bytes = parameters.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    operation_begins(in);
    host_written_.clear(); // the kernel may write over it
    checked(cu_.cuLaunchKernelEx(&config, kernel.function, nullptr, extra), "launching a kernel");
    return {new_id()};
}

} // namespace sim::cuda
