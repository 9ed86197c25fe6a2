// A loaded module and its decoded functions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/machine/op.h"
#include "sim/memory/global_memory.h"
#include "sim/ptx/module.h"

namespace sim::ptx {
class Declarations;
}

namespace sim::machine {

class Decoder;
class LoadedModule;
struct Executed;
struct Inexact;

/// A function ready to run. Frame layout: registers (32 lanes each), then per-lane parameter areas.
struct DecodedFunction {
    const ptx::Function* function = nullptr;
    LoadedModule* module = nullptr;
    std::vector<Op> ops;   ///< one per ptx::Instruction, then a final `exit`
    uint32_t first_pc = 0; ///< device-wide number of ops[0]; identifies instructions in reports
    uint32_t frame_bytes = 0;
    uint32_t params_offset = 0, params_bytes = 0;   ///< incoming parameters of a device function, per lane
    uint32_t returns_offset = 0, returns_bytes = 0; ///< per lane
    uint32_t call_offset = 0, call_bytes = 0;       ///< `.param` variables at call sites, per lane
    uint32_t local_bytes = 0;                       ///< `.local` variables, per lane
    OperandRef carry;              ///< lane mask of the condition code CC.CF, if an instruction uses it
    std::vector<bool> from_global; ///< registers that may hold a value as global memory holds it; filled on demand
    std::vector<OperandRef> registers;
    std::vector<uint8_t> register_bytes;                ///< per lane; 0: predicate
    std::vector<std::byte> constants;                   ///< 32 lanes each
    std::vector<std::vector<OperandRef>> reads, writes; ///< register operands of each op
    std::vector<std::vector<OperandRef>> address_reads; ///< registers that its addresses are made of
    std::vector<bool> speculated;                       ///< loads whose value counts only under a condition
    std::vector<bool> volatile_data;                    ///< volatile loads whose value is no condition
    std::vector<uint32_t> used_bytes;                   ///< loads of which only some bytes are used: these; else 0
    std::vector<bool> blind;                            ///< atomic operations whose old value is unused
    struct FixedLanes {
        uint32_t pc;
        OperandRef mask;
    };
    std::vector<FixedLanes> fixed_lanes;  ///< .sync instructions that rely on which lanes their mask names
    std::vector<OperandRef> active_masks; ///< registers that activemask writes
    std::vector<Handler> handlers;        ///< the handlers of ops that have not been executed (executed.h)
    std::vector<const Inexact*> inexact;  ///< of each op; nullptr: executed exactly
    std::vector<std::shared_ptr<void>> extras;
    std::shared_ptr<void> matrix_registers; ///< kept by wgmma; nullptr: it has not been executed
    std::map<const ptx::Variable*, uint32_t> local_offsets;
};

/// For each op: is it a load whose value has an effect only if a selp chooses it, or another condition is met?
std::vector<bool> speculated_loads(const DecodedFunction&);

/// For each op: is it a volatile load whose value takes part in no comparison, so that it is no poll?
std::vector<bool> volatile_data(const DecodedFunction&);

/// For each op: the bytes that are used, one bit each, if it is a load of which only some are; else 0.
std::vector<uint32_t> used_bytes(const DecodedFunction&);

/// Marks the ops of `fixed_lanes` whose mask comes from activemask (mask_of_the_moment).
void mark_masks_of_the_moment(DecodedFunction&);

/// For each op: is it an atomic operation whose old value is not used?
std::vector<bool> blind_atomics(const DecodedFunction&);

/// Shared memory begins with the part that the system reserves for each block (sm_90: 1 KiB); offset 0 belongs to no
/// variable.
inline constexpr uint32_t reserved_shared = 1024;

class LoadedModule {
  public:
    LoadedModule(std::shared_ptr<const ptx::Module> module, memory::GlobalMemory& memory, uint32_t first_pc,
                 const Instruction* (*find_instruction)(std::string_view opcode));
    ~LoadedModule();

