#include "check/server.h"

#include <algorithm>
#include <cstring>

#include <unistd.h>

#include "sim/cuda/wire/error_code.h"
#include "sim/cuda/wire/socket.h"
#include "sim/report/json.h"
#include "sim/timeline/recorder.h"

namespace check {

using namespace sim::cuda;

namespace {

// Is it the runtime's own host memory, or registered? Anything else is device memory. `gpu`: if it is a simulated one.
bool is_host(uint64_t address, const sim::Device* gpu) {
    return (address >= host_base && address - host_base < host_bytes) ||
           (gpu && gpu->range(address).kind == sim::machine::AllocationKind::host_pinned);
}

template <class Body>
const Body* as(const Header& header, std::span<const std::byte> body) {
    return header.command == command_of<Body> && body.size() == sizeof(Body)
               ? reinterpret_cast<const Body*>(body.data())
               : nullptr;
}

class Simulated : public Device {
  public:
    Simulated(sim::machine::Options options, ServiceListener& listener, std::optional<SharedMemory::Descriptor> shared)
        : service_(std::move(options), &listener, shared) {}

    Reply handle(const Header& header, std::span<const std::byte> body, std::span<const std::byte> payload) override {
        return service_.handle(header, body, payload);
    }
    const SharedMemory& shared() const override { return service_.shared(); }
    void drain() override { service_.drain(); }
    uint64_t allocate(size_t bytes) override { return gpu().allocate(bytes); }
    std::vector<std::byte> read(uint64_t address, size_t bytes) override {
        const auto now = gpu().peek(address, bytes);
        return {now.begin(), now.end()};
    }
    void write(uint64_t address, std::span<const std::byte> contents) override {
        if (!contents.empty())
            gpu().write(address, contents, {}, "the checker's input");
    }
    void call_begins() override { call_began_ = gpu().next_operation(); }
    bool written_by_kernel(uint64_t address, size_t bytes) override {
        return gpu().written_by_kernel(address, bytes, call_began_);
    }
    sim::Device& gpu() { return service_.gpu(); }

