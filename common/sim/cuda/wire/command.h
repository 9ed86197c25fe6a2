// The protocol between the CUDA runtime in a program and a device: every command with its fields and its answer.
//
// A request is a Header, one of the plain structs below and a payload (a name or a parameter block). Bulk data never
// travels in a request: it is in memory that both sides share (from host_base on), so requests are small and bounded.
// The device trusts nothing in them.
//
// To add a command, write its struct here, add it to `Commands`, and define Service::carry_out and RealGpu::carry_out
// for it in a file of commands/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
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

constexpr uint32_t protocol_version = 2;
/// The size of one module: more than any compiler writes.
constexpr uint64_t max_ptx_bytes = uint64_t{256} << 20;
constexpr uint32_t max_body = 256, max_payload = 64 << 10, max_released = 4096, max_calls = 256;

/// Status of a program that the simulated device could not run (no PTX, a function it does not have). Programs hardly
/// ever choose it themselves.
constexpr int exit_not_supported = 214;

/// The number of a command on the wire; see command_of.
enum class Command : uint32_t {};

struct Header {
    Command command;
    uint32_t body_bytes;
    uint32_t payload_bytes;
    uint32_t call = 0; ///< of the program, that sends the command: a number of its own, see NameCall
};

using Payload = std::span<const std::byte>;

// --- Commands ---
// Addresses and handles are the device's numbers, sizes are in bytes. `Result` is the answer; a command that only
// succeeds or fails has none. All fields are plain: the struct itself is what travels.

/// The answer to work in a stream: tickets count in the order of issue.
struct Ticket {
    uint64_t ticket;
};

/// Answer payload: machine::Properties, for a simulated device without its `sm`: see Architecture.
struct Hello {
    using Result = void;
    uint32_t version = protocol_version;
    uint32_t reserved = 0;
};
/// The device's `sm`. A program that has not asked for it cannot distinguish devices that differ in nothing else, so a
/// checker need not run it on each of them.
struct Architecture {
    struct Result {
        uint64_t sm;
    };
    uint64_t reserved = 0;
};
struct Allocate {
    struct Result {
        uint64_t address;
    };
    uint64_t bytes;
};
/// Memory that exists from here on in the order of the stream.
struct AllocateAsync {
    struct Result {
        uint64_t address;
    };
    uint64_t stream, bytes;
    uint64_t address = 0; ///< memory that Allocate has set aside for a graph, which may be freed and allocated again
};
/// Memory of AllocateAsync is freed at once, whatever the streams do with it.
struct Release {
    using Result = void;
    uint64_t address;
};
struct MapHost {
    using Result = void;
    uint64_t address; ///< where the device sees it; page-aligned unless it is `shared`
    uint64_t shared;  ///< its address, inside [host_base, + host_bytes)
    uint64_t bytes;
    uint32_t managed;
    uint32_t reserved = 0;
};
struct UnmapHost {
    using Result = void;
    uint64_t address;
};
struct LoadModule {
    struct Result {
        uint64_t module;
    };
    uint64_t text, bytes; ///< PTX in staging memory
};
struct UnloadModule {
    using Result = void;
    uint64_t module;
};
/// Payload: the kernel's name. Answer payload: uint32_t[], three for the cluster size that __cluster_dims__ asks for
/// (0: none), then offset and bytes of each parameter in the parameter block.
struct FindKernel {
    struct Result {
        uint64_t kernel, static_shared, local_bytes, registers, parameter_bytes, max_threads;
    };
    uint64_t module;
};
/// Payload: the variable's name.
struct FindVariable {
    struct Result {
        uint64_t address, bytes;
    };
    uint64_t module;
};
/// A __managed__ variable, before anything uses it, gets the memory that MapHost has put there. Payload: its name.
struct PlaceManaged {
    using Result = void;
    uint64_t module, address;
};
struct CreateStream {
    struct Result {
        uint64_t stream;
    };
    uint32_t nonblocking;
    int32_t priority;
};
struct DestroyStream {
    using Result = void;
    uint64_t stream;
};
struct CreateEvent {
    struct Result {
        uint64_t event;
    };
    uint32_t timing;
    uint32_t reserved = 0;
};
struct DestroyEvent {
    using Result = void;
    uint64_t event;
};

