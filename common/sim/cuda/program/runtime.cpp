#include "sim/cuda/program/runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>

#include <unistd.h>

#include "sim/cuda/program/capture.h"
#include "sim/cuda/program/failed_calls.h"
#include "sim/cuda/program/host_watch.h"
#include "sim/cuda/program/outside_heap.h"
#include "sim/cuda/program/session.h"
#include "sim/cuda/program/staged_sources.h"

namespace sim::cuda {

namespace {

thread_local uint64_t making_host_call = 0; // its token
std::atomic<Runtime*> existing{nullptr};

bool find_device_allocation(uint64_t address, uint64_t& base, uint64_t& bytes) {
    Allocation found;
    Runtime* runtime = existing;
    if (!runtime || !runtime->find(address, found))
        return false;
    base = found.address;
    bytes = found.bytes;
    return true;
}

void report_freed_memory(Runtime& runtime, uint64_t address, const CodePlace& place) {
    constexpr const char* action = "the host accesses pinned memory that has been freed";
    constexpr const char* message =
        "The memory is no longer mapped, so the program ends here with a segmentation fault.";
    if (const uint32_t freed = runtime.freed_at(address))
        runtime.report(HostMisuse::freed_memory, place, action, call_sites::place(freed), "the memory is freed here",
                       message);
    else
        runtime.report(HostMisuse::freed_memory, place, action, message);
}

// The program is about to end, so there is no harm in doing this in a signal handler.
void report_last_access(uint64_t address, const HostCode& code) {
    Runtime* runtime = existing;
    if (!runtime)
        return;
    try {
        const CodePlace place = call_sites::place(call_sites::of_instruction(code.all()));
        Allocation found;
        if (address >= host_base && address - host_base < host_bytes)
            report_freed_memory(*runtime, address, place);
        else
            runtime->report(HostMisuse::device_pointer, place,
                            "the host dereferences a device pointer (" +
                                (runtime->find(address, found)
                                     ? "byte " + std::to_string(address - found.address) + " of " +
                                           std::to_string(found.bytes) + " allocated by cudaMalloc"
                                     : std::string("an address of device memory")) +
                                ")",
                            nullptr, {},
                            "The host cannot reach memory from cudaMalloc, so the program ends here with a "
                            "segmentation fault.");
        runtime->backend().finish();
    } catch (...) { // it ends anyway
    }
}

// libcudart and libcuda.so.1 are each a runtime of their own, and the device talks to one. Nor may a process that the
// program has started talk to it beside the program.
void connect_once() {
    const char* connected = std::getenv("ASYNCLAB_CONNECTED");
    if (connected && *connected)
        throw std::runtime_error(
            connected == std::to_string(getpid())
                ? "another CUDA library of this process has done so already (one that the program is linked with, beside "
                  "one that it loads): link the program without -lcuda, and load no libcuda.so.1; libcudart has the "
                  "functions of the driver API, too"
                : "the process that started this one has done so already: let only one of them use CUDA");
    setenv("ASYNCLAB_CONNECTED", std::to_string(getpid()).c_str(), 1);
}

bool report_follows() {
    return Session::get().device_fd() >= 0 || !Session::get().json_file().empty();
}

// A table of threads stands in the report that follows.
std::string without_table(const std::string& message) {
    const size_t end = message.find('\n');
    return end != message.npos && end && message[end - 1] == ':' ? message.substr(0, end - 1) : message;
}

} // namespace

uint64_t current_host_call() {
    return making_host_call;
}

bool in_host_call() {
    return making_host_call != 0;
}

cudaError_t& last_error() {
    thread_local cudaError_t error = cudaSuccess;
    return error;
}

bool Runtime::exists() {
    return existing != nullptr;
}

Runtime& Runtime::get() {
    static Runtime* runtime = [] { // never destroyed: programs call us from their own destructors
        Runtime* made = nullptr;
        try {
            made = new (outside_heap<Runtime>()) Runtime;
        } catch (const std::exception& problem) {
            Session::get().cannot_run(std::string("cannot reach the simulated device: ") + problem.what());
        }
        existing = made;
        HostWatch::get().install(find_device_allocation, report_last_access);
        std::atexit([] { existing.load()->finish(); });
        return made;
    }();
    return *runtime;
}

Runtime::Runtime() : staged_sources_(std::make_unique<StagedSources>()) {
    Session& session = Session::get();
    const int fd = session.device_fd();
    if (fd >= 0)
        connect_once();
    backend_ = fd >= 0 ? socket_backend(fd) : local_backend(session.device_options());
    arena_ = std::make_unique<HostArena>(backend_->shared_memory());
    const auto answer = backend_->call(Hello{});
    if (answer.error || answer.payload.size() != sizeof properties_)
        throw std::runtime_error(answer.message.empty() ? "it does not answer" : answer.message);
    answer.payload.copy(reinterpret_cast<char*>(&properties_), sizeof properties_);
    sm_ = properties_.sm;
}

// A lost device answers, too.
uint32_t Runtime::architecture() {
    if (!sm_) {
        const std::lock_guard lock(call_mutex_);
        const auto answer = backend_->call(Architecture{});
        accept(answer);
        sm_ = static_cast<uint32_t>(answer.result.sm);
    }
    return sm_;
}

machine::Properties Runtime::whole_device() {
    machine::Properties properties = properties_;
    properties.sm = architecture();
    return properties;
}

void Runtime::accept(const Reply& reply) {
    Reply rest;
    for (const Reply* next = &reply;; next = &rest) {
        if (!next->output.empty()) {
            std::fwrite(next->output.data(), 1, next->output.size(), stdout);
            std::fflush(stdout);
        }
        for (const uint64_t ticket : next->released)
            forget(ticket);
        name_calls(next->calls);
        if (next->released.size() < max_released && next->output.size() < max_payload)
            return;
        rest = backend_->call(MemoryInfo{}); // there may be more than one reply has room for
    }
}

void Runtime::received(const Reply& reply, std::initializer_list<uint64_t> memory) {
    ++calls_;
    report_early_accesses();
    if (reply.sticky) {
        if (reply.sticky == cudaErrorNotSupported) {
            backend_->finish();
            Session::get().cannot_run(reply.message);
        }
        if (sticky_.exchange(static_cast<cudaError_t>(reply.sticky)) == cudaSuccess && !reply.message.empty())
            Session::get().say(report_follows() ? without_table(reply.message) : reply.message);
        fail(static_cast<cudaError_t>(reply.sticky));
    }
    if (!reply.error)
        return;
    Failure failure{static_cast<cudaError_t>(reply.error), reply.message};
    for (const uint64_t address : memory)
        failure.freed_at = failure.freed_at ? failure.freed_at : freed_at(address);
    throw failure;
}

void Runtime::wait(Target target, uint64_t what) {
    if (target == Target::device)
        capture::refuse_device_wait();
    work_until(target, what, Wait::by_host);
}

void Runtime::wait_until_staged(uint64_t stream) {
    work_until(Target::stream, stream, Wait::until_staged);
}

bool Runtime::work_until(Target target, uint64_t what, uint32_t how) {
    while (true) {
        const auto answer = call(Wait{target, how, what});
        const Wait::Result& reached = answer.result;
        switch (reached.state) {
        case Wait::State::complete:
            return true;
        case Wait::State::under_way:
            return false;
        case Wait::State::host_call:
            make_host_call(reached.token, answer.payload);
            break;
        case Wait::State::ask_again:
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            break;
        }
    }
}

void Runtime::query(Target target, uint64_t what) {
    const auto answer = call(Query{target, 0, what});
    const Query::Result& state = answer.result;
    if (state.host_call) // it is next: polling makes progress
        make_host_call(state.host_call, answer.payload);
    if (!state.complete)
        fail(cudaErrorNotReady);
}

void Runtime::make_host_call(uint64_t token, const std::string& later) {
    std::vector<uint64_t> tickets(later.size() / sizeof(uint64_t));
    std::copy_n(later.data(), tickets.size() * sizeof(uint64_t), reinterpret_cast<char*>(tickets.data()));
    WaitingCall waiting{};
    std::vector<StagedSources::Source> staged;
    {
        const std::lock_guard lock(mutex_);
        if (auto node = host_calls_.extract(token))
            waiting = std::move(node.mapped());
        // Beside the helper, the program goes on and may change them itself.
        if (helper_.get_id() != std::this_thread::get_id())
            staged = staged_sources_->unchanged(tickets);
    }
    const auto suspended = HostWatch::get().suspend(tickets);
    making_host_call = token;
    if (waiting.function)
        waiting.function();
    std::erase_if(staged, [](const auto& source) { return !StagedSources::changed(source); });
    {
        const std::lock_guard lock(call_mutex_);
        send_noted_accesses();
    }
    making_host_call = 0;
    HostWatch::get().resume(suspended);
    call(HostCallDone{token});
    for (const StagedSources::Source& source : staged)
        report(HostMisuse::staged_too_early, calling_place(source.site),
               "this copy takes its bytes from pageable memory", call_sites::place(waiting.site),
               "a function that comes first in the stream writes them later",
               "From pageable memory, the call may copy its source at once, before the function has run, and then "
               "brings the old bytes.");
}

bool Runtime::expects_host_calls() {
    const std::lock_guard lock(mutex_);
    return !host_calls_.empty();
}

void Runtime::host_call(uint64_t stream, std::function<void()> function) {
    uint64_t token = 0;
    {
        const std::lock_guard lock(mutex_);
        token = next_token_++;
        host_calls_.emplace(token, WaitingCall{std::move(function), call_sites::here()});
    }
    call(HostCall{stream, token});
    expect_progress();
}

void Runtime::expect_progress() {
    std::call_once(helper_started_, [this] { helper_ = std::thread([this] { keep_going(); }); });
}

void Runtime::keep_going() {
    constexpr auto patience = std::chrono::milliseconds(500), soon = std::chrono::milliseconds(2);
    auto next = patience;
    uint64_t seen = calls_;
    std::unique_lock lock(helper_mutex_);
    while (!helper_wake_.wait_for(lock, next, [this] { return finished_; })) {
        next = patience;
        if (seen == calls_) {
            try {
                // The host and a kernel may be waiting for each other in turn.
                if (!work_until(Target::device, 0, Wait::in_background))
                    next = soon;
            } catch (const Failure&) { // the program will hear of it at its next call
            } catch (const std::exception&) {
                return;
            }
        }
        seen = calls_;
    }
}

void Runtime::finish() {
    {
        const std::lock_guard lock(helper_mutex_);
        finished_ = true;
    }
    helper_wake_.notify_all();
    if (helper_.get_id() == std::this_thread::get_id())
        helper_.detach(); // a host function ended the program
    else if (helper_.joinable())
        helper_.join();
    capture::forget_all();
    try {
        if (!sticky_)
            wait(Target::device, 0);
    } catch (const Failure&) { // was said
    }
    {
        const std::lock_guard lock(call_mutex_);
        send_noted_accesses();
        try {
            accept(backend_->call(MemoryInfo{})); // it may ask where an access was
        } catch (const std::exception&) {         // the device is gone
        }
    }
    report_early_accesses();
    report_unused_kernels();
    backend_->finish();
}

namespace {

/// A call of the program may be carried out by others of ours: only the outermost is the program's.
thread_local int nesting = 0;

struct Nesting {
    Nesting() { ++nesting; }
    ~Nesting() { --nesting; }
    static bool outermost() { return nesting == 1 || in_host_call(); }
};

} // namespace

cudaError_t failed(const char* name, const Failure& failure) {
    // A library that is not connected, beside one that is, must not connect only to say so.
    const bool connected =
        Runtime::exists() || !std::getenv("ASYNCLAB_CONNECTED") || !*std::getenv("ASYNCLAB_CONNECTED");
    const bool of_the_program = connected && (nesting == 0 || Nesting::outermost());
    const bool reported = of_the_program && report_failed_call(name, failure);
    if ((!reported || Session::get().real_device()) && !failure.why.empty() && failure.code != cudaErrorNotReady)
        Session::get().say(std::string(name) + ": " + failure.why);
    return failure.code;
}

cudaError_t run_api(const char* name, const std::function<void()>& body) {
    cudaError_t result = cudaSuccess;
    const Nesting call;
    try {
        if (in_host_call())
            fail(cudaErrorNotPermitted, "CUDA calls are not allowed inside a function that a stream calls");
        if (Runtime::exists() && Runtime::get().sticky())
            fail(Runtime::get().sticky());
        body();
    } catch (const Failure& failure) {
        result = failed(name, failure);
        if (result == cudaErrorNotSupported)
            report_refused(name);
    } catch (const std::bad_alloc&) {
        result = failed(name, {cudaErrorMemoryAllocation, {}, {}});
    } catch (const std::exception& problem) {
        Session::get().cannot_run(std::string(name) + ": " + problem.what());
    }
    if (result != cudaSuccess)
        last_error() = result;
    return result;
}

} // namespace sim::cuda
