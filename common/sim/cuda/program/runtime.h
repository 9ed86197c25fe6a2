// State of the CUDA runtime in a program: everything registered, allocated and created, and the last error.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <cuda_runtime_api.h>

#include "sim/cuda/program/backend.h"
#include "sim/cuda/program/call_sites.h"
#include "sim/cuda/program/host_arena.h"
#include "sim/cuda/program/host_watch.h"
#include "sim/cuda/wire/fat_binary.h"
#include "sim/machine/gpu.h"

// The functions that programs link against; everything else stays hidden.
#define ASYNCLAB_API extern "C" __attribute__((visibility("default")))

namespace sim::cuda {

namespace capture {
struct Position;
}
struct CodePlace;
struct Box;
class StagedSources;

/// A fat binary that the program registered, or PTX that it loaded by itself. It is loaded when something in it is
/// first used.
struct RegisteredModule {
    const void* wrapper = nullptr;
    std::string ptx;      ///< if there is no wrapper
    uint64_t id = 0;      ///< of the loaded module; 0: not loaded
    void* handle[2] = {}; ///< what __cudaRegisterFatBinary returns points here
};

struct RegisteredFunction {
    RegisteredModule* module = nullptr;
    std::string name;           ///< in the PTX
    const void* host = nullptr; ///< address of the host stub
    uint64_t kernel = 0;        ///< 0: not looked up yet
    uint32_t static_shared = 0, local_bytes = 0, registers = 0, parameter_bytes = 0, max_threads = 0;
    uint32_t required_cluster[3] = {};
    struct Parameter {
        uint32_t offset, bytes;
    };
    std::vector<Parameter> parameters;
    uint32_t max_dynamic_shared = 0;
    bool nonportable_cluster = false;
    int preferred_carveout = -1;
};

struct RegisteredVariable {
    RegisteredModule* module = nullptr;
    std::string name;
    uint64_t bytes = 0;
    uint64_t address = 0;     ///< 0: not looked up yet
    void** managed = nullptr; ///< the program's pointer to a __managed__ variable
};

struct Allocation {
    enum class Kind : uint8_t { device, pinned, managed, registered } kind = Kind::device;
    uint64_t address = 0, bytes = 0;
    unsigned flags = 0;
    uint64_t block = 0; ///< registered: its block in the arena
    uint64_t pages = 0, page_bytes = 0;
    bool in_stream_order = false; ///< from cudaMallocAsync
    bool is_variable = false;     ///< a __managed__ one
};

/// cudaStream_t and cudaEvent_t point to these.
struct Stream {
    uint64_t id = 0;
    unsigned flags = 0;
    int priority = 0;
    std::shared_ptr<capture::Position> capture; ///< while it is being captured
};
struct Event {
    uint64_t id = 0;
    unsigned flags = 0;
    bool recorded = false;
    std::shared_ptr<capture::Position> capture; ///< if it was last recorded in a capture
};

/// A CUDA call failed: its error code, and for people why.
struct Failure {
    cudaError_t code;
    std::string why;         ///< a sentence without its end, for a report; empty: the code says it all
    std::string kernel = {}; ///< that was to be launched; empty: none
    uint32_t freed_at = 0;   ///< the call that has freed the memory that it is about (call_sites.h); 0: none
};

class Runtime {
  public:
    /// Connects to the device at the first call; ends the program if that fails.
    static Runtime& get();
    static bool exists();

    Backend& backend() { return *backend_; }
    HostArena& arena() { return *arena_; }
    const machine::Properties& device() const { return properties_; } ///< `sm` means nothing: see architecture()
    uint32_t architecture();                                          ///< the device's `sm`; asks for it
    machine::Properties whole_device();                               ///< asks for the architecture

    /// Sends a command and handles what comes back beside the answer: kernel output, copies no longer watched, a lost
    /// device. Throws Failure if it failed.
    template <typename Body, typename Text = std::string_view>
    Answer<Body> call(const Body& body, const Text& payload = {}) {
        // One at a time, including the releases in the reply: when a wait returns in one thread, memory that another
        // thread's wait has released must be usable.
        const uint32_t site = has_site<Body> ? call_sites::here() : 0;
        std::unique_lock lock(call_mutex_);
        send_noted_accesses();
        Answer<Body> answer = backend_->call(body, payload, site);
        accept(answer);
        lock.unlock();
        if constexpr (requires { body.destination; })
            received(answer, {body.destination, source_of(body)});
        else
            received(answer);
        return answer;
    }
    /// Waits, making host calls as they come up.
    void wait(Target target, uint64_t what);
    void wait_until_staged(uint64_t stream); ///< for its last copy from staging memory, as cudaMemcpy does
    /// Makes progress; fails with cudaErrorNotReady while the target is not complete.
    void query(Target target, uint64_t what);