    const ptx::Module& ptx() const { return *ptx_; }
    /// Does a function of it request the cancellation of clusters (clusterlaunchcontrol.try_cancel)?
    bool cancels_clusters() const;
    const ptx::SourceMap& sources() const;
    /// Parses a kernel and all that it may call, so that nothing of it is found to be wrong while it runs. Throws
    /// ptx::ParseError.
    void prepare(const ptx::Function& kernel);
    /// Is it part of a kernel that was prepared?
    bool is_prepared(const ptx::Function& function) const { return prepared_.contains(&function); }
    /// Decodes on first use. nullptr: there is no such function with a body.
    DecodedFunction* function(std::string_view name);
    DecodedFunction& decoded(const ptx::Function& function);
    /// The record of an opcode (see Parts); nullptr: it is not known.
    const Instruction* find_instruction(std::string_view opcode) const { return find_instruction_(opcode); }
    /// Adds the instructions that its functions have executed.
    void add_executed(Executed& to) const;
    std::vector<DecodedFunction*> all_decoded() const; ///< in an order that stays the same
    DecodedFunction* owner(uint32_t pc);               ///< the decoded function that holds device-wide pc, or nullptr
    uint32_t first_pc() const { return first_pc_; }
    uint32_t end_pc() const { return end_pc_; }
    /// Device address of a .global or .const variable; 0 if it is not one.
    uint64_t address(const ptx::Variable& variable) const;
    /// Moves a variable of .attribute(.managed) into memory that the host reaches as well, before any function is
    /// decoded. False: it cannot be.
    bool place_managed(std::string_view name, uint64_t address);
    /// Offset of a static `.shared` variable. Variables of the module and of device functions come first, those of a
    /// kernel after them (or at the start, if the kernel uses none of the others).
    uint32_t shared_offset(const ptx::Variable& variable) const;
    /// The source's name for the mbarrier at this offset, while `kernel` runs: "full[1]"; or "at shared address 24".
    std::string barrier_name(const ptx::Function& kernel, uint32_t offset) const;
    /// Its name for the byte at this offset: "tile[1][3]", "byte 96 of tile"; empty: nothing is known.
    std::string shared_name(const ptx::Function& kernel, uint32_t offset) const;
    /// The number of the file that a kernel is in.
    size_t file_of(const ptx::Function& kernel) const;
    /// The declarations in the program's source.
    const ptx::Declarations& declarations() const;
    /// Where `kernel`'s static shared memory ends and its dynamic shared memory begins.
    uint32_t shared_end(const ptx::Function& kernel) const;
    /// Bytes of `kernel`'s static shared memory as a compiler would lay it out, which is without gaps.
    uint32_t static_shared(const ptx::Function& kernel) const;
    /// Where `kernel`'s largest static variable in shared memory begins.
    struct SharedArray {
        uint32_t offset = 0, bytes = 0;
    };
    SharedArray largest_shared(const ptx::Function& kernel) const;
    uint64_t function_address(const ptx::Function& function) const; ///< for indirect calls
    const ptx::Function* function_at(uint64_t address) const;       ///< nullptr: none of those that were prepared

    /// An end of static shared memory: of the variables without gaps between them, and where they are placed.
    struct SharedEnd {
        uint32_t packed = reserved_shared, placed = reserved_shared;
        SharedArray largest = {};
    };

  private:
    void place_globals();
    void fill_in_addresses(); ///< in variables that are initialised with addresses
    void place_shared();      ///< but for the variables of kernels
    /// Places those of a kernel when they are first asked for.
    const SharedEnd& shared_of(const ptx::Function& kernel) const;
    void place(const ptx::Variable& variable, SharedEnd& end) const;
    void visit_called(const ptx::Function& function, const std::function<void(std::string_view)>& visit) const;
    /// The variable of shared memory at this offset while `kernel` runs; nullptr: there is none.
    const ptx::Variable* shared_variable(const ptx::Function& kernel, uint32_t offset) const;

    std::shared_ptr<const ptx::Module> ptx_;
    memory::GlobalMemory& memory_;
    const Instruction* (*find_instruction_)(std::string_view opcode);
    mutable std::unique_ptr<ptx::SourceMap> sources_;
    mutable std::unique_ptr<ptx::Declarations> declarations_;
    std::map<const ptx::Function*, std::unique_ptr<DecodedFunction>> decoded_;
    std::map<const ptx::Function*, uint32_t> first_pcs_;
    std::map<const ptx::Variable*, uint64_t> addresses_;
    std::set<const ptx::Function*> prepared_;
    std::set<const ptx::Variable*> common_shared_; ///< of the module and of device functions
    SharedEnd common_end_;
    mutable std::map<const ptx::Variable*, uint32_t> shared_offsets_;
    mutable std::map<const ptx::Function*, SharedEnd> shared_ends_;
    uint32_t first_pc_, end_pc_;
    mutable std::optional<bool> cancels_clusters_;
};

} // namespace sim::machine
