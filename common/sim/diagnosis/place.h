// A place in the program, and the threads that were there.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/ordering/bulk_ops.h"
#include "sim/ordering/operations.h"

namespace sim::machine {
struct DecodedFunction;
}

namespace sim::hazards {

/// Threads of a launch, merged into ranges: by block, the threads in it.
class ThreadSet {
  public:
    ThreadSet() = default;
    /// As another process has put them in words.
    explicit ThreadSet(std::string text) : text_(std::move(text)) {}
    void add(uint64_t block, uint32_t first_thread, uint32_t lane_mask);
    bool empty() const { return threads_.empty() && text_.empty(); }
    /// "threads 0-127 of block 0", "thread 5 of blocks 0-3", "threads 0-31 of 7 blocks".
    std::string text() const;
    const std::map<uint64_t, std::set<uint32_t>>& blocks() const { return threads_; }
    size_t hidden_blocks() const { return hidden_; } ///< blocks beyond the first 64, only counted

  private:
    std::map<uint64_t, std::set<uint32_t>> threads_;
    size_t hidden_ = 0;
    std::string text_; ///< instead of both
};

/// A line of the chain of calls that leads to an instruction.
struct CallFrame {
    std::string file;
    uint32_t line = 0, column = 0;
    std::string function; ///< whose code it is, without its scope, or "lambda"; empty: the kernel's
};

/// One of the two accesses (or the only place) of a finding.
struct Place {
    std::string file; ///< empty: not in the program's source (a host operation, or no line information)
    uint32_t line = 0;
    uint32_t column = 0;
    std::vector<std::string> alternatives; ///< "file:line" of further lines that this instruction may stem from
    std::vector<CallFrame> calls;          ///< innermost first, the line above among them; one: no call in between
    std::string kernel;
    ThreadSet threads;
    events::CallSite site = 0; ///< the file and line are those of this call, which the program has yet to name
    std::string action;        ///< "read bytes that an asynchronous copy is still writing", completes "threads … "

    /// Which of `calls` the line is.
    size_t shown() const;
    /// Show that one instead.
    void show(size_t call);
};

/// Whether both are on one line of the source, wherever it was inlined.
bool same_code(const Place& a, const Place& b);

/// Two places in one call have the same line in the kernel, which says little: go into the call, as far as their lines
/// are the same and until they differ. The others that share this line follow.
void distinguish(Place& first, std::vector<Place>& others);

/// A function's name as the program's source has it, without its parameters.
std::string demangled(const std::string& name);

/// Finds the places of instructions.
class Places {
  public:
    using FunctionAt = std::function<machine::DecodedFunction*(uint32_t)>;

    Places(FunctionAt function_at, const Operations& operations, const BulkOps& bulk)
        : function_at_(std::move(function_at)), operations_(operations), bulk_(bulk) {}

    machine::DecodedFunction* function_at(uint32_t pc) const { return function_at_(pc); }
    /// The place of the instruction at a device-wide pc; 0: nowhere.
    Place at(uint32_t pc, std::string action) const;
    /// The same, with the thread that `e` names.
    Place of(Epoch e, uint32_t pc, std::string action) const;
    /// Where the program called the operation that had this block.
    Place call(uint64_t block, std::string action) const;
    /// The library's function that the program has called to get to the instruction, with its scope but without its
    /// parameters: "cuda::barrier::wait"; empty: none.
    std::string library_call(uint32_t pc) const;
    /// Has the program called a function to get to the instruction whose name, with its scope, begins so?
    bool has_called(uint32_t pc, std::string_view beginning) const;
    /// The line in the kernel's own body that an instruction belongs to; 0: unknown.
    uint32_t kernel_line(uint32_t pc) const;

  private:
    struct Known {
        const machine::DecodedFunction* function = nullptr;
        Place place;
    };
    static Place find(machine::DecodedFunction& function, uint32_t instruction);
    /// The functions that the program has called to get to the instruction: "cuda::barrier::wait".
    std::vector<std::string> called(uint32_t pc) const;

    FunctionAt function_at_;
    const Operations& operations_;
    const BulkOps& bulk_;
    mutable std::unordered_map<uint32_t, Known> known_; ///< by pc
};

} // namespace sim::hazards