    // --- registration (modules.cpp); tables are filled before main --------------------------------------------------
    struct Tables;
    static Tables& tables();
    void load(RegisteredModule& module);
    RegisteredFunction& function(const void* symbol);        ///< by host stub or handle; loaded. Throws Failure.
    bool find_variable(uint64_t address, Allocation& found); ///< the variable that holds `address`, if it was looked up
    std::string kernel_name(const void* symbol);             ///< as people write it; empty: it is no kernel
    RegisteredVariable& variable(const void* symbol);        ///< by the host's shadow variable; placed. Throws Failure.
    void unload(RegisteredModule& module);
    void place_managed(RegisteredVariable& variable); ///< of a module that has just been loaded

    // --- memory (allocations.cpp) -----------------------------------------------------------------------------------
    void add(const Allocation& allocation);
    bool remove(uint64_t address, Allocation& removed); ///< by first address
    /// The allocation that holds `address`; false if there is none.
    bool find(uint64_t address, Allocation& found) const;
    /// The call that has freed the memory at `address` (call_sites.h); 0: none, or not known.
    uint32_t freed_at(uint64_t address) const;
    bool shares_memory() const { return shares_memory_; } ///< has there been memory that host and kernels both reach?
    bool registered_page(uint64_t pages, uint64_t bytes) const; ///< is registered memory in one of these pages?
    uint64_t map_host_block(uint64_t bytes, Allocation::Kind kind, unsigned flags); ///< pinned or managed memory
    void drop_all();                                                                ///< cudaDeviceReset
    /// After a copy with Copy::watch was issued: its host side is watched, or its staging block kept, until released.
    void track_watched(const WatchedCopy& copy);
    void track_staging(uint64_t ticket, uint64_t block);
    /// The same for a copy that the program has called at `site`, whose source is as it was copied into the block.
    void track_staging(uint64_t ticket, uint64_t block, const Box& box, const void* site);

    // --- streams and events (streams.cpp) ---------------------------------------------------------------------------
    /// Throws Failure for a handle that is no stream, or one that is being captured: see graph::put.
    uint64_t stream_id(cudaStream_t stream);
    Stream* stream(cudaStream_t stream); ///< nullptr for the legacy default stream
    cudaStream_t create_stream(unsigned flags, int priority);
    void destroy_stream(cudaStream_t stream);
    Event& event(cudaEvent_t event);
    cudaEvent_t create_event(unsigned flags);
    void destroy_event(cudaEvent_t event);
    /// Work was put into a stream that the program may wait for without calling CUDA.
    void expect_progress();
    /// Puts a function of the program into a stream.
    void host_call(uint64_t stream, std::function<void()> function);
    bool expects_host_calls(); ///< are there functions that have not been called?

    cudaError_t sticky() const { return sticky_; }
    void give_up() { sticky_ = cudaErrorDevicesUnavailable; } ///< cudaDeviceReset after a sticky error
    /// Sends a hazard to the device's reporter. `first` and `second` are code addresses; `second` may be nullptr.
    void report(HostMisuse rule, const void* first, std::string first_action, const void* second,
                std::string second_action, std::string message);
    void report(HostMisuse rule, const CodePlace& first, std::string action, std::string message);
    void report_early_accesses();
    void report_unused_kernels(); ///< if the device has been sent none of the program's code
    void report(HostMisuse rule, const CodePlace& first, std::string first_action, const void* second,
                std::string second_action, std::string message);
    void report(HostMisuse rule, const CodePlace& first, std::string first_action, const CodePlace& second,
                std::string second_action, std::string message);
    /// The operation may use memory that the host shares with it: what its parameters, or `destination`, point to.
    void watch_kernel(uint64_t ticket, std::span<const std::byte> parameters);
    void watch_shared(uint64_t ticket, uint64_t address);
    /// Reports to the device a request that the runtime did not carry out.
    void not_done(NotDone::Kind kind, std::string_view what);
    /// At the end of the program: runs pending operations and prints the remaining reports.
    void finish();

