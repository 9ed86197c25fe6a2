// The parts of the detector, by the events that they handle. Each updates the clocks, the shadow memory and the
// history, and reports facts; none knows a rule.
#pragma once

#include <array>
#include <unordered_set>
#include <vector>

#include "sim/detector/core.h"
#include "sim/shadow/last_write.h"
#include "sim/shadow/tensor_shadow.h"

namespace sim::hazards {

using events::BulkBytes;

/// Ordinary and strong accesses, fences between threads.
class AccessTracker : Finder {
  public:
    explicit AccessTracker(Core& core) : core_(core), check_(core.memory, core.ordering, core.atomics, *this) {}

    void launch_begin() {
        stores_seen_.clear();
        held_.clear();
        narrow_.clear();
    }
    void access(Exec& x, const events::Access& access, events::Reports& reports);

  private:
    uint32_t unordered(Exec& x, const Unordered& accesses) override;
    uint32_t undefined_load(Exec& x, uint32_t lane, Spot spot, uint32_t missing) override;
    bool is_volatile(uint32_t pc) override;
    uint32_t speculated_load(Exec& x, uint32_t lane, ptx::Space space) override;
    void shared_access(Exec& x, const events::Access& access, events::Reports& reports);
    void global_access(Exec& x, const events::Access& access, events::Reports& reports);
    /// Reports loads of bytes that another block has published by an arrival of block scope only.
    void check_scope(Exec& x, const events::Access& access);
    /// Reports atomic operations of two blocks, one of which has block scope.
    void check_atomic_scope(Exec& x, const events::Access& access, GlobalShadow& shadow);
    /// Notes a store, from the body of a copy function, of a value loaded from global memory.
    void note_synchronous_copy(Exec& x, uint32_t mask);

    Core& core_;
    AccessCheck check_;
    std::unordered_map<uint64_t, uint32_t> held_; ///< by pair of pcs: the load that was held last
    struct Narrow {
        Epoch by;
        uint32_t pc;
    };
    std::unordered_map<uint64_t, Narrow> narrow_; ///< by global address: the last strong write of block scope
    std::vector<bool> stores_seen_;               ///< pcs of stores to shared memory that have been looked at
};

/// Barriers of warps, blocks and clusters.
class BarrierTracker {
  public:
    explicit BarrierTracker(Core& core) : core_(core) {}

    void launch_end() {
        clusters_.clear();
        undefined_.clear();
    }
    void warp_sync(Warp& warp, uint32_t mask);
    uint32_t undefined_value(Exec& x, uint32_t lane, const events::Misuse& why);
    void warp_rendezvous(Warp& warp, uint32_t mask);
    void barrier_arrive(Warp& warp, uint32_t mask, uint32_t id);
    void barrier_complete(Block& block, uint32_t id);
    void barrier_release(Warp& warp, uint32_t mask, uint32_t id);
    void cluster_arrive(Warp& warp, uint32_t mask, bool release);
    void cluster_complete(Block& any);
    void cluster_release(Warp& warp, uint32_t mask, bool acquire);

  private:
    PhaseWait wait_before(Block& block, uint32_t id);
    void arrived_twice(Block& block, const BlockBarriers::Twice& twice);

    Core& core_;
    ClusterBarriers clusters_;
    std::unordered_map<uint32_t, uint32_t> undefined_; ///< pc -> the report of its last undefined value
};

/// cp.async.
class CopyTracker {
  public:
    explicit CopyTracker(Core& core) : core_(core) {}

    void issue(Exec& x, const events::CopyIssue& copy);
    void commit(Warp& warp, uint32_t mask, uint32_t issued);
    void wait(Exec& x, uint32_t mask, const Lanes& done, uint32_t n, uint32_t issued);

