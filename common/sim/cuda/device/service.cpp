#include "sim/cuda/device/service.h"

#include <algorithm>
#include <exception>
#include <new>

#include "sim/cuda/wire/error_code.h"
#include "sim/shadow/exhausted.h"

namespace sim::cuda {

namespace {

machine::Options with_output(machine::Options options, std::string& output) {
    options.output = [&output](std::string_view text) {
        if (output.size() < (64 << 20)) // a kernel that prints without end must not fill our memory
            output += text;
    };
    return options;
}

} // namespace

Service::Service(machine::Options options, ServiceListener* listener, std::optional<SharedMemory::Descriptor> shared)
    : listener_(listener), shared_(shared ? SharedMemory(*shared) : SharedMemory()),
      gpu_(with_output(options, output_)), streams_(
                                               options.schedule, [this] { return gpu_.next_operation(); },
                                               [this](bool give_up) { return advance(give_up); }) {}

Service::~Service() = default;

Reply Service::handle(const Header& header, std::span<const std::byte> body, Payload payload) {
    Reply reply;
    streams_.called_from(header.call);
    try {
        dispatch(header.command, body, reply, [&](const auto& command) { return carry_out(command, payload, reply); });
        streams_.drift();
        if (!freed_.empty())
            release_freed();
    } catch (const Refused& refused) {
        reply.error = refused.error;
        reply.message = refused.message;
    } catch (const hazards::Exhausted& exhausted) {
        checked({machine::Fault::not_implemented, exhausted.what()});
    } catch (const std::bad_alloc&) {
        reply.error = error::memory_allocation;
        reply.message = "the simulated device's host ran out of memory";
    } catch (const std::exception& problem) {
        reply.error = error::unknown;
        reply.message = problem.what();
    }
    reply.calls = gpu_.reporter().take_unnamed_calls();
    reply.sticky = lost_;
    if (lost_ && !reply.error)
        reply.error = lost_;
    if (!lost_message_.empty()) {
        reply.message = lost_message_;
        lost_message_.clear();
    }
    // Output that does not fit into a reply goes with the next one.
    const size_t room = std::min<size_t>(output_.size(), max_payload);
    reply.output = output_.substr(0, room);
    output_.erase(0, room);
    std::erase_if(watched_, [&](const Watch& watch) {
        if (reply.released.size() >= max_released || !watch.operation->done ||
            !(watch.until_done || streams_.host_is_after(*watch.operation)))
            return false;
        reply.released.push_back(watch.operation->ticket);
        return true;
    });
    return reply;
}

void Service::drain() {
    try {
        while (!streams_.run_all()) {
            const Operation::Ptr call = streams_.host_call();
            call->calling = true;
            streams_.host_call_done(call->host_call);
        }
    } catch (const std::exception&) { // the program is gone
    }
}

void Service::check_stream(uint64_t stream) const {
    if (!streams_.has_stream(stream))
        throw Refused{error::invalid_resource_handle, "no such stream"};
}

Service::Event& Service::event(uint64_t id) {
    const auto found = events_.find(id);
    if (found == events_.end())
        throw Refused{error::invalid_resource_handle, "no such event"};
    return found->second;
}

bool Service::inside(uint64_t address, uint64_t bytes) const {
    const machine::Gpu::Range range = gpu_.range(address);
    return range.bytes && address - range.address <= range.bytes && bytes <= range.bytes - (address - range.address);
}

bool Service::is_host(uint64_t address) const {
    const machine::AllocationKind kind = gpu_.range(address).kind;
    return kind == machine::AllocationKind::host_pinned || kind == machine::AllocationKind::managed;
}

std::span<std::byte> Service::host_memory(uint64_t address, uint64_t bytes) const {
    const auto next = mapped_.upper_bound(address);
    if (next == mapped_.begin())
        return {};
    const auto& [begin, memory] = *std::prev(next);
    return address - begin < memory.size() && bytes <= memory.size() - (address - begin)
               ? memory.subspan(address - begin, bytes)
               : std::span<std::byte>{};
}

void Service::checked(const machine::Outcome& outcome) {
    using machine::Fault;
    if (outcome || lost_)
        return;
    switch (outcome.fault) {
    case Fault::none:
        return;
    case Fault::illegal_address:
        lost_ = error::illegal_address;
        break;
    case Fault::misaligned_address:
        lost_ = error::misaligned_address;
        break;
    case Fault::illegal_instruction:
        lost_ = error::illegal_instruction;
        break;
    case Fault::trap:
        lost_ = error::launch_failure;
        break;
    case Fault::assertion:
        lost_ = error::assertion;
        break;
    case Fault::not_implemented:
        lost_ = error::not_supported;
        break;
    case Fault::deadlock:
    case Fault::runaway:
        lost_ = error::launch_timeout;
        break;
    }
    lost_message_ = outcome.message;
    if (listener_)
        listener_->lost(lost_, outcome);
}

} // namespace sim::cuda
