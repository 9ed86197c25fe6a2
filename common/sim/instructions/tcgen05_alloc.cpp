// tcgen05.alloc, .dealloc and .relinquish_alloc_permit.
#include <bit>

#include <fmt/format.h>

#include "sim/async/engine.h"
#include "sim/instructions/tcgen05_group.h"
#include "sim/instructions/tensor_registers.h"

namespace sim::instructions::tcgen05_alloc {
namespace {

using async::TensorAllocations;
using async::TensorMemory;
using Request = TensorAllocations::Request;
using What = events::TensorAllocationWrong::What;

void report(Exec& x, const Op& op, What what, const std::string& text) {
    if (x.listener)
        x.listener->misuse(&x.warp, x.mask, &op, events::TensorAllocationWrong{what, text});
}

Flow refuse(Exec& x, const Op& op, What what, std::string text) {
    report(x, op, what, text);
    return x.fail(Fault::illegal_instruction, std::move(text));
}

bool is_size(uint32_t columns) {
    return std::has_single_bit(columns) && columns >= TensorMemory::unit && columns <= TensorMemory::columns;
}

/// Carries out the request, or lets the warp wait.
bool carry_out(Exec& x, const Op& op, Request& request, Flow& flow) {
    TensorAllocations& allocations = async::Engine::of(x.block).allocations();
    if (request.pair && !allocations.peer()) {
        flow = refuse(x, op, What::no_peer,
                      fmt::format("{} is for a pair of blocks whose ranks in the cluster differ in the last bit; {}",
                                  op.source->opcode,
                                  x.grid.blocks_per_cluster < 2 ? "this launch has no clusters"
                                                                : "the other block of this pair does not exist"));
        return false;
    }
    switch (allocations.carry_out(request)) {
    case TensorAllocations::Progress::done:
        return true;
    case TensorAllocations::Progress::waits:
        x.fragment().wait.kind = Wait::Kind::tensor_memory;
        flow = Flow::block;
        return false;
    case TensorAllocations::Progress::differs:
        flow = refuse(x, op, What::peer_differs,
                      fmt::format("the warps of a pair of blocks execute {} with different numbers of columns, or "
                                  "different addresses: this one with {} columns",
                                  op.source->opcode, request.columns));
        return false;
    }
    return false;
}

/// Stores the address by one lane; all of them have executed the instruction and are ordered after it.
bool publish(Exec& x, const Op& op, uint32_t column) {
    const uint32_t all = x.mask;
    x.mask = 1;
    Resolved r;
    AddressRef where = op.address;
    uint64_t raw[32];
    x.addresses(where, raw);
    if (where.space == ptx::Space::shared) // only 32 bits count: ThunderKittens passes generic addresses
        where.offset -= int64_t(raw[0] >> 32 << 32);
    bool good = resolve(x, op, where, 4, 4, Direction::store, r);
    if (good && !r.shared)
        good = x.fail(Fault::illegal_instruction, "tcgen05.alloc writes the address to shared memory") == Flow::next;
    if (good) {
        observe(x, op, r, Access::Kind::store, Semantics::weak, Scope::cta, 4,
                reinterpret_cast<const std::byte*>(&column));
        std::memcpy(r.pointer[0], &column, 4);
        ++x.grid.activity;
    }
    x.mask = all;
    if (good && x.listener)
        x.listener->warp_sync(x.warp, all);
    return good;
}

events::TensorCells whole_columns(Exec& x, uint32_t column, uint32_t columns) {
    return {.block = &x.block,
            .lane = 0,
            .lanes = TensorMemory::lanes,
            .column = column,
            .columns = columns,
            .written = true};
}

Flow alloc(Exec& x, const Op& op) {
    Flow flow;
    uint32_t columns = 0;
    if (!tensor::whole_warp(x, op, flow))
        return flow;
    if (!same_in_warp(x, op, op.a, "nCols", columns))
        return Flow::fault;
    if (!is_size(columns))
        return refuse(x, op, What::columns,
                      fmt::format("tcgen05.alloc of {} columns: the number must be a power of two from {} to {}",
                                  columns, TensorMemory::unit, TensorMemory::columns));
    TensorAllocations& allocations = async::Engine::of(x.block).allocations();
    Request request{.kind = Request::Kind::alloc, .warp = x.warp.id, .columns = columns, .pair = op.small == 2};
    if (!carry_out(x, op, request, flow))
        return flow;
    if (allocations.relinquished)
        report(x, op, What::relinquished,
               "The block has executed tcgen05.relinquish_alloc_permit, after which it must not allocate.");
    else if (allocations.last_columns && columns > allocations.last_columns)
        report(x, op, What::grown,
               fmt::format("This allocation of {} columns follows one of {} in the same block; the number of columns "
                           "should not grow from one allocation to the next.",
                           columns, allocations.last_columns));
    allocations.last_columns = columns;
    if (x.listener)
        x.listener->tensor_allocated(x, whole_columns(x, request.column, columns));
    return publish(x, op, request.column) ? Flow::next : Flow::fault;
}

/// Reports an address and size that are not those of an allocation of the block. False: there is nothing to free.
bool known(Exec& x, const Op& op, uint32_t column, uint32_t columns) {
    const TensorMemory& memory = async::Engine::of(x.block).tensor_memory();
    for (const TensorMemory::Allocation& one : memory.allocations())
        if (one.owner == &x.block && one.column == column) {
            if (one.columns != columns)
                report(x, op, What::other_size,
                       fmt::format("The allocation at column {} has {} columns, and this frees {} of them.", column,
                                   one.columns, columns));
            return true;
        }
    report(x, op, What::unknown,
           fmt::format("No allocation of this block begins at column {}: it has been freed before, or the address is "
                       "not the one that tcgen05.alloc has written.",
                       column));
    return false;
}

Flow dealloc(Exec& x, const Op& op) {
    Flow flow;
    uint32_t bits = 0, columns = 0;
    if (!tensor::whole_warp(x, op, flow))
        return flow;
    if (!same_in_warp(x, op, op.a, "taddr", bits) || !same_in_warp(x, op, op.b, "nCols", columns))
        return Flow::fault;
    const uint32_t column = TensorMemory::Address(bits).column;
    TensorAllocations& allocations = async::Engine::of(x.block).allocations();
    Request request{
        .kind = Request::Kind::dealloc, .warp = x.warp.id, .column = column, .columns = columns, .pair = op.small == 2};
    if (!allocations.has_asked(x.warp.id)) {
        if (!known(x, op, column, columns))
            return Flow::next;
        if (x.listener)
            x.listener->tensor_freed(x, whole_columns(x, column, columns));
    }
    return carry_out(x, op, request, flow) ? Flow::next : flow;
}

Flow relinquish(Exec& x, const Op& op) {
    Flow flow;
    if (!tensor::whole_warp(x, op, flow))
        return flow;
    async::Engine::of(x.block).allocations().relinquished = true;
    return Flow::next;
}

Handler decode_alloc(Decoder& d) {
    d.op.small = cta_group(d);
    d.op.width = 4;
    d.op.address = d.address(0, d.space(".ss"));
    d.op.a = d.read(1, 4);
    return alloc;
}

Handler decode_dealloc(Decoder& d) {
    d.op.small = cta_group(d);
    d.op.a = d.read(0, 4);
    d.op.b = d.read(1, 4);
    return dealloc;
}

Handler decode_relinquish(Decoder& d) {
    d.op.small = cta_group(d);
    return relinquish;
}

} // namespace

#define GROUP ".cta_group = { .cta_group::1, .cta_group::2 };"
#define MANUAL "tcgen05-instructions-tcgen05-alloc-dealloc-relinquish-alloc-permit"

INSTRUCTIONS = {
    {
        .name = "tcgen05.alloc",
        .syntax = "tcgen05.alloc.cta_group.sync.aligned{.ss}.b32 [dst], nCols; .ss = { .shared{::cta} }; " GROUP,
        .isa = 86,
        .targets = tcgen05_targets,
        .manual = MANUAL,
        .decode = decode_alloc,
        .use = Use::sink,
        .effects = {{"", effect::stores | effect::whole_warp}},
    },
    {
        .name = "tcgen05.dealloc",
        .syntax = "tcgen05.dealloc.cta_group.sync.aligned.b32 taddr, nCols; " GROUP,
        .isa = 86,
        .targets = tcgen05_targets,
        .manual = MANUAL,
        .decode = decode_dealloc,
        .use = Use::sink,
    },
    {
        .name = "tcgen05.relinquish_alloc_permit",
        .syntax = "tcgen05.relinquish_alloc_permit.cta_group.sync.aligned; " GROUP,
        .isa = 86,
        .targets = tcgen05_targets,
        .manual = MANUAL,
        .decode = decode_relinquish,
    },
};

} // namespace sim::instructions::tcgen05_alloc
