#include "check/channels/on_device.h"

#include <fmt/format.h>

#include "base/files.h"
#include "check/device_process.h"
#include "check/server.h"
#include "sim/ptx/source_texts.h"

namespace check {

uint64_t OnDevice::try_to_allocate(MemoryKind place, size_t bytes) {
    return place == MemoryKind::device ? server_->allocate(bytes) : allocate_on_host(place, bytes);
}

std::vector<std::byte> OnDevice::read(MemoryKind place, uint64_t address, size_t bytes) {
    check_strayed();
    return place == MemoryKind::device ? server_->read(address, bytes) : read_host(address, bytes);
}

void OnDevice::write(MemoryKind place, uint64_t address, std::span<const std::byte> contents) {
    if (place == MemoryKind::device)
        server_->write(address, contents);
    else
        write_host(address, contents);
}

bool OnDevice::written_by_kernel(uint64_t address, size_t bytes) {
    return bytes == 0 || server_->written_by_kernel(address, bytes);
}

void OnDevice::follow(sim::provenance::Followed followed) {
    // Where copies end early, nothing shows how many could have been in flight.
    if (config_.schedule.completion == sim::machine::Schedule::Completion::lazy)
        server_->follow(std::move(followed));
}

wire::Reply OnDevice::launch_all(const std::vector<detail::Slot>& slots) {
    const auto beside = std::exchange(beside_, {});
    const wire::Reply first = beside ? launch(*beside, 1) : wire::Reply{};
    return first.code ? first : launch(slots, 0);
}

void OnDevice::call(const std::vector<detail::Slot>& slots) {
    announce(slots);
    prepare(slots);
    if (config_.calls)
        config_.calls(call_);
    check_strayed();
    server_->begin_call();
    const wire::Reply launched = launch_all(slots);
    server_->returned();
    const wire::Reply done = synchronise();
    trace_ = server_->finish_call();
    check_device(*server_, !config_.means);
    expect_success(launched, done);
}

// Results of such work would escape every counter.
void OnDevice::check_strayed() {
    if (has_counters() && server_->strayed())
        throw Failed{Verdict::mechanism,
                     "expected: the device works for the launch function only. The program launched a kernel or copied "
                     "device memory before the launch function was called, or when everything that it had started was "
                     "complete.\nDo this work in the launch function, not in another thread, in a constructor or in a "
                     "destructor."};
}

void OnDevice::describe(RunResult& result) {
    Channel::describe(result);
    Judged judged = server_->judged();
    result.findings = std::move(judged.findings);
    result.gaps = std::move(judged.gaps);
    result.executed = std::move(judged.executed);
    result.protocol = std::move(judged.protocol);
    result.estimate = judged.estimate;
}

namespace {

// Does the stream wait for the operation that was issued at `index` in another stream?
bool is_joined(const std::vector<HostOperation>& operations, size_t index, uint64_t stream) {
    using Kind = HostOperation::Kind;
    const uint64_t other = operations[index].stream;
    bool recorded = false;
    for (size_t i = index + 1; i < operations.size(); ++i) {
        const auto& operation = operations[i];
        recorded |= operation.kind == Kind::record_event && operation.stream == other;
        if (recorded && operation.kind == Kind::wait_for_event && operation.stream == stream)
            return true;
    }
    return false;
}

// Launches whose results none of the passed streams waits for; empty: none.
std::string misplaced_launches(const std::vector<HostOperation>& operations, const std::vector<uint64_t>& streams) {
    for (size_t i = 0; i < operations.size(); ++i) {
        const auto& operation = operations[i];
        const auto orders = [&](uint64_t stream) {
            return operation.stream == stream || is_joined(operations, i, stream);
        };
        if (operation.kind == HostOperation::Kind::launch && std::ranges::none_of(streams, orders))
            return fmt::format("expected: kernels run in the stream that the launch function is given. A kernel was "
                               "launched in {}, so work that the caller has put in its stream is not ordered before or "
                               "after it.\nPass the stream to the launch: kernel<<<grid, block, shared bytes, "
                               "stream>>>(…)",
                               operation.stream == sim::cuda::legacy_stream ? "the default stream" : "another stream");
    }
    return {};
}

} // namespace

void WithProgram::call(const std::vector<detail::Slot>& slots) {
    OnDevice::call(slots);
    if (misplaced_.empty() && !program_.streams().empty())
        misplaced_ =
            trace_.full.operations ? too_many_requests : misplaced_launches(trace_.operations, program_.streams());
}

process::Spawn WithProgram::boxed(const RunConfig& config, const char* where) {
    process::Spawn spawn;
    spawn.environment["ASYNCLAB_DEVICE"] = std::string(where) + ":3";
    spawn.limits.data_bytes = uint64_t{4} << 30;
    spawn.limits.file_bytes = 64 << 20;
    spawn.limits.more_processes = 64;
    spawn.limits.output_bytes = 16 << 20;
    spawn.limits.kept_bytes = 16 << 10;
    spawn.box = config.box;
    if (config.box.own_environment)
        spawn.directory = "/";
    if (spawn.box->user)
        spawn.box->user = isolation::throwaway_user(); // of this worker alone
    return spawn;
}

uint64_t WithProgram::allocate_on_host(MemoryKind place, size_t bytes) {
    uses_host_memory_ = true;
    return program_.allocate(place == MemoryKind::pinned ? wire::Ask::allocate_pinned : wire::Ask::allocate_pageable,
                             bytes);
}

void WithProgram::finish() {
    check_strayed();
    if (program_.leave())
        check_device(*server_, !config_.means);
    if (!misplaced_.empty())
        throw Failed{Verdict::mechanism, misplaced_};
}

void WithProgram::describe(RunResult& result) {
    OnDevice::describe(result);
    result.output = program_.output();
}

namespace {

// The texts that reports take names from. Of a stranger's file, only what lies beside it: its #line directives may name
// any file of this machine.
void add_sources(message::Open& open, const RunConfig& config) {
    constexpr size_t most_files = 32;
    const bool own = std::ranges::find(config.box.readable, "/") != config.box.readable.end();
    const std::string ptx = config.ptx.empty() ? std::string() : base::read_file(config.ptx);
    for (auto& name : sim::ptx::named_files(ptx, most_files)) {
        if (!own && std::filesystem::path(name).lexically_normal().parent_path() != config.source.parent_path())
            continue;
        open.source_texts.push_back(sim::ptx::source_text(name));
        open.source_names.push_back(std::move(name));
    }
}

} // namespace

std::unique_ptr<DeviceServer> simulated_device(const RunConfig& config, const Recorded* repeated) {
    message::Open open{.settings = {.sm = static_cast<uint32_t>(config.target.sm),
                                    .sms = config.sms,
                                    .memory = device_memory,
                                    .max_instructions = config.max_instructions,
                                    .schedule = config.schedule,
                                    .protocol = config.protocol && !repeated,
                                    .estimate = config.estimate && !repeated},
                       .record = repeated || config.repeat,
                       .repeated = repeated != nullptr};
    if (config.device) {
        add_sources(open, config);
        return boxed_server(*config.device, open);
    }
    auto described = options(open.settings);
    described.listener = config.listener;
    return std::make_unique<Server>(std::move(described), open.record ? Server::Keep::all : Server::Keep::copies,
                                    repeated ? repeated->here : nullptr,
                                    std::optional<sim::cuda::SharedMemory::Descriptor>{}, open.settings.estimate);
}

} // namespace check
