// st.async and red.async: values from registers to shared memory of the cluster, complete on an mbarrier there.
#include <cstring>

#include "sim/instructions/bulk_operands.h"
#include "sim/instructions/memory_operands.h"

namespace sim::instructions::st_async {
namespace {

struct AsyncStore {
    DataOperand data;
    AddressRef barrier;
    uint32_t each = 4; ///< bytes of one element
    async::Reduce reduce = nullptr;
};

Flow store_and_complete(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    const auto& store = *static_cast<const AsyncStore*>(op.extra);
    const uint32_t bytes = store.each * store.data.count;
    return lane_by_lane(x, [&](int lane) {
        Resolved to;
        if (!resolve(x, op, op.address, bytes, bytes, Direction::store, to))
            return false;
        if (!to.shared)
            return x.fail(Fault::illegal_instruction, "st.async and red.async write to shared memory") == Flow::next;
        const CopyBarrier barrier = copy_barrier(x, op, store.barrier, lane);
        if (!barrier.barrier)
            return false;
        if (barrier.block != to.target)
            return x.fail(Fault::illegal_instruction, "the destination and its mbarrier lie in the shared memory "
                                                      "of different blocks") == Flow::next;
        async::BulkLoad copy;
        copy.destination = to.target;
        copy.data.resize(bytes);
        for (uint32_t i = 0; i < store.data.count; ++i) {
            const auto* value = x.lanes<std::byte>(store.data.part[i]) + size_t(lane) * store.data.register_bytes;
            std::memcpy(copy.data.data() + i * store.each, value, store.each);
        }
        const auto offset = uint32_t(to.address[lane]);
        copy.pieces = {{0, offset, bytes}};
        copy.bytes = bytes;
        copy.barrier_block = to.target;
        copy.barrier = barrier.offset;
        copy.reduce = store.reduce;
        if (x.listener) {
            const events::BulkBytes written{0, offset, bytes};
            copy.number = x.grid.next.bulk++;
            x.listener->bulk_load(x, {.number = copy.number,
                                      .lane = lane,
                                      .destination = to.target,
                                      .bytes = {&written, 1},
                                      .barrier = &barrier.barrier->seen,
                                      .reduction = store.reduce != nullptr,
                                      .from_register = true});
        }
        async::Engine::of(x.block).bulk().load(std::move(copy));
        return true;
    });
}

Handler decode(Decoder& d) {
    const Type type = d.type();
    if (d.has(".global")) {
        d.need("sm_100", fmt::format("{} to global memory", d.source.opcode));
        d.fail(fmt::format("'{}' to global memory is not part of the simulated device yet", d.source.opcode));
    }
    AsyncStore store;
    store.each = bytes_of(type);
    store.data = stored(d, 1, store.each);
    d.op.address = d.address(0, d.space(".ss"));
    store.barrier = d.address(2, d.space(".ss"));
    if (d.has(".op"))
        store.reduce = bulk_reduction(d, d.value(".op"), type);
    d.op.extra = d.keep(store);
    return store_and_complete;
}

} // namespace

INSTRUCTIONS = {
    {.name = "st.async",
     .syntax = R"(
        st.async{.weak}{.ss}{.mbarrier::complete_tx::bytes}{.vec}.type [a], b, [mbar];
        st.async{.mmio}.release.scope.global.type [a], b;
        .ss = { .shared::cluster };
        .scope = { .gpu, .sys };
        .vec = { .v2, .v4 };
        .type = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
)",
     .isa = 81,
     .sm = 90,
     .manual = "data-movement-and-conversion-instructions-st-async",
     .decode = decode,
     .use = Use::sink,
     .effects = {{"", effect::stores | effect::completes_tx}}},
    {.name = "red.async",
     .syntax = R"(
        red.async.relaxed.scope{.ss}{.mbarrier::complete_tx::bytes}.op.type [a], b, [mbar];
        .ss = { .shared::cluster };
        .scope = { .cluster };
        .op = { .inc, .dec, .min, .max, .add, .and, .or, .xor };
        .type = { .b32, .u32, .s32, .u64 };
)",
     .isa = 81,
     .sm = 90,
     .manual = "parallel-synchronization-and-communication-instructions-red-async",
     .decode = decode,
     .use = Use::sink,
     .effects = {{"", effect::stores | effect::completes_tx}}},
};

} // namespace sim::instructions::st_async