  private:
    // Do the copies of lanes side by side, from `first` on, together write, or read, a quad of which nothing has to be
    // reported or remembered word by word? If not, nothing was changed.
    bool write_quad(Exec& x, const events::CopyIssue& copy, uint32_t first, LastWrites& last_writes);
    bool read_quad(Exec& x, const events::CopyIssue& copy, uint32_t first, LastWrites& last_writes);
    void write_destination(Exec& x, const events::CopyIssue& copy, uint32_t lane);
    void read_source(Exec& x, const events::CopyIssue& copy, uint32_t lane);

    Core& core_;
};

/// mbarriers.
class MbarrierTracker {
  public:
    explicit MbarrierTracker(Core& core) : core_(core) {}

    void init(Exec& x, int lane, events::Mbarrier& barrier);
    void use(Exec& x, uint32_t mask, const events::Mbarrier& barrier);
    void arrive(Warp& warp, uint32_t mask, events::Mbarrier& barrier, bool release);
    void tracks(Warp& warp, uint32_t mask, const events::Mbarrier& barrier, uint32_t upto);
    void complete(events::Mbarrier& barrier);
    void copies(Warp& warp, uint32_t mask, events::Mbarrier& barrier, uint32_t upto);
    void acquire(Warp& warp, uint32_t mask, events::Mbarrier& barrier, bool acquires);
    void invalidate(Exec& x, int lane, events::Mbarrier& barrier);
    std::string history(const Warp& warp, uint32_t mask, const events::Mbarrier& barrier) const;

  private:
    void write_object(Exec& x, int lane, const events::Mbarrier& barrier);
    void report_counted_too_late(const events::Mbarrier& barrier, uint32_t pc, uint64_t block, uint32_t warp,
                                 uint32_t mask);

    Core& core_;
};

/// Bulk copies and asynchronous stores: accesses through the async proxy.
class BulkTracker {
  public:
    explicit BulkTracker(Core& core) : core_(core) {}

    void load(Exec& x, const events::BulkLoad& copy);
    void store(Exec& x, const events::BulkStore& copy);
    void commit(Warp& warp, uint32_t mask, uint32_t issued);
    void wait(Exec& x, uint32_t mask, const Lanes& upto, bool read_only);
    void landed(uint64_t number, uint32_t phase, uint64_t bytes, int64_t expected);
    bool known(Warp& warp, uint32_t mask, uint64_t number);
    void outlives(Warp& warp, uint64_t number, bool from_peer);
    void source_outlives(uint64_t number);
    /// A tcgen05 operation of this number, which `lane` issues, reads these bytes of a block's shared memory.
    void operand(Exec& x, uint32_t lane, uint64_t number, Block& block, std::span<const BulkBytes> bytes);