/// The legacy default stream; other streams get larger numbers.
constexpr uint64_t legacy_stream = 1;

/// `depth` slices of `height` rows of `width` bytes. Either side may be device memory or mapped host memory.
struct Copy {
    using Result = Ticket;
    uint64_t stream;
    uint64_t destination, source;
    uint64_t width, height, depth;
    uint64_t destination_pitch, source_pitch; ///< bytes from one row to the next
    uint64_t destination_slice, source_slice; ///< bytes from one slice to the next
    uint32_t staged;                          ///< the host side is the runtime's staging memory, not the program's
    uint32_t watch; ///< 1: report (Reply::released) when the host is ordered after the copy; 2: when it has run
};
struct Fill {
    using Result = Ticket;
    uint64_t stream;
    uint64_t destination;
    uint64_t count, height, pitch; ///< elements in a row, rows, bytes from one row to the next
    uint32_t value, element_bytes; ///< elements of 1, 2 or 4 bytes
    uint32_t watch = 0;            ///< as Copy::watch
    uint32_t reserved = 0;
};
/// Payload: the parameter block.
struct Launch {
    using Result = Ticket;
    uint64_t stream, kernel;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared;
    uint32_t cooperative;
    uint32_t max_shared; ///< granted with cudaFuncAttributeMaxDynamicSharedMemorySize
    /// cudaLaunchAttributeProgrammaticStreamSerialization; 2: edges of a graph have said so (StreamWaitEvent::port)
    uint32_t programmatic;
    uint32_t watch; ///< as Copy::watch
};
/// A function of the program in a stream: Wait and Query say when it is to be called, HostCallDone that it returned.
struct HostCall {
    using Result = Ticket;
    uint64_t stream, token;
};
struct HostCallDone {
    using Result = void;
    uint64_t token;
};
struct FreeAsync {
    using Result = Ticket;
    uint64_t stream, address;
};
struct RecordEvent {
    using Result = void;
    uint64_t event, stream;
};
/// From when on a kernel may start that depends on another one: cudaGraphKernelNodePortDefault, ...PortProgrammatic,
/// ...PortLaunchCompletion.
enum class Port : uint32_t { complete, triggered, begun };
struct StreamWaitEvent {
    using Result = void;
    uint64_t stream, event;
    /// Not `complete`: the event is recorded behind a kernel, and the next kernel in the stream may start from then on.
    /// A device may let it start later.
    Port port = Port::complete;
    uint32_t reserved = 0;
};
enum class Target : uint32_t { stream, event, device };
struct Query {
    struct Result {
        uint64_t complete;
        uint64_t host_call; ///< not complete: token of a host call that has to be made now, or 0
    };
    Target target;
    uint32_t reserved = 0;
    uint64_t what;
};
/// Runs the operations that the target needs.
struct Wait {
    enum class State : uint64_t {
        complete,
        host_call, ///< the program must make host call `token` and ask again
        ask_again, ///< another thread of the program is making it
        under_way, ///< in_background: kernels run on, perhaps until the host writes what they poll
    };
    struct Result {
        State state;
        uint64_t token;
    };
    /// background: only make progress; the host does not become ordered after the work. staged: the host waits for the
    /// last copy from staging memory in the stream `what`, as cudaMemcpy from pageable memory does.
    enum : uint32_t { by_host, in_background, until_staged };
    Target target;
    uint32_t background;
    uint64_t what;
};
struct Elapsed {
    struct Result {
        int64_t nanoseconds; ///< from first to second
    };
    uint64_t first, second;
};
struct MemoryInfo {
    struct Result {
        uint64_t free, total; ///< bytes
    };
    uint64_t reserved = 0;
};

/// Hazards that only the program's side can see.
using events::HostMisuse;
/// A hazard for the device's reporter. Payload: five texts, each ended by a zero byte: the file and the action of the
/// first place, those of the second one, and the message. A line of 0: the place is not known.
struct Report {
    using Result = void;
    HostMisuse misuse;
    uint32_t first_line, second_line;
    uint32_t reserved = 0;
};

