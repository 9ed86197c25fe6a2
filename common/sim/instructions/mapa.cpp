#include "sim/instructions/arithmetic.h"

namespace sim::instructions::mapa {
namespace {

/// The address of the same shared variable in the block with rank b of the cluster.
template <class T, bool generic>
struct InBlock {
    T operator()(T address, uint32_t rank) const {
        const uint64_t window = generic ? memory::shared_window : 0;
        const auto offset = uint32_t(address - window) & memory::shared_offset_mask;
        return T(window + (uint64_t{memory::shared_tag(rank)} << memory::shared_rank_shift | offset));
    }
};

Handler decode_mapa(Decoder& d) {
    const uint32_t bytes = bytes_of(d.type());
    d.op.d = destination(d, 0, bytes);
    d.op.a = d.read(1, bytes);
    d.op.b = d.read(2, 4);
    const bool generic = !d.has(".space");
    if (bytes == 8)
        return generic ? lanewise<InBlock<uint64_t, true>, uint64_t, uint64_t, uint32_t>
                       : lanewise<InBlock<uint64_t, false>, uint64_t, uint64_t, uint32_t>;
    if (generic)
        d.fail("generic addresses have 64 bits");
    return lanewise<InBlock<uint32_t, false>, uint32_t, uint32_t, uint32_t>;
}

template <class T>
Flow rank_of(Exec& x, const Op& op) {
    const uint32_t own = x.block.cluster_rank, own_tag = x.block.own_tag;
    map_lanes(
        x.mask, x.lanes<uint32_t>(op.d),
        [=](T address) {
            const auto tag = uint32_t(address) >> memory::shared_rank_shift;
            return tag == own_tag ? own : memory::rank_of_tag(tag, own);
        },
        x.lanes<T>(op.a));
    return Flow::next;
}

Handler decode_getctarank(Decoder& d) {
    const uint32_t bytes = bytes_of(d.type());
    d.op.d = destination(d, 0, 4);
    d.op.a = d.read(1, bytes);
    if (bytes == 4 && !d.has(".space"))
        d.fail("generic addresses have 64 bits");
    return bytes == 8 ? rank_of<uint64_t> : rank_of<uint32_t>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "mapa",
        .syntax = R"(
        mapa{.space}.type d, a, b;
        .space = { .shared::cluster };
        .type = { .u32, .u64 };
)",
        .isa = 78,
        .sm = 90,
        .manual = "data-movement-and-conversion-instructions-mapa",
        .decode = decode_mapa,
    },
    {
        .name = "getctarank",
        .syntax = R"(
        getctarank{.space}.type d, a;
        .space = { .shared::cluster };
        .type = { .u32, .u64 };
)",
        .isa = 78,
        .sm = 90,
        .manual = "data-movement-and-conversion-instructions-getctarank",
        .decode = decode_getctarank,
    },
};

} // namespace sim::instructions::mapa
