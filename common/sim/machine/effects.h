// What an instruction does to control flow, to memory and to the order of accesses. Its record sets these bits, and
// other code tests them: the text of an opcode is for the decoder and for people.
#pragma once

#include <cstdint>
#include <string_view>

namespace sim::machine {

struct Instruction;

namespace effect {
enum : uint32_t {
    // control flow
    ends_thread = 1u << 0, ///< exit, ret, trap
    branches = 1u << 1,    ///< to Op::imm, or to one of a list in Op::extra
    calls = 1u << 2,
    sleeps = 1u << 3,
    // memory, by the executing lanes, in the space of Op::address
    loads = 1u << 4,
    stores = 1u << 5, ///< with completes_tx: asynchronously, from registers
    atomic = 1u << 6,
    replaces = 1u << 7,   ///< an atomic operation that stores its operand, whatever was there before
    whole_warp = 1u << 8, ///< the lanes load or store a matrix together
    // asynchronous operations
    copies = 1u << 9,
    by_tensor_map = 1u << 10,
    multicast = 1u << 11,    ///< to several blocks of the cluster
    completes_tx = 1u << 12, ///< counts bytes on an mbarrier
    multiplies = 1u << 13,   ///< wgmma
    // groups: the operation belongs to a group of this kind, or is ordered with it, or commits or waits for such groups
    copy_group = 1u << 14, ///< cp.async
    bulk_group = 1u << 15,
    matrix_group = 1u << 16,
    commits = 1u << 17,
    waits_for_group = 1u << 18,
    // mbarriers
    mbarrier_object = 1u << 19, ///< makes or ends one
    arrives = 1u << 20,         ///< with copy_group: when the thread's copies are complete
    counted = 1u << 21,         ///< mbarrier.init has counted that arrival (.noinc)
    expects = 1u << 22,         ///< announces bytes
    cluster_scope = 1u << 23,   ///< releases to the cluster, not only to the block
    waits_for_phase = 1u << 24,
    // barriers of threads
    warp_barrier = 1u << 25,
    block_barrier = 1u << 26,
    cluster_barrier = 1u << 27,
    waits_at_barrier = 1u << 28, ///< it does not only arrive
    reduces = 1u << 29,          ///< its result depends on all threads that meet there
    // fences
    fence = 1u << 30, ///< with matrix_group: wgmma.fence
    proxy_fence = 1u << 31,
};
} // namespace effect

/// Effects of those forms of an instruction that have a modifier.
struct Effects {
    std::string_view form; ///< ".expect_tx"; empty: all forms
    uint32_t what = 0;     ///< bits of `effect`
};

/// Does ".approx" or the like stand in the opcode? An empty one always does.
bool has_modifier(std::string_view opcode, std::string_view modifier);
/// The effects of the instruction form that the opcode spells.
uint32_t effects_of(const Instruction& record, std::string_view opcode);

} // namespace sim::machine