/// The host has touched memory that kernels may use, which were not known to be complete. Payload: the addresses, a
/// uint64_t each.
struct HostAccess {
    using Result = void;
    uint32_t write; ///< else it read
    uint32_t reserved = 0;
    uint64_t host_call; ///< token of the host call that did so; 0: none
};
/// Which line of the program has made this call. Payload: two texts, each ended by a zero byte: the file (empty: not
/// known), and a name for the place.
struct NameCall {
    using Result = void;
    uint32_t call, line;
};

/// Something that the runtime was asked for and has not done. Payload: the name of the function or kernel; of a
/// function also, after a zero byte, the file and line of the call.
struct NotDone {
    using Result = void;
    enum class Kind : uint32_t {
        function, ///< refused with cudaErrorNotSupported
        watch,    ///< more copies are in flight than the runtime guards the host's side of
        launch,   ///< of a kernel, which was refused
        kernel,   ///< of the program, none of whose kernels was looked up
        count,
    } kind;
    uint32_t reserved = 0;
};

/// A tensor map as a real GPU's driver encodes it from the parameters of cuTensorMapEncodeTiled and its kin. Answer
/// payload: the map. The simulated device does not use it: it has its own maps (async/tensor_map.h).
struct EncodeMap {
    using Result = void;
    enum class Kind : uint32_t { tiled, im2col, replace_address } kind; ///< payload of the last: the map
    uint32_t type, rank, interleave, swizzle, l2_promotion, fill;
    uint32_t channels, pixels;
    uint32_t box[5], element_stride[5];
    int32_t lower[3], upper[3];
    uint32_t reserved;
    uint64_t address;
    uint64_t dim[5], stride[4];
};

// --- The list ---

template <typename... Bodies>
struct CommandList {
    static constexpr uint32_t count = sizeof...(Bodies);
    // No padding, so that a request is the same bytes whenever its fields are the same.
    static_assert(((std::has_unique_object_representations_v<Bodies> && sizeof(Bodies) <= max_body) && ...));

    template <typename Body>
    static consteval uint32_t number() {
        constexpr bool same[] = {std::is_same_v<Body, Bodies>...};
        static_assert((std::is_same_v<Body, Bodies> + ...) == 1, "add the command to sim::cuda::Commands, once");
        uint32_t at = 0;
        while (!same[at])
            ++at;
        return at;
    }
};

/// All commands; their places are their numbers on the wire.
using Commands =
    CommandList<Hello, Allocate, Release, MapHost, UnmapHost, LoadModule, UnloadModule, FindKernel, FindVariable,
                CreateStream, DestroyStream, CreateEvent, DestroyEvent, Copy, Fill, Launch, HostCall, HostCallDone,
                FreeAsync, RecordEvent, StreamWaitEvent, Query, Wait, Elapsed, MemoryInfo, Report, NotDone, EncodeMap,
                Architecture, AllocateAsync, HostAccess, NameCall, PlaceManaged>;

/// The number of the command with this body. Does not compile for a struct that is not in the list.
template <typename Body>
constexpr Command command_of = static_cast<Command>(Commands::number<Body>());

// --- Replies ---

/// `error` is a CUDA error code. A sticky error (the device is lost) is repeated in every reply.
struct Reply {
    uint32_t error = 0;
    uint32_t sticky = 0;            ///< the error that ended the device's life, or 0
    uint64_t values[6] = {};        ///< the command's Result
    std::vector<uint64_t> released; ///< tickets of watched copies that the host is now ordered after
    std::vector<uint32_t> calls;    ///< of the program, that findings are about: NameCall is to name them
    std::string output;             ///< what kernels printed
    std::string message;            ///< why it failed, for people
    std::string payload;

    template <typename Result>
    void set(const Result& result) {
        static_assert(std::has_unique_object_representations_v<Result> && sizeof result <= sizeof values);
        std::memcpy(values, &result, sizeof result);
    }
};

/// A reply with the command's own answer: all zero when the command failed.
template <typename Body, typename Result = typename Body::Result>
struct Answer : Reply {
    Result result{};
    explicit Answer(Reply reply) : Reply(std::move(reply)) { std::memcpy(&result, values, sizeof result); }
};
template <typename Body>
struct Answer<Body, void> : Reply {
    explicit Answer(Reply reply) : Reply(std::move(reply)) {}
};

} // namespace sim::cuda