  private:
    /// The bytes of one copy that a lane issues.
    struct Issue {
        Exec& x;
        const Ordering& ordering;
        uint32_t lane;
        Epoch mine;
        bool reduction;
        uint32_t pc;
        bool undefined = false; ///< a reduction has met bytes that nothing has written
        // The writes that the copy is known to be ordered after, through the proxy of one piece of memory.
        LastWritesOfCopy last_writes{ordering, WarpState::of(x.warp).clock, lane, {}};
        struct FineRead {
            Epoch epoch = ~Epoch{0};
            uint32_t pc = 0;
        };
        std::array<FineRead, 8> fine_reads{}; ///< by warp: rows side by side are mostly read by different ones
        FineRead& fine_read(const Cell& cell) { return fine_reads[warp_of(cell.read) % fine_reads.size()]; }
        struct Readers {
            Reader reader{~Epoch{0}, 0, 0};
            Step step = one_lane;
            uint32_t words = 0;
            bool operator==(const Readers&) const = default;
        };
        Readers readers{}, readers_after{}; ///< of a cell, before and after the copy has read it
        bool readers_are_known(const Cell& cell) {
            return !cell.read || (cell.read == fine_read(cell).epoch && cell.read_pc == fine_read(cell).pc);
        }
        void begin(bool writes, Proxy proxy) {
            const Later later{.proxy = proxy, .reduction = writes && reduction};
            last_writes = {ordering, WarpState::of(x.warp).clock, lane, later};
            fine_reads.fill({});
            readers.reader.epoch = ~Epoch{0};
        }
    };
    void shared_bytes(Issue& issue, Block& block, uint64_t offset, uint32_t bytes, bool writes, Proxy proxy);
    void global_bytes(Issue& issue, uint64_t address, uint32_t bytes, bool writes);
    /// The bytes of a piece in one memory: by rows and quads, and word by word where a word may have to be reported.
    template <class Cells>
    void read_all(Issue& issue, uint64_t address, uint32_t bytes, ShadowTables& tables, Cells cells, Block* block);
    template <class Cells>
    void write_all(Issue& issue, uint64_t address, uint32_t bytes, ShadowTables& tables, Cells cells, Proxy proxy,
                   Block* block);
    // Rows and quads: is the last write of all their words ordered before the copy, whichever lanes wrote it, are their
    // readers ordered, too, and is there nothing to report?
    bool readers_are_fine(Issue& issue, const Cell& cell, uint32_t words, const ReadSets& sets, Proxy proxy) const;
    bool write_whole(Issue& issue, Cell& cell, uint32_t words, const ReadSets& sets, Proxy proxy) const;
    void note_readers(Issue& issue, const Cell& cell) const;
    void read(Issue& issue, Cell& cell, ReadSets& sets, Spot spot);
    void record_read(Issue& issue, Cell& cell, uint32_t words, ReadSets& sets);
    void write(Issue& issue, Cell& cell, const ReadSets& sets, Proxy proxy, Spot spot);
    void check_readers(Issue& issue, const Cell& cell, const ReadSets& sets, Proxy proxy, Spot spot);

    Core& core_;
    std::vector<uint16_t> operand_rows_; ///< of the block whose memory an operand is in: what it reads of each row
};

/// wgmma: reads of shared memory through the async proxy.
class MatrixTracker {
  public:
    explicit MatrixTracker(Core& core) : core_(core) {}

    void issue(Exec& x, const events::MatrixIssue& issue);
    void wait(Exec& x, const events::MatrixWait& wait);

  private:
    struct Reading {
        Exec& x;
        const events::MatrixOperand& operand;
        uint32_t first_warp;
        Epoch mine;
        Epoch fine = 0; ///< a write that it is known to be ordered after
    };
    Warp* unordered_warp(const Reading& reading, Epoch write) const;
    bool leaves_tile(const Reading& reading, const Cell& cell, uint64_t at);
    /// The warp is not ordered after the cell's last write.
    void report(const Reading& reading, Warp& late, const Cell& cell, uint64_t at);
    /// The cell's last write is ordered before the operation.
    void follows(Reading& reading, const Cell& cell);
    bool read_whole(Reading& reading, Cell& cell, uint32_t words, ReadSets& sets);
    void read(Reading& reading, Cell& cell, ReadSets& sets, uint64_t at);
    void record_read(const Reading& reading, Cell& cell, uint32_t words, ReadSets& sets);
    void compare_layouts(Reading& reading, const Cell& cell);

    Core& core_;
};

/// Tensor Memory, and the tcgen05 operations that a commit tracks.
class TensorTracker {
  public:
    TensorTracker(Core& core, BulkTracker& bulk) : core_(core), bulk_(bulk) {}

    void launch_end() { core_.ordering.commits.forget(); }
    /// If it is about columns that have been freed before: where a warp of the block freed columns last.
    std::optional<Place> freed_before(Block& block, const events::Misuse& misuse) const;
    void issue(Exec& x, const events::TensorIssue& issue);
    void access(Exec& x, const events::TensorAccess& access);
    void wait(Exec& x, bool stores);
    void commit(Exec& x, const events::TensorCommit& commit);
    void arrive(uint64_t commit, events::Mbarrier& barrier);
    void fence(Exec& x, uint32_t mask, bool after);
    void allocated(Exec& x, const events::TensorCells& cells);
    void freed(Exec& x, const events::TensorCells& cells);
    void leaked(Block& block, uint32_t column, uint32_t columns);