  private:
    Runtime();
    /// Work in streams, which findings may be about.
    template <typename Body>
    static constexpr bool has_site =
        std::is_same_v<Body, Allocate> || std::is_same_v<Body, Copy> || std::is_same_v<Body, Fill> ||
        std::is_same_v<Body, Launch> || std::is_same_v<Body, AllocateAsync> || std::is_same_v<Body, FreeAsync> ||
        std::is_same_v<Body, Release> || std::is_same_v<Body, RecordEvent> || std::is_same_v<Body, StreamWaitEvent> ||
        std::is_same_v<Body, MapHost> || std::is_same_v<Body, UnmapHost>;
    /// `later`: tickets of copies that come after it in stream order.
    void make_host_call(uint64_t token, const std::string& later);
    bool work_until(Target target, uint64_t what, uint32_t how); ///< false: under way, and the host need not wait
    void send_noted_accesses();
    void name_calls(const std::vector<uint32_t>& calls);
    void keep_going();
    template <typename Body>
    static uint64_t source_of(const Body& body) {
        if constexpr (requires { body.source; })
            return body.source;
        else
            return 0;
    }
    void accept(const Reply& reply); ///< prints output, ends the watch over copies
    /// Reports, and throws Failure if the command failed. `memory`: addresses that it is about.
    void received(const Reply& reply, std::initializer_list<uint64_t> memory = {});
    std::unique_ptr<Backend> backend_;
    std::unique_ptr<HostArena> arena_;
    machine::Properties properties_;
    std::atomic<uint32_t> sm_ = 0; ///< 0: not asked for yet
    std::atomic<cudaError_t> sticky_{cudaSuccess};

    std::mutex call_mutex_;
    mutable std::mutex mutex_;
    std::map<uint64_t, Allocation> allocations_;
    std::vector<uint64_t> managed_variables_; ///< any kernel may use them
    struct Freed {
        uint64_t bytes;
        uint32_t call;
    };
    std::map<uint64_t, Freed> freed_; ///< by address
    std::set<Stream*> streams_;
    std::set<Event*> events_;
    struct WaitingCall {
        std::function<void()> function;
        uint32_t site; ///< of the call that put it into a stream
    };
    std::unordered_map<uint64_t, WaitingCall> host_calls_;
    void forget(uint64_t ticket);                    ///< the device has released a copy
    std::unordered_map<uint64_t, uint64_t> tracked_; ///< ticket of a copy -> its staging block, 0 if it is watched
    std::unique_ptr<StagedSources> staged_sources_;
    std::set<uint64_t> released_early_; ///< released before this side knew the ticket
    uint64_t next_token_ = 1;
    std::atomic<bool> shares_memory_{false};

    // A thread that makes progress for programs that wait without calling CUDA: for a host call's effect, or for a
    // kernel to write into mapped memory.
    std::once_flag helper_started_;
    std::thread helper_;
    std::mutex helper_mutex_;
    std::condition_variable helper_wake_;
    bool finished_ = false;
    std::atomic<uint64_t> calls_{0};
};

struct Runtime::Tables {
    std::mutex mutex;
    std::vector<std::unique_ptr<RegisteredModule>> modules;
    std::unordered_map<const void*, std::unique_ptr<RegisteredFunction>> functions;
    std::unordered_map<const void*, std::unique_ptr<RegisteredVariable>> variables;
};

/// Is this thread inside a function that cudaLaunchHostFunc called? CUDA calls are not permitted there.
bool in_host_call();
uint64_t current_host_call(); ///< its token; 0: there is none

/// The error of the last failing call of this thread (cudaGetLastError).
cudaError_t& last_error();

/// Reports that the API function `name` fails. Returns its error.
cudaError_t failed(const char* name, const Failure& failure);

/// Runs the body of an API function: `body` returns nothing and throws Failure. Remembers the error.
cudaError_t run_api(const char* name, const std::function<void()>& body);

/// The body of an API function.
template <typename Body>
cudaError_t api(const char* name, Body&& body) {
    return run_api(name, std::function<void()>(std::ref(body)));
}

[[noreturn]] inline void fail(cudaError_t code, std::string why = {}) {
    throw Failure{code, std::move(why), {}};
}

inline uint64_t to_address(const void* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}
inline void* to_pointer(uint64_t address) {
    return reinterpret_cast<void*>(address);
}

/// For the entry points that nvcc --default-stream per-thread uses: stream 0 means the calling thread's own stream.
inline cudaStream_t per_thread(cudaStream_t stream) {
    return stream ? stream : cudaStreamPerThread;
}

} // namespace sim::cuda
