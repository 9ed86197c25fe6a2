// tcgen05.wait, .fence and .commit.
#include <fmt/format.h>

#include "sim/async/engine.h"
#include "sim/instructions/bulk_operands.h"
#include "sim/instructions/tcgen05_group.h"
#include "sim/instructions/tensor_registers.h"

namespace sim::instructions::tcgen05_sync {
namespace {

Flow wait(Exec& x, const Op& op) {
    Flow flow;
    if (!tensor::whole_warp(x, op, flow))
        return flow;
    if (x.listener)
        x.listener->tensor_wait(x, op.small);
    return Flow::next;
}

Handler decode_wait(Decoder& d) {
    d.op.small = d.op.record->name.ends_with("st");
    return wait;
}

Flow fence(Exec& x, const Op& op) {
    if (x.listener)
        x.listener->tensor_fence(x, x.mask, op.small);
    return Flow::next;
}

Handler decode_fence(Decoder& d) {
    d.op.small = d.op.record->name.ends_with("after_thread_sync");
    return fence;
}

/// The mbarriers of one lane's commit: that of the address, or with .multicast::cluster those at its offset in the
/// blocks of the mask. False: reported.
bool targets(Exec& x, const Op& op, int lane, std::vector<async::TensorArrival>& arrivals,
             std::vector<events::Mbarrier*>& seen) {
    Resolved where;
    AddressRef address = op.address;
    uint64_t raw[32];
    x.addresses(address, raw);
    if (raw[lane] >> 32 == 0)
        address.space = ptx::Space::shared; // ThunderKittens passes shared addresses without .shared::cluster
    if (!locate(x, op, address, 8, 8, Direction::load, where))
        return false;
    if (!where.shared)
        return x.fail(Fault::illegal_instruction, "the mbarrier of tcgen05.commit lies in shared memory") == Flow::next;
    const auto offset = uint32_t(where.address[lane]);
    const auto add = [&](Block& block) {
        async::Mbarrier* barrier = barriers_of(block).use(x, op, x.mask, offset);
        if (!barrier)
            return false;
        arrivals.push_back({&block, offset});
        seen.push_back(&barrier->seen);
        return true;
    };
    if (!op.a.exists())
        return add(*where.target);
    bool good = true;
    for_lanes(x.lanes<uint16_t>(op.a)[lane], [&](int rank) {
        Block* peer = good ? multicast_target(x, op, uint32_t(rank)) : nullptr;
        good = peer && add(*peer);
    });
    return good;
}

Flow commit(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    const uint32_t all = x.mask;
    bool good = true;
    for_lanes(all, [&](int lane) {
        std::vector<async::TensorArrival> arrivals;
        std::vector<events::Mbarrier*> seen;
        x.mask = 1u << lane;
        good = good && targets(x, op, lane, arrivals, seen);
        if (!good)
            return;
        async::TensorOperations& operations = async::Engine::of(x.block).tensor();
        const uint64_t number = x.grid.next.bulk++;
        if (x.listener)
            x.listener->tensor_commit(x, {.number = number,
                                          .lane = lane,
                                          .group = op.small,
                                          .upto = operations.issued(x.warp.id, uint32_t(lane)),
                                          .barriers = seen});
        operations.commit({.number = number,
                           .issuer = async::Issuer::of(x, lane),
                           .group = op.small,
                           .arrivals = std::move(arrivals)});
    });
    x.mask = all;
    return good ? Flow::next : Flow::fault;
}

Handler decode_commit(Decoder& d) {
    d.op.small = cta_group(d);
    d.op.address = d.address(0, d.space(".ss"));
    if (d.has(".multicast") != (d.operand_count() == 2))
        d.fail(fmt::format("{}: ctaMask belongs to .multicast::cluster", d.source.opcode));
    if (d.has(".multicast"))
        d.op.a = d.read(1, 2);
    return commit;
}

/// tcgen05.wait and tcgen05.fence: a name is all their syntax.
constexpr Instruction without_operands(std::string_view name, std::string_view syntax, std::string_view manual,
                                       Handler (*decode)(Decoder&)) {
    return {.name = name, .syntax = syntax, .isa = 86, .targets = tcgen05_targets, .manual = manual, .decode = decode};
}
constexpr const char* wait_manual = "tcgen05-instructions-tcgen05-wait";
constexpr const char* fence_manual = "tcgen05-special-sync-operations-fence";

} // namespace

INSTRUCTIONS = {
    without_operands("tcgen05.wait::ld", "tcgen05.wait::ld.sync.aligned;", wait_manual, decode_wait),
    without_operands("tcgen05.wait::st", "tcgen05.wait::st.sync.aligned;", wait_manual, decode_wait),
    without_operands("tcgen05.fence::before_thread_sync", "tcgen05.fence::before_thread_sync;", fence_manual,
                     decode_fence),
    without_operands("tcgen05.fence::after_thread_sync", "tcgen05.fence::after_thread_sync;", fence_manual,
                     decode_fence),
    {
        .name = "tcgen05.commit",
        .syntax = "tcgen05.commit.cta_group.completion{.ss}{.multicast}.b64 [mbar]{, ctaMask};"
                  ".completion = { .mbarrier::arrive::one }; .ss = { .shared::cluster };"
                  ".multicast = { .multicast::cluster }; .cta_group = { .cta_group::1, .cta_group::2 };",
        .isa = 86,
        .targets = tcgen05_targets,
        .manual = "tcgen-async-sync-operations-commit",
        .decode = decode_commit,
        .use = Use::sink,
        .effects = {{"", effect::arrives | effect::cluster_scope}},
    },
};

} // namespace sim::instructions::tcgen05_sync
