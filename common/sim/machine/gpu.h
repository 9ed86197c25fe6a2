// The simulated GPU as the layers above it see it: memory, modules, host operations and kernel launches.
// Everything here is synchronous; streams and events (which decide *when* an operation runs and what it is ordered
// after) belong to the layer above.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/events/operation.h"
#include "sim/machine/executed.h"
#include "sim/machine/statistics.h"
#include "sim/memory/allocation.h"
#include "sim/ptx/module.h"

namespace sim::events {
class BarrierLog;
class Conductor;
class Divisible;
class Listener;
struct ReplayedOrder;
} // namespace sim::events
namespace sim::memory {
class GlobalMemory;
}

namespace sim::machine {

class Block;
class BlockAsync;
struct DecodedFunction;
struct Instruction;

struct Dim3 {
    uint32_t x = 1, y = 1, z = 1;
    uint64_t count() const { return uint64_t{x} * y * z; }
    bool operator==(const Dim3&) const = default;
};

/// The modelled device: sm_90 with the limits of an H100, and few SMs so that "more than one wave" stays small.
struct Properties {
    uint32_t sm = 90;
    uint32_t sm_count = 4;
    uint32_t warp_size = 32;
    uint32_t max_threads_per_block = 1024;
    uint32_t max_threads_per_sm = 2048;
    uint32_t max_blocks_per_sm = 32;
    uint32_t registers_per_sm = 65536;
    uint32_t shared_per_sm = 233472;          ///< bytes
    uint32_t shared_per_block = 49152;        ///< bytes without opting in
    uint32_t shared_per_block_optin = 232448; ///< bytes after cudaFuncAttributeMaxDynamicSharedMemorySize
    uint32_t reserved_shared_per_block = 1024;
    Dim3 max_grid{2147483647, 65535, 65535};
    Dim3 max_block{1024, 1024, 64};
    uint32_t max_cluster = 8; ///< 16 with cudaFuncAttributeNonPortableClusterSizeAllowed
    uint64_t total_memory = 80ull << 30;
    uint32_t clock = 1'700'000, memory_clock = 2'600'000; ///< kHz
    uint32_t memory_bus = 0;                              ///< bits; 0: for each SM 40, about its share in an H100
    uint32_t l2_bytes = 50u << 20;
};

/// The modelled device with the limits of the architecture sm (CUDA Programming Guide, "Technical Specifications per
/// Compute Capability").
Properties properties_of(uint32_t sm);

/// How asynchronous work completes and how warps interleave. Every schedule is deterministic for its seed.
struct Schedule {
    enum class Completion : uint8_t { lazy, eager, random };
    enum class Warps : uint8_t { round_robin, one_ahead, random };
    Completion completion = Completion::lazy;
    Warps warps = Warps::round_robin;
    uint64_t seed = 1;
};

struct Options {
    Properties properties;
    Schedule schedule;
    bool detect = true;                           ///< run the hazard detector
    uint64_t max_instructions = 20'000'000'000;   ///< thread-instructions per launch; beyond: Fault::runaway
    const std::atomic<bool>* interrupt = nullptr; ///< once true, a launch ends with Fault::runaway
    std::function<void(std::string_view)> output; ///< device printf
    /// Makes a listener that receives every event that the hazard detector receives; empty: there is none.
    std::function<std::unique_ptr<events::Listener>()> listener;
    bool protocol = false;                               ///< explore other orders of barrier operations, too
    std::shared_ptr<const events::ReplayedOrder> replay; ///< an order of barrier operations to follow, if any
    events::BarrierLog* log = nullptr;                   ///< of barrier operations; nullptr: there is none
    events::Conductor* conductor = nullptr;              ///< nullptr: any order will do
    uint32_t cores = 1; ///< on which blocks that do not communicate may run side by side, in processes of their own
    double undivided = 0.05;       ///< seconds of processor time that a launch takes before that
    uint64_t alone = 1u << 20;     ///< warp instructions of a launch before one that could run as well should begin
    ptx::Parsed* parsed = nullptr; ///< modules that earlier devices have loaded; nullptr: none are remembered
};

/// The parts of a device above the machine (see device/).
struct Parts {
    std::unique_ptr<BlockAsync> (*asynchronous_units)(Block&) = nullptr; ///< of a new block
    const Instruction* (*find_instruction)(std::string_view opcode) = nullptr;
};

using events::CallSite;
using events::LostWait;
using events::OperationId;
using events::Order;

/// Why an operation could not be carried out. The layer above turns it into a CUDA error code.
enum class Fault : uint8_t {
    none,
    illegal_address,
    misaligned_address,
    illegal_instruction,
    trap,            ///< trap instruction, or __trap()
    assertion,       ///< device assert()
    not_implemented, ///< an instruction or feature the simulated device does not have
    deadlock,
    runaway, ///< more instructions than Options::max_instructions, or interrupted
};

struct Outcome {
    Fault fault = Fault::none;
    std::string message; ///< for people: what, and where in the source
    explicit operator bool() const { return fault == Fault::none; }
};

using memory::AllocationKind;

struct LaunchConfig {
    Dim3 grid, block;
    Dim3 cluster{1, 1, 1};
    uint32_t dynamic_shared = 0; ///< bytes
    bool cooperative = false;    ///< all blocks co-resident
};

/// A loaded module: PTX with its variables placed in device memory and its functions decoded on first use.
class LoadedModule;

/// Why launches that run stop for a moment.
enum class Pause : uint8_t {
    ended,   ///< one has ended
    busy,    ///< they have run for a while: another launch may begin, if it could run as well
    stalled, ///< they wait for something that none of them does
};

/// A kernel of a loaded module, with the attributes that cudaFuncGetAttributes reports.
struct Kernel {
    LoadedModule* module = nullptr;
    const ptx::Function* function = nullptr;
    uint32_t static_shared = 0; ///< bytes
    uint32_t local_bytes = 0;   ///< per thread
    uint32_t registers = 0;     ///< estimated 32-bit registers per thread
    uint32_t parameter_bytes = 0;
    uint32_t max_threads = 1024;
};

struct Ended {
    OperationId launch = 0; ///< 0: none has
    Outcome outcome;
    Statistics statistics;
};

class Gpu {
  public:
    Gpu(Options options, const Parts& parts);
    ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    const Properties& properties() const;
    Options& options(); ///< changes take effect at the next launch

