// What one block, or one cluster, did: steps in the order in which the device executed them, and what each step
// changed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/ptx/module.h"

namespace sim::stepper {

inline constexpr uint32_t none = UINT32_MAX;

/// The names of Step::Kind, in its order, as the page knows them.
inline constexpr std::string_view kinds[] = {
    "read",         "write",     "atomic",     "copy",        "commit",    "wait_group", "arrive", "complete",
    "cluster_pass", "init",      "mbarrier",   "m_arrive",    "m_track",   "m_copies",   "blocks", "m_pass",
    "m_end",        "bulk_load", "bulk_store", "bulk_commit", "bulk_wait", "landed",     "fence",  "proxy_fence",
    "warp_sync",    "map_fence", "map_copy",   "t_alloc",     "t_free",    "t_issue",    "t_done", "t_access",
    "t_wait",       "t_commit",  "t_arrive",   "t_fence",     "misuse",    "exit",
};

/// The fields of a tensor map as tensormap.replace names them, in the order of MapState::fields.
inline constexpr std::string_view map_fields[] = {
    "global_address", "rank",           "elemtype",          "global_dim",   "global_stride",
    "box_dim",        "element_stride", "interleave_layout", "swizzle_mode", "fill_mode",
};

struct ThreadsOf {
    uint32_t block = 0, warp = 0, mask = 0;
};

/// Bytes of shared memory.
struct Range {
    uint32_t begin = 0, end = 0;
    bool operator==(const Range&) const = default;
};

/// Cells of 32 bits of Tensor Memory: lanes × columns.
struct Cells {
    uint32_t block = 0; ///< Recording::blocks
    uint32_t lane = 0, lanes = 0, column = 0, columns = 0;
    uint32_t written = 0; ///< 1; 0: read
    bool operator==(const Cells&) const = default;
};

/// Where lanes that wait would arrive if they went on: at most a few places.
struct Ahead {
    ThreadsOf who;
    std::vector<uint32_t> mbarriers, barriers; ///< Recording::places
};

struct BarrierState {
    uint32_t barrier = 0; ///< Recording::barriers
    uint32_t pending = 0, phase = 0, expected = 0;
    int64_t tx = 0;
    bool operator==(const BarrierState&) const = default;
};

/// Lanes of a warp that are at the same place.
struct FragmentState {
    enum class Waits : uint8_t { no, lanes, barrier, cluster, mbarrier, tensor_memory };
    uint32_t mask = 0, place = none;
    Waits waits = Waits::no;
    uint32_t what = 0; ///< the block barrier's number, or Recording::barriers
    uint32_t ask = 0;  ///< of an mbarrier: the parity that is waited for
    bool operator==(const FragmentState&) const = default;
};
struct WarpState {
    uint32_t block = 0, warp = 0;
    std::vector<FragmentState> fragments; ///< empty: the warp has ended
};

/// The contents of a tensor map.
struct MapState {
    uint32_t map = 0; ///< Recording::maps
    std::vector<std::string> fields;
    bool operator==(const MapState&) const = default;
};

/// A PTX register that steps show.
struct Register {
    enum class Kind : uint8_t { integer, floating, predicate };
    std::string name, variable; ///< "%r4", and the source's "i"; empty: not known
    Kind kind = Kind::integer;
    uint32_t bytes = 4;
};

/// What the lanes of a step hold in a register when the step is over.
struct Values {
    uint32_t reg = 0;     ///< Recording::registers
    bool written = false; ///< by the step's line; else only read
    bool row = false;     ///< `values` are the first lane's and, unless it is 0, the difference from lane to lane
    std::vector<uint64_t> values; ///< of the lanes of Step::mask
};

struct Step {
    enum class Kind : uint8_t {
        read, ///< of shared or global memory
        write,
        atomic,       ///< `first`: 1 if it has changed nothing, as far as is known
        copy,         ///< cp.async: `first` to `number`, the warp's copies in issue order
        commit,       ///< of a cp.async group: `number` copies issued so far
        wait_group,   ///< cp.async.wait_group `number`
        arrive,       ///< at block barrier `number`, or (none) the cluster's
        complete,     ///< that barrier; `threads` go on
        cluster_pass, ///< barrier.cluster.wait
        init,         ///< of the mbarrier `what`
        mbarrier,     ///< any other operation on it: expect_tx
        m_arrive,
        m_track,    ///< cp.async.mbarrier.arrive: an arrival will follow the copies up to `number`
        m_copies,   ///< that arrival
        blocks,     ///< a wait that is not over
        m_pass,     ///< a wait for the phase before `number` is over
        m_end,      ///< mbarrier.inval
        bulk_load,  ///< `number`, which completes on `what`. `first`: 1 of a register, 2 the answer to try_cancel
        bulk_store, ///< the warp's bulk stores in issue order: `number`
        bulk_commit,
        bulk_wait, ///< `first`: 1 if only for the reads
        landed,    ///< the bulk load `number`, in phase `first` of its mbarrier
        fence,
        proxy_fence,
        warp_sync,
        map_fence, ///< of the tensor map `map`, or (a release) of all that the warp has modified
        map_copy,  ///< tensormap.cp_fenceproxy: the map `what` to `map`, which it releases
        t_alloc,   ///< tcgen05.alloc of `cells`
        t_free,    ///< tcgen05.dealloc
        t_issue,   ///< tcgen05.mma, .cp or .shift, which `text` says: `number`, the thread's `first`. `ranges` are read
        t_done,    ///< the operation `number` is complete
        t_access,  ///< tcgen05.ld, or (`first` is 1) .st
        t_wait,    ///< tcgen05.wait::ld, or (`first` is 1) ::st
        t_commit,  ///< `number`, of the thread's operations up to `first`; arrives on `what`, and on `also`
        t_arrive,  ///< of the commit `number` on the mbarrier `what`
        t_fence,   ///< tcgen05.fence::before_thread_sync, or (`first` is 1) ::after_thread_sync
        misuse,    ///< with a text: why threads were stopped is `number` (events::Stopped::Why)
        exit,      ///< of the block
    };
    Kind kind = Kind::read;
    uint32_t block = 0; ///< Recording::blocks
    uint32_t warp = none;
    uint32_t mask = 0;
    uint32_t place = none; ///< Recording::places
    uint32_t times = 1;    ///< warp instructions, where several in a row are one step
    uint32_t number = 0, first = 0, what = none;
    uint32_t map = none; ///< Recording::maps: the tensor map that a copy uses, or that an access writes
    uint32_t bytes = 0;
    bool global = false; ///< of an access: to global memory
    char strong = 0;     ///< of an access: 'a' acquire, 'r' release, 'b' both, 'x' relaxed
    uint32_t memory = 0; ///< whose shared memory `ranges` are of: Recording::blocks
    uint32_t group = 1;  ///< of tcgen05: cta_group
    uint32_t shape = 0;  ///< of a tcgen05.mma: M << 16 | N
    std::string text{};  ///< of global memory, its name; of a misuse, its description
    std::vector<Range> ranges{};
    std::vector<std::pair<uint32_t, uint32_t>> upto{}; ///< of waits for groups: lanes, and their last complete copy
    std::vector<uint32_t> from{}; ///< of what writes: the steps that put the bytes into memory that its own are made of
    std::vector<ThreadsOf> threads{};
    std::vector<Cells> cells{};           ///< of Tensor Memory
    std::vector<uint32_t> also{};         ///< of a commit to several mbarriers: the others
    std::vector<WarpState> warps{};       ///< where they are now, if that has changed
    std::vector<BarrierState> barriers{}; ///< after the step, if that has changed
    std::vector<Ahead> ahead{};           ///< of a deadlock
    std::vector<MapState> maps{};         ///< the same of tensor maps; the first state when a map is first seen
    std::vector<Values> values{};         ///< of registers: those of the last instruction first
    std::vector<uint32_t> pcs{};          ///< for moments()
};

struct Mbarrier {
    uint32_t block = 0, offset = 0, count = 0;
    std::string name;
};

/// A tensor map that is used or written.
struct Map {
    enum class Where : uint8_t { constant, global, shared }; ///< a kernel parameter is constant, too
    Where where = Where::constant;
    uint32_t block = 0;   ///< whose shared memory: Recording::blocks
    uint64_t address = 0; ///< in shared memory, an offset
    std::string name;
};

/// A part of shared memory that has a name: a variable, or one stage of it.
struct NamedMemory {
    std::string name;
    uint32_t begin = 0, bytes = 0;
    uint32_t element = 0; ///< bytes; 0: not known
};

struct Recording {
    std::string kernel, grid, launch; ///< "(4, 1, 1)" blocks of "(128, 1, 1)" threads
    uint64_t number = 0;              ///< of the launch, from 1
    std::vector<uint64_t> blocks;     ///< their numbers in the grid; of each cluster, by rank
    uint32_t cluster = 1;             ///< blocks of a cluster
    uint32_t threads = 0;             ///< of a block
    uint32_t shared_bytes = 0, reserved = 0;
    std::vector<Step> steps;
    std::vector<ptx::SourceLine> places; ///< without columns
    std::vector<Mbarrier> barriers;
    std::vector<Map> maps;
    std::vector<NamedMemory> parts;
    std::vector<Register> registers;
    bool registers_left_out = false; ///< some steps lack their values: there were too many
    /// By place: variables that the line mentions and that no register holds; true: optimised away.
    std::vector<std::vector<std::pair<std::string, bool>>> absent;
    uint64_t skipped = 0;  ///< steps before the first one
    uint64_t left_out = 0; ///< steps after the last one
    bool copies = false;   ///< some are asynchronous

    bool empty() const { return steps.empty(); }
};

} // namespace sim::stepper
