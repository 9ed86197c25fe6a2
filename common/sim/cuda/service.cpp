#include "sim/cuda/service.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "sim/cuda/error_code.h"

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

Service::Service(machine::Options options, ServiceListener* listener)
    : listener_(listener), gpu_(with_output(options, output_)),
      timeline_(options.schedule, [this] { return gpu_.next_operation(); }) {}

Service::~Service() = default;

template <typename Body, void (Service::*handler)(const Body&, std::span<const std::byte>, Reply&)>
void Service::typed(std::span<const std::byte> body, std::span<const std::byte> payload, Reply& reply) {
    if (body.size() != sizeof(Body))
        throw Refused{error::invalid_value, "a command has the wrong size"};
    Body value;
    std::memcpy(&value, body.data(), sizeof value);
    (this->*handler)(value, payload, reply);
}

// In the order of Command.
const Service::Handler Service::handlers[] = {
    &Service::typed<Hello, &Service::hello>,
    &Service::typed<Allocate, &Service::allocate>,
    &Service::typed<Release, &Service::release>,
    &Service::typed<MapHost, &Service::map_host>,
    &Service::typed<UnmapHost, &Service::unmap_host>,
    &Service::typed<LoadModule, &Service::load_module>,
    &Service::typed<UnloadModule, &Service::unload_module>,
    &Service::typed<FindKernel, &Service::find_kernel>,
    &Service::typed<FindVariable, &Service::find_variable>,
    &Service::typed<CreateStream, &Service::create_stream>,
    &Service::typed<DestroyStream, &Service::destroy_stream>,
    &Service::typed<CreateEvent, &Service::create_event>,
    &Service::typed<DestroyEvent, &Service::destroy_event>,
    &Service::typed<Copy, &Service::copy>,
    &Service::typed<Fill, &Service::fill>,
    &Service::typed<Launch, &Service::launch>,
    &Service::typed<HostCall, &Service::host_call>,
    &Service::typed<HostCallDone, &Service::host_call_done>,
    &Service::typed<FreeAsync, &Service::free_async>,
    &Service::typed<RecordEvent, &Service::record_event>,
    &Service::typed<StreamWaitEvent, &Service::stream_wait_event>,
    &Service::typed<Query, &Service::query>,
    &Service::typed<Wait, &Service::wait>,
    &Service::typed<Elapsed, &Service::elapsed>,
    &Service::typed<MemoryInfo, &Service::memory_info>,
    &Service::typed<Report, &Service::report>,
    &Service::typed<EncodeMap, &Service::encode_map>,
};

Reply Service::handle(const Header& header, std::span<const std::byte> body, std::span<const std::byte> payload) {
    static_assert(std::size(handlers) == static_cast<size_t>(Command::count));
    Reply reply;
    try {
        if (header.command >= Command::count)
            throw Refused{error::not_supported, "unknown command"};
        (this->*handlers[static_cast<size_t>(header.command)])(body, payload, reply);
        timeline_.drift();
    } catch (const Refused& refused) {
        reply.error = refused.error;
        reply.message = refused.message;
    } catch (const std::bad_alloc&) {
        reply.error = error::memory_allocation;
        reply.message = "the simulated device's host ran out of memory";
    } catch (const std::exception& problem) {
        reply.error = error::unknown;
        reply.message = problem.what();
    }
    reply.sticky = lost_;
    if (lost_ && !reply.error)
        reply.error = lost_;
    if (!lost_message_.empty()) {
        reply.message = lost_message_;
        lost_message_.clear();
    }
    // What a reply has no room for goes with the next one.
    const size_t room = std::min<size_t>(output_.size(), max_payload);
    reply.output = output_.substr(0, room);
    output_.erase(0, room);
    std::erase_if(watched_, [&](const Watch& watch) {
        if (reply.released.size() >= max_released || !watch.operation->done ||
            !(watch.until_done || timeline_.host_is_after(*watch.operation)))
            return false;
        reply.released.push_back(watch.operation->ticket);
        return true;
    });
    return reply;
}

void Service::drain() {
    try {
        while (!timeline_.run_all()) {
            const Operation::Ptr call = timeline_.host_call();
            call->calling = true;
            timeline_.host_call_done(call->host_call);
        }
    } catch (const std::exception&) { // nobody is left to be told
    }
}

void Service::check_stream(uint64_t stream) const {
    if (!timeline_.has_stream(stream))
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