  private:
    Service service_;
    sim::machine::OperationId call_began_ = 0;
};

// Why a real device was lost, in the simulated one's terms.
sim::machine::Outcome outcome(const Reply& reply) {
    return {reply.sticky == error::launch_timeout ? sim::machine::Fault::runaway : sim::machine::Fault::trap,
            "on the GPU: " + reply.message};
}

} // namespace

constexpr size_t most_traced = size_t{16} << 20, most_operations = 100'000, most_launches = 10'000;

namespace {

void trace(std::vector<std::byte>& contents, std::span<const std::byte> more, bool& full) {
    full = full || contents.size() + more.size() > most_traced;
    if (!full)
        contents.insert(contents.end(), more.begin(), more.end());
}

void trace(Trace& trace, Launch launch) {
    trace.full.launches = trace.full.launches || trace.launches.size() >= most_launches;
    if (!trace.full.launches)
        trace.launches.push_back(std::move(launch));
}

} // namespace

Server::Server(sim::machine::Options options, Keep keep, std::shared_ptr<const Recording> repeated,
               std::optional<SharedMemory::Descriptor> shared, bool estimate)
    : keep_(keep), repeated_(std::move(repeated)) {
    options.interrupt = &interrupt_;
    options.replay = repeated_ ? repeated_->order() : nullptr;
    if (estimate)
        options.listener = sim::timeline::recorder(timeline_);
    sim::cuda::ServiceListener& listener = *this;
    auto device = std::make_unique<Simulated>(std::move(options), listener, shared);
    gpu_ = &device->gpu();
    device_ = std::move(device);
}

Server::Server(const Open& open) : device_(open(&interrupt_)) {}

Server::~Server() {
    join();
}

void Server::start(int fd, std::string ptx) {
    fd_ = fd;
    ptx_ = std::move(ptx);
    thread_ = std::thread([this] { serve(); });
}

void Server::join() {
    if (thread_.joinable())
        thread_.join();
    if (fd_ >= 0)
        close(fd_);
    fd_ = -1;
}

bool Server::interrupt(std::chrono::milliseconds patience) {
    interrupt_ = true;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (busy_ && std::chrono::steady_clock::now() < deadline)
        usleep(500);
    return !busy_;
}

Recorded Server::take_recording() {
    const bool complete = recording_.complete();
    if (gpu_)
        recording_.follow(gpu_->protocol());
    return {complete, std::make_shared<const Recording>(std::move(recording_))};
}

void Server::begin_call() {
    const Lock device = step();
    device.trace = {};
    stage_ = Stage::running;
    if (device.gpu)
        device.trace.began = device.gpu->next_operation(), device.gpu->forget_loads();
    if (auto* followed = device.gpu ? device.gpu->followed() : nullptr)
        followed->forget();
    device.device.call_begins();
}

void Server::returned() {
    const Lock device = step();
    stage_ = Stage::returned;
}

Trace Server::finish_call() {
    const Lock device = step();
    device.device.drain();
    if (device.gpu)
        device.trace.loads = device.gpu->loads();
    if (auto* followed = device.gpu ? device.gpu->followed() : nullptr)
        device.trace.flow = followed->flow();
    stage_ = Stage::outside;
    return device.trace;
}

void Server::follow(sim::provenance::Followed followed) {
    if (const Lock device = lock(); device.gpu)
        device.gpu->follow(std::move(followed));
}

// Halves what is not all written: most results are written in large parts, or not at all.
std::vector<bool> Server::elements_written(uint64_t address, size_t size, size_t count) {
    const Lock device = lock();
    std::vector<bool> written(count);
    const auto look = [&](const auto& half, size_t begin, size_t end) -> void {
        if (begin == end)
            return;
        if (device.device.written_by_kernel(address + begin * size, (end - begin) * size))
            return static_cast<void>(std::fill_n(written.begin() + begin, end - begin, true));
        if (const size_t middle = begin + (end - begin) / 2; middle > begin) {
            half(half, begin, middle);
            half(half, middle, end);
        }
    };
    look(look, 0, count);
    return written;
}

Condition Server::condition() {
    const Lock device = lock();
    return {device.gpu ? device.gpu->reporter().errors() : 0, device.trace.lost};
}

// Under the lock.
std::optional<sim::timeline::Estimate> Server::estimate(sim::Device& gpu) const {
    const bool wrong = gpu.reporter().errors() || trace_.lost.fault != sim::machine::Fault::none;
    return wrong ? std::nullopt : sim::timeline::estimate(timeline_);
}

Judged Server::judged() {
    if (busy_)
        return {};
    const Lock device = lock();
    if (!device.gpu)
        return {};
    return {sim::hazards::reported(device.gpu->reporter()), device.gpu->gaps(), device.gpu->executed(),
            device.gpu->protocol(), estimate(*device.gpu)};
}

void Server::serve() {
    if (!sim::cuda::wire::send_descriptor(fd_, device_->shared().fd()))
        return;
    // Not locked while it is sent: who never reads replies must not hold up the checker.
    while (auto request = sim::cuda::wire::receive_request(fd_))
        if (!sim::cuda::wire::send(fd_, answer(*request)))
            return;
}

Reply Server::answer(sim::cuda::wire::Request& request) {
    const std::lock_guard lock(mutex_);
    busy_ = true;
    LoadModule load{};
    if (as<LoadModule>(request.header, request.body) && !ptx_.empty()) {
        // Beside everything that the program's arena has handed out so far: at the end of the shared memory.
        load.bytes = ptx_.size();
        load.text = host_base + host_bytes - ((ptx_.size() + 4095) & ~uint64_t{4095});
        std::memcpy(device_->shared().at(load.text, load.bytes), ptx_.data(), ptx_.size());
        std::memcpy(request.body.data(), &load, sizeof load);
    }
    if (keep_ == Keep::all)
        recording_.add(request);
    Reply reply = carry_out(request);
    busy_ = false;
    if (!gpu_ && reply.sticky && trace_.lost)
        trace_.lost = outcome(reply);
    return reply;
}

Reply Server::carry_out(const sim::cuda::wire::Request& request) {
    record(request.header, request.body);
    Reply reply = device_->handle(request.header, request.body, request.payload);
    if (as<sim::cuda::Architecture>(request.header, request.body))
        told_architecture_ = true;
    if (as<sim::cuda::Launch>(request.header, request.body) && gpu_ && !reply.error)
        ++pending_launches_;
    if (as<CreateStream>(request.header, request.body))
        newest_stream_ = sim::cuda::Answer<CreateStream>(reply).result.stream;
    return reply;
}

Server::Lock Server::step() {
    Lock lock = this->lock();
    if (!repeated_)
        recording_.add_step();
    else if (step_ < repeated_->steps().size())
        repeat(repeated_->steps()[step_++]);
    return lock;
}

bool Server::repeat_the_rest() {
    const Lock lock = this->lock();
    repeat(repeated_->requests().size());
    return step_ == repeated_->steps().size();
}

void Server::repeat(size_t until) {
    while (request_ < until) {
        host_memory_ = 0;
        carry_out(repeated_->requests()[request_++].request);
    }
}

void Server::reads_host(std::span<std::byte> memory, bool copy) {
    if (repeated_ && request_) {
        const auto& known = repeated_->requests()[request_ - 1].host_memory;
        if (host_memory_ < known.size() && known[host_memory_].size() == memory.size())
            std::memcpy(memory.data(), known[host_memory_].data(), memory.size());
        ++host_memory_;
    } else if (keep_ == Keep::all) {
        recording_.add_host_memory(memory);
    }
    if (copy && keep_ != Keep::nothing)
        trace(trace_.uploaded, memory, trace_.full.uploaded);
}

void Server::wrote_host(std::span<const std::byte> memory, uint64_t device) {
    if (keep_ != Keep::nothing && gpu_->written_by_kernel(device, memory.size(), trace_.began))
        trace(trace_.downloaded, memory, trace_.full.downloaded);
}

void Server::record(const Header& header, std::span<const std::byte> body) {
    using Kind = HostOperation::Kind;
    // Once the launch function has returned, the checker itself waits, and no wait of the program holds it up.
    if (stage_ != Stage::running && (as<Wait>(header, body) || as<Query>(header, body)))
        return;
    if (trace_.operations.size() >= most_operations) {
        trace_.full.operations = true;
        return;
    }
    const bool outside = stage_ == Stage::outside;
    Issued& issued = trace_.issued;
    auto add = [&](Kind kind, uint64_t stream, uint64_t bytes = 0, bool pageable = false, uint64_t from = 0) {
        trace_.operations.push_back({kind, stream, bytes, pageable, from, false});
    };
    auto add_work = [&](Kind kind, uint64_t stream, uint64_t bytes = 0, bool pageable = false, uint64_t from = 0) {
        issued.work(stream);
        add(kind, stream, bytes, pageable, from);
    };
    // A wait or a query: does it have anything to wait for?
    using Of = sim::cuda::Target;
    auto waits_for_work = [&](Of target, uint64_t what) {
        return target == Of::stream  ? issued.in_stream(what)
               : target == Of::event ? issued.in_event(what)
                                     : issued.anywhere();
    };
    if (const auto* copy = as<Copy>(header, body)) {
        const bool to = is_host(copy->destination, gpu_), from = is_host(copy->source, gpu_);
        strayed_ = strayed_ || (outside && !from);
        add_work(to == from ? Kind::copy_on_device
                 : to       ? Kind::copy_to_host
                            : Kind::copy_to_device,
                 copy->stream, copy->width * copy->height * copy->depth, copy->staged != 0,
                 gpu_ && !from ? gpu_->range(copy->source).address : 0);
    } else if (const auto* fill = as<Fill>(header, body)) {
        add_work(Kind::fill, fill->stream, fill->count * fill->element_bytes * fill->height);
    } else if (const auto* launch = as<sim::cuda::Launch>(header, body)) {
        strayed_ = strayed_ || outside;
        add_work(Kind::launch, launch->stream);
        trace_.operations.back().beside = pending_launches_ > 0;
        trace_.operations.back().early = launch->programmatic != 0;
        if (!gpu_) { // the simulated device reports more: launched()
            const auto dim = [](const uint32_t(&size)[3]) { return sim::machine::Dim3{size[0], size[1], size[2]}; };
            trace(trace_, {{}, {dim(launch->grid), dim(launch->block), dim(launch->cluster)}, {}, 0});
        }
    } else if (const auto* call = as<HostCall>(header, body)) {
        issued.work(call->stream);
    } else if (const auto* event = as<RecordEvent>(header, body)) {
        issued.record(event->event, event->stream);
        add(Kind::record_event, event->stream);
    } else if (const auto* join = as<StreamWaitEvent>(header, body)) {
        issued.join(join->stream, join->event);
        add(Kind::wait_for_event, join->stream);
    } else if (const auto* wait = as<Wait>(header, body)) {
        if (!wait->background && waits_for_work(wait->target, wait->what))
            add(Kind::host_wait, wait->target == Of::stream ? wait->what : 0);
    } else if (const auto* query = as<Query>(header, body)) {
        if (waits_for_work(query->target, query->what))
            add(Kind::query, query->target == Of::stream ? query->what : 0);
    }
}

void Server::launched(const sim::machine::Kernel& kernel, const sim::machine::LaunchConfig& config,
                      sim::machine::OperationId, const sim::machine::Statistics& statistics) {
    trace_.statistics += statistics;
    --pending_launches_;
    trace(trace_, {kernel.function->name, config, statistics, kernel.parameter_bytes});
}

void Server::lost(uint32_t, const sim::machine::Outcome& outcome) {
    trace_.lost = outcome;
}

sim::machine::Options options(const DeviceSettings& settings) {
    static sim::ptx::Parsed parsed; // the runs of one process load the same PTX again and again
    sim::machine::Options options;
    options.properties = sim::machine::properties_of(settings.sm);
    options.properties.sm_count = settings.sms;
    options.properties.total_memory = settings.memory;
    options.schedule = settings.schedule;
    options.protocol = settings.protocol;
    options.max_instructions = settings.max_instructions;
    options.parsed = &parsed;
    return options;
}

} // namespace check
