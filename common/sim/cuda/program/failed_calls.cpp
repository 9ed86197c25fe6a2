#include "sim/cuda/program/failed_calls.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/auxv.h>
#include <unwind.h>

#include "sim/cuda/program/driver/driver.h"
#include "sim/cuda/program/driver/entry_points.h"
#include "sim/cuda/program/returned_value.h"
#include "sim/cuda/program/session.h"

// Where the code of this runtime begins and ends: merge_object.py.
extern "C" __attribute__((visibility("hidden"))) const char asynclab_code_begin[], asynclab_code_end[];

namespace sim::cuda {

namespace {

struct Failed {
    CodePlace place;
    std::string action;    ///< empty: nothing has failed
    std::string message;   ///< the error, and why
    uint32_t freed_at = 0; ///< Failure::freed_at
};
thread_local Failed pending;                      // what last_error() stands for, until the program looks at it
thread_local const void* launching = nullptr;     // see LaunchSite
thread_local const void* run_by_stream = nullptr; // see run_program_function

constexpr const char* looked_at = "The program looks at the error.";
constexpr const char* not_looked_at = "Nothing in the program looks at the error.";
constexpr const char* not_looked_at_launch =
    "Only cudaGetLastError and cudaPeekAtLastError show it, and the program calls neither before it ends or another "
    "call fails.";

bool is_ours(const void* code) {
    if (code >= asynclab_code_begin && code < asynclab_code_end)
        return true;
    Dl_info library{}; // the driver's, which calls the runtime's
    return dladdr(code, &library) && library.dli_fname && std::strstr(library.dli_fname, "/libcuda.so.1");
}

/// The call that the program is making.
struct ProgramCall {
    const void* site = nullptr; ///< where it returns to; nullptr: not known
    std::string function;       ///< of the driver; empty: another one
    bool result_used = true;
};

/// "cuMemFree" for code of cuMemFree_v2.
std::string driver_function_with(const void* code) {
    const void* begin = _Unwind_FindEnclosingFunction(const_cast<void*>(code));
    for (const DriverFunction& one : driver_functions())
        if (one.address == begin)
            return std::string(one.name.substr(0, one.name.find("_v")));
    return {};
}

const void* base_of_file_with(const void* code) {
    Dl_info file{};
    return dladdr(code, &file) ? file.dli_fbase : nullptr;
}

// A wrapper that returns the result leaves it to its own caller to look at it. A library such as libffi hands it to
// another language, where nothing here can follow it.
bool result_used(void* const* frames, void* const* end) {
    static const void* const program = base_of_file_with(reinterpret_cast<const void*>(getauxval(AT_ENTRY)));
    for (; frames != end && base_of_file_with(*frames) == program; ++frames)
        if (const ResultUse use = use_of_result(static_cast<const uint8_t*>(*frames)); use != ResultUse::returned)
            return use == ResultUse::used;
    return true;
}

bool is_run_program_function(const void* code) {
    return _Unwind_FindEnclosingFunction(const_cast<void*>(code)) ==
           reinterpret_cast<const void*>(&run_program_function);
}

ProgramCall program_call() {
    void* frames[64];
    void** const end = frames + backtrace(frames, int(std::size(frames)));
    void** const first = std::find_if(frames, end, is_ours); // the runtime of the language may come first
    void** at = std::find_if_not(first, end, is_ours);
    // A call that the compiler has made a jump has no frame: it is the last one of the function that the stream runs.
    if (run_by_stream && std::any_of(first, at, is_run_program_function))
        return {static_cast<const char*>(run_by_stream) + 1, {}};
    if (at == frames || at == end)
        return {};
    return {*at, driver_function_with(at[-1]), result_used(at, end)};
}

CodePlace place_of(const void* site) {
    static auto& places = *new std::map<const void*, CodePlace>; // a program may make the same call again and again
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    const auto [at, fresh] = places.try_emplace(site);
    if (fresh)
        at->second = calling_place(site);
    return at->second;
}

/// "CUDA_ERROR_INVALID_VALUE" for a function of the driver.
std::string error_name(std::string_view function, cudaError_t code) {
    const char* name = nullptr;
    if (function.starts_with("cu") && !function.starts_with("cuda"))
        cuGetErrorName(as_driver(code), &name);
    return name ? name : cudaGetErrorName(code);
}

// Answers to questions, and states that programs reckon with.
bool expected(std::string_view function, cudaError_t code) {
    switch (code) {
    case cudaErrorNotReady:
    case cudaErrorPeerAccessAlreadyEnabled:
    case cudaErrorPeerAccessNotEnabled:
    case cudaErrorHostMemoryAlreadyRegistered:
    case cudaErrorSetOnActiveProcess:
    case cudaErrorCudartUnloading:
    case cudaErrorNotSupported: // what the simulated device does not have is reported as that
        return true;
    default:
        break;
    }
    constexpr std::string_view questions[] = {
        "Attribute",        "Occupancy", "Query",         "EntryPoint",    "ProcAddress", "AddressRange",  "GetFlags",
        "GetDevicePointer", "ParamInfo", "CanAccessPeer", "GetDeviceProp", "IsCapturing", "GetCaptureInfo"};
    return !function.ends_with("SetAttribute") && std::ranges::any_of(questions, [&](std::string_view part) {
        return function.find(part) != std::string_view::npos;
    });
}

} // namespace

[[gnu::noinline]] void run_program_function(const void* function, const std::function<void()>& call) {
    run_by_stream = function;
    call();
    run_by_stream = nullptr; // after the call, which is therefore no jump
}

LaunchSite::LaunchSite(const void* site) {
    launching = site;
}
LaunchSite::~LaunchSite() {
    launching = nullptr;
}

namespace {

void report(HostMisuse kind, const Failed& failed, const std::string& and_then) {
    Runtime& runtime = Runtime::get();
    if (failed.freed_at)
        runtime.report(kind, failed.place, failed.action, call_sites::place(failed.freed_at),
                       "the memory is freed here", failed.message + and_then);
    else
        runtime.report(kind, failed.place, failed.action, failed.message + and_then);
}

} // namespace

CodePlace place_of_call() {
    return place_of(program_call().site);
}

bool report_failed_call(const char* function, const Failure& failure) {
    pending = {}; // what it was is hidden now
    Runtime& runtime = Runtime::get();
    const ProgramCall call = program_call();
    const std::string name = call.function.empty() ? function : call.function;
    if ((!in_host_call() && expected(name, failure.code)) || runtime.sticky() == failure.code)
        return false;
    Failed now{place_of(launching ? launching : call.site), name + " fails", error_name(name, failure.code),
               failure.freed_at};
    now.message += (failure.why.empty() ? "" : ": " + failure.why) + ". ";
    if (!failure.kernel.empty()) {
        now.action = "the launch of " + failure.kernel + " is refused";
        runtime.not_done(NotDone::Kind::launch, failure.kernel);
    }
    if (in_host_call()) { // whatever the program does with the error
        report(HostMisuse::failed_call, now, "There it may wait for itself.");
    } else if (!launching && call.result_used) {
        report(HostMisuse::failed_call_looked_at, now, looked_at);
    } else if (failure.code == cudaErrorInvalidDevice) { // which another machine may have
        report(HostMisuse::failed_call_looked_at, now, "The simulated device is the only one.");
    } else {
        report(HostMisuse::failed_call, now, launching ? not_looked_at_launch : not_looked_at);
        pending = std::move(now);
    }
    return true;
}

void last_error_read(const void* site) {
    if (pending.action.empty())
        return;
    const Failed failed = std::exchange(pending, {});
    void* frames[64];
    void** const end = frames + backtrace(frames, int(std::size(frames)));
    if (result_used(std::find(frames, end, site), end))
        report(HostMisuse::failed_call_looked_at_later, failed, looked_at);
}

} // namespace sim::cuda