    // --- memory ---------------------------------------------------------------------------------------------------
    /// A new allocation of `bytes` (> 0) bytes, 512-byte aligned, contents undefined (0xDB). 0 when memory is
    /// exhausted.
    uint64_t allocate(uint64_t bytes, AllocationKind kind = AllocationKind::device, std::string label = {});
    /// Frees an allocation by its first address. False if it is not the start of a live allocation.
    bool release(uint64_t address, std::string_view by = {}, CallSite at = 0);
    /// The call that has allocated it, for reports about its use after it has been freed.
    void allocated_at(uint64_t address, CallSite site);
    /// Lets the device reach `bytes` of host memory at device address `address`; `data` is where the device reads it.
    void map_host(uint64_t address, std::byte* data, uint64_t bytes, AllocationKind kind);
    /// `freed_at`: the call that frees it; 0: it remains host memory.
    void unmap_host(uint64_t address, CallSite freed_at = 0);
    struct Range {
        uint64_t address = 0, bytes = 0;
        AllocationKind kind = AllocationKind::device;
    };
    /// The live allocation that holds `address`; bytes == 0 if there is none.
    Range range(uint64_t address) const;
    uint64_t free_bytes() const;
    /// How many bytes threads have loaded from each allocation since forget_loads(), by its address; copies do not
    /// count.
    std::map<uint64_t, uint64_t> loads() const;
    void forget_loads();

    // --- host operations; each is one OperationId ----------------------------------------------------------------
    OperationId next_operation() const; ///< the id that the next operation will get
    Outcome write(uint64_t destination, std::span<const std::byte> source, const Order&, std::string_view what);
    Outcome read(std::span<std::byte> destination, uint64_t source, const Order&, std::string_view what);
    Outcome copy(uint64_t destination, uint64_t source, uint64_t bytes, const Order&, std::string_view what);
    /// Sets `count` elements of `width` (1, 2 or 4) bytes.
    Outcome fill(uint64_t destination, uint32_t value, uint32_t width, uint64_t count, const Order&,
                 std::string_view what);
    /// The host reads or writes the bytes at these addresses of host memory, directly.
    void touch(std::span<const uint64_t> addresses, bool write, const Order&);
    /// From now on the memory exists in stream order: from allocated() until free(). `site`: the call that allocates
    /// it; 0: it has existed before.
    void in_stream_order(uint64_t address, CallSite site);
    bool is_in_stream_order(uint64_t address) const;
    void allocated(uint64_t address, const Order&);
    /// The memory may not be used from here on; release() follows when nothing can use it any more.
    void free(uint64_t address, const Order&, std::string_view what);
    bool is_freed(uint64_t address) const;
    /// For checkers: the current bytes of a live allocation, without counting as an access. Throws std::out_of_range if
    /// [address, address + bytes) is not inside one.
    std::span<std::byte> peek(uint64_t address, uint64_t bytes);

    // --- modules and kernels --------------------------------------------------------------------------------------
    /// Parses the declarations and places the variables. Throws ptx::ParseError.
    LoadedModule& load(std::string_view ptx_text);
    void unload(LoadedModule&);
    /// nullptr-like Kernel (function == nullptr) when the module has no such entry.
    Kernel kernel(LoadedModule&, std::string_view name);
    /// Address and size of a module variable; bytes == 0 if it does not exist.
    Range variable(LoadedModule&, std::string_view name);

    /// Begins a launch, which gets the id next_operation(). It runs in advance(), beside the launches that have begun
    /// before and not ended. `parameters` is the parameter block (Kernel::parameter_bytes). Limits (block size, shared
    /// memory) have been checked by the caller. `place`: in the order of launch; where the device has no room for all
    /// blocks, smaller ones go first.
    Outcome begin(const Kernel&, const LaunchConfig&, std::span<const std::byte> parameters, const Order&,
                  uint64_t place);
    /// Lets all launches that have begun run, until one has ended or something else should have a chance.
    Pause advance();
    /// After Pause::stalled: nothing will come to their help. Ends them with Fault::deadlock or Fault::runaway.
    void give_up();
    Ended take_ended(); ///< after Pause::ended or give_up()
    /// Begins a launch and runs it to its end; nothing else may run.
    Outcome launch(const Kernel&, const LaunchConfig&, std::span<const std::byte> parameters, const Order&);

    const Statistics& statistics() const; ///< of the launch that ended last
    /// What all launches so far have executed.
    Executed executed() const;
    /// The decoded function that holds a device-wide pc; nullptr: there is none.
    DecodedFunction* function_at(uint32_t pc) const;

  protected:
    /// From now on the listener receives events, while Options::detect is set.
    void listen(events::Listener& listener);
    /// From now on launches may run in parts (division.h): beside the machine itself, these keep something of them.
    /// None: they may not.
    void divide(std::vector<events::Divisible*> keepers);
    memory::GlobalMemory& memory();
    /// The live allocation that holds the range; nullptr: there is none.
    memory::Allocation* live(uint64_t address, uint64_t bytes) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace sim::machine