  private:
    struct Check; ///< one access, and what is known of those before it
    static TensorShadow& shadow_of(Block& block);
    TensorUse use_of(Exec& x, uint32_t lane) const;
    void check_written(Exec& x, const events::TensorIssue& issue);
    void compare_layouts(Exec& x, uint32_t lane, const events::TensorIssue::Shared& operand);
    void touch(Check& check, const events::TensorCells& cells);
    std::optional<TensorConflict> judge(Check& check, const TensorUse& other) const;
    std::optional<TensorConflict> judge_operation(Check& check, const TensorUse& other) const;
    std::optional<TensorConflict> judge_move(Check& check, const TensorUse& other) const;
    bool knows(const WarpClock& clock, uint64_t block, uint32_t warp, uint32_t tick) const;
    void report(Check& check, TensorConflict conflict, const TensorUse& other);
    void free(Exec& x, const events::TensorCells& cells);
    void check_peer_allocated(Exec& x, Block& peer, uint32_t column);
    void report(Exec& x, events::TensorAllocationWrong::What what, const char* text);

    Core& core_;
    BulkTracker& bulk_;
    TensorUses uses_;
};

/// Tensor maps in global memory.
class MapTracker {
  public:
    explicit MapTracker(Core& core) : core_(core) {}

    void release(Exec& x, uint32_t mask, Scope scope);
    void acquire(Exec& x, uint32_t lane, uint64_t address, Scope scope);
    void copy(Exec& x, Block& source, uint32_t offset, uint64_t address);
    void use(Exec& x, uint32_t lane, uint64_t address, uint64_t copy);

  private:
    std::optional<MapUnready> unready(Exec& x, uint32_t lane, uint64_t address, Epoch modified) const;

    Core& core_;
    MapReleases releases_; ///< of device scope
};

/// The state that a block leaves behind when its threads have ended.
class ExitTracker {
  public:
    explicit ExitTracker(Core& core) : core_(core) {}

    void block_end(Block& block);
    void cluster_complete(Block& any);

  private:
    Core& core_;
};

/// May the kernel order what it does with what the host does while it runs?
bool talks_to_host(const machine::DecodedFunction& kernel);
/// Has it accesses by which it may signal the host while it runs, or see the host's signals?
bool signals_host(const machine::DecodedFunction& kernel);

/// The host's accesses to device memory.
class HostTracker {
  public:
    explicit HostTracker(Core& core) : core_(core) {}

    void write(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const events::Order& order,
               events::OperationId id, std::string_view what);
    void read(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const events::Order& order,
              events::OperationId id, std::string_view what);
    void free(memory::Allocation& allocation, const events::Order& order, events::OperationId id,
              std::string_view what);

  private:
    void begin(const events::Order& order, events::OperationId id, std::string_view what);
    /// Reports that the operation is not ordered after the cell's last write, or (`or_reads`) after its reads. True: it
    /// has.
    bool report_unordered(const Cell& cell, uint32_t words, const ReadSets& sets, HostConflict conflict, bool or_reads);
    void report_unwritten(GlobalShadow& global, uint64_t offset, uint64_t bytes, std::string_view what);
    /// Is the memory used before it exists, or after that?
    void check_lifetime(const memory::Allocation& allocation, std::string_view what);
    /// Has the host looked at the word for the first time after it has seen what the same warp stored later?
    bool follows_a_signal(const Reader& store, events::OperationId kernel);

    Core& core_;
    std::unordered_set<uint64_t> looked_at_; ///< addresses that the host has read while work was pending
    uint64_t first_look_ = 0;                ///< that the host now reads for the first time; 0: none
    std::vector<Reader> signals_;            ///< stores of system scope that it has seen,
    events::OperationId signalled_by_ = 0;   ///< of this kernel
};

} // namespace sim::hazards
