// What the CUDA runtime in a program asks of the device service, and what it gets back.
//
// A request is a Header, one of the plain structs below and a payload (a name or a parameter block). Bulk data never
// travels in a request: it lies in memory that both sides share (from host_base on), so requests are small and bounded.
// The service trusts nothing in them.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/events/host_misuse.h"

namespace sim::cuda {

/// Device memory is handed out from here. Programs reserve it without access, so that a host access is a crash.
constexpr uint64_t device_base = 0x100000000000, device_bytes = uint64_t{1} << 40;
/// Memory that host and device share (pinned, mapped, managed, staging): host address == device address.
constexpr uint64_t host_base = 0x180000000000;
constexpr uint64_t host_bytes = uint64_t{16} << 30;

constexpr uint32_t protocol_version = 1;
constexpr uint32_t max_body = 256, max_payload = 64 << 10, max_released = 4096;

/// Status of a program that the simulated device could not run (no PTX, an instruction it does not have).
constexpr int exit_not_supported = 4;

enum class Command : uint32_t {
    hello,
    allocate,
    release,
    map_host,
    unmap_host,
    load_module,
    unload_module,
    find_kernel,
    find_variable,
    create_stream,
    destroy_stream,
    create_event,
    destroy_event,
    copy,
    fill,
    launch,
    host_call,
    host_call_done,
    free_async,
    record_event,
    stream_wait_event,
    query,
    wait,
    elapsed,
    memory_info,
    report,
    encode_map,
    count
};

struct Header {
    Command command;
    uint32_t body_bytes;
    uint32_t payload_bytes;
    uint32_t reserved = 0;
};

struct Hello { // reply payload: machine::Properties
    static constexpr Command id = Command::hello;
    uint32_t version = protocol_version;
    uint32_t reserved = 0;
};
struct Allocate { // reply: address
    static constexpr Command id = Command::allocate;
    uint64_t bytes;
};
struct Release {
    static constexpr Command id = Command::release;
    uint64_t address;
};
struct MapHost {
    static constexpr Command id = Command::map_host;
    uint64_t address; ///< where the device sees it; page-aligned unless it is `shared`
    uint64_t shared;  ///< where it lies, inside [host_base, + host_bytes)
    uint64_t bytes;
    uint32_t managed;
    uint32_t reserved = 0;
};
struct UnmapHost {
    static constexpr Command id = Command::unmap_host;
    uint64_t address;
};
struct LoadModule { // reply: module
    static constexpr Command id = Command::load_module;
    uint64_t text, bytes; ///< PTX in staging memory
};
struct UnloadModule {
    static constexpr Command id = Command::unload_module;
    uint64_t module;
};
struct FindKernel { // payload: name; reply: kernel, static shared, local, registers, parameter bytes, max threads
    static constexpr Command id = Command::find_kernel;
    uint64_t module;
};
struct FindVariable { // payload: name; reply: address, bytes
    static constexpr Command id = Command::find_variable;
    uint64_t module;
};
struct CreateStream { // reply: stream
    static constexpr Command id = Command::create_stream;
    uint32_t nonblocking;
    int32_t priority;
};
struct DestroyStream {
    static constexpr Command id = Command::destroy_stream;
    uint64_t stream;
};
struct CreateEvent { // reply: event
    static constexpr Command id = Command::create_event;
    uint32_t timing;
    uint32_t reserved = 0;
};
struct DestroyEvent {
    static constexpr Command id = Command::destroy_event;
    uint64_t event;
};

/// The legacy default stream; other streams get larger numbers.
constexpr uint64_t legacy_stream = 1;

/// `depth` slices of `height` rows of `width` bytes. Either side may be device memory or mapped host memory.
struct Copy { // reply: ticket
    static constexpr Command id = Command::copy;
    uint64_t stream;
    uint64_t destination, source;
    uint64_t width, height, depth;
    uint64_t destination_pitch, source_pitch;
    uint64_t destination_slice, source_slice; ///< bytes from one slice to the next
    uint32_t staged;                          ///< the host side is the runtime's staging memory, not the program's
    uint32_t watch; ///< 1: tell (Reply::released) when the host is ordered after the copy; 2: when it has run
};
struct Fill { // reply: ticket
    static constexpr Command id = Command::fill;
    uint64_t stream;
    uint64_t destination;
    uint64_t count, height, pitch; ///< elements in a row, rows, bytes from one row to the next
    uint32_t value, element_bytes;
};
struct Launch { // payload: parameters; reply: ticket
    static constexpr Command id = Command::launch;
    uint64_t stream, kernel;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared;
    uint32_t cooperative;
    uint32_t max_shared; ///< granted with cudaFuncAttributeMaxDynamicSharedMemorySize
};
struct HostCall { // reply: ticket
    static constexpr Command id = Command::host_call;
    uint64_t stream, token;
};
struct HostCallDone {
    static constexpr Command id = Command::host_call_done;
    uint64_t token;
};
struct FreeAsync {
    static constexpr Command id = Command::free_async;
    uint64_t stream, address;
};
struct RecordEvent {
    static constexpr Command id = Command::record_event;
    uint64_t event, stream;
};
struct StreamWaitEvent {
    static constexpr Command id = Command::stream_wait_event;
    uint64_t stream, event;
};
enum class Target : uint32_t { stream, event, device };
struct Query { // reply: 1 when complete, else 0 and the token of a host call that has to be made now, or 0
    static constexpr Command id = Command::query;
    Target target;
    uint32_t reserved = 0;
    uint64_t what;
};
/// Runs what the target needs. Reply: 0 done; 1 the program must make host call `token` and ask again; 2 ask again
/// later.
struct Wait {
    static constexpr Command id = Command::wait;
    Target target;
    uint32_t background; ///< only make progress: the host does not become ordered after the work
    uint64_t what;
};
struct Elapsed { // reply: nanoseconds (int64) from first to second
    static constexpr Command id = Command::elapsed;
    uint64_t first, second;
};
struct MemoryInfo { // reply: free bytes, total bytes
    static constexpr Command id = Command::memory_info;
    uint64_t reserved = 0;
};

/// Hazards that only the program's side can see.
using events::HostMisuse;
/// A hazard for the device's reporter. Payload: five texts, each ended by a zero byte: the file and the action of the
/// first place, those of the second one, and the message. A line of 0: the place is not known.
struct Report {
    static constexpr Command id = Command::report;
    HostMisuse misuse;
    uint32_t first_line, second_line;
    uint32_t reserved = 0;
};

/// What a real GPU's driver makes of the parameters of cuTensorMapEncodeTiled and its kin. Reply payload: the map.
/// The simulated device has no use for it: its maps are its own (async/tensor_map.h).
struct EncodeMap {
    static constexpr Command id = Command::encode_map;
    enum class Kind : uint32_t { tiled, im2col, replace_address } kind; ///< payload of the last: the map
    uint32_t type, rank, interleave, swizzle, l2_promotion, fill;
    uint32_t channels, pixels;
    uint32_t box[5], element_stride[5];
    int32_t lower[3], upper[3];
    uint64_t address;
    uint64_t dim[5], stride[4];
};

/// `error` is a CUDA error code. A sticky error (the device is lost) is repeated in every reply.
struct Reply {
    uint32_t error = 0;
    uint32_t sticky = 0; ///< the error that ended the device's life, or 0
    uint64_t values[6] = {};
    std::vector<uint64_t> released; ///< tickets of watched copies that the host is now ordered after
    std::string output;             ///< what kernels printed
    std::string message;            ///< why it failed, for people
    std::string payload;
};

} // namespace sim::cuda
