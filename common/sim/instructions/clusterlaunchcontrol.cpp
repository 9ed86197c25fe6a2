// clusterlaunchcontrol: a cluster cancels the launch of another one, and takes over its work.
#include <cstring>

#include "sim/instructions/bulk_operands.h"
#include "sim/instructions/memory_operands.h"

namespace sim::instructions::clusterlaunchcontrol {
namespace {

using What = events::LaunchControlMisused::What;

/// The 16 bytes that answer a request. Their layout is ours: programs have them decoded by query_cancel.
struct Response {
    uint32_t x = 0, y = 0, z = 0;
    uint32_t state = 0;
};
static_assert(sizeof(Response) == 16);
constexpr uint32_t failed = 0xc1c00000, succeeded = 0xc1c00001;

struct Request {
    AddressRef barrier;
    bool multicast = false;
};

void report(Exec& x, const Op& op, const events::LaunchControlMisused& misuse) {
    if (x.listener)
        x.listener->misuse(&x.warp, x.mask, &op, misuse);
}

/// Writes the response to the block's shared memory, where the block's own mbarrier counts its bytes.
bool respond(Exec& x, const Op& op, int lane, Block& to, uint32_t offset, uint32_t barrier_offset,
             const Response& response) {
    async::Mbarrier* const barrier = barriers_of(to).use(x, op, x.mask, barrier_offset);
    if (!barrier)
        return false;
    async::BulkLoad copy;
    copy.destination = &to;
    copy.issuer = async::Issuer::of(x, lane);
    copy.data.resize(sizeof response);
    std::memcpy(copy.data.data(), &response, sizeof response);
    copy.pieces = {{0, offset, uint32_t(sizeof response)}};
    copy.bytes = sizeof response;
    copy.barrier_block = &to;
    copy.barrier = barrier_offset;
    if (x.listener) {
        const events::BulkBytes written{0, offset, uint32_t(sizeof response), false}; // no global memory is read
        copy.number = x.grid.next.bulk++;
        x.listener->bulk_load(x, {.number = copy.number,
                                  .lane = lane,
                                  .destination = &to,
                                  .bytes = {&written, 1},
                                  .barrier = &barrier->seen,
                                  .multicast = static_cast<const Request*>(op.extra)->multicast});
    }
    async::Engine::of(x.block).bulk().load(std::move(copy));
    return true;
}

Flow try_cancel(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    const auto& request = *static_cast<const Request*>(op.extra);
    return lane_by_lane(x, [&](int lane) {
        Resolved to;
        if (!locate(x, op, op.address, sizeof(Response), sizeof(Response), Direction::store, to))
            return false;
        const CopyBarrier barrier = copy_barrier(x, op, request.barrier, lane);
        if (!barrier.barrier)
            return false;
        if (!to.shared || to.target != &x.block || barrier.block != &x.block)
            return x.fail(Fault::illegal_instruction,
                          "the response and the mbarrier of clusterlaunchcontrol.try_cancel lie in the block's own "
                          "shared memory") == Flow::next;
        if (x.block.refused)
            report(x, op, {What::request_after_failure, (x.block.refused >> x.warp.id & 1) != 0});
        Response response{.state = failed};
        if (const auto index = x.grid.cancel_cluster())
            response = {index->x, index->y, index->z, succeeded};
        const auto offset = uint32_t(to.address[lane]);
        if (!request.multicast)
            return respond(x, op, lane, x.block, offset, barrier.offset, response);
        bool good = true;
        for (uint32_t rank = 0; rank < x.grid.blocks_per_cluster && good; ++rank) {
            Block* const peer = x.grid.cluster_block(x.block, rank);
            if (!peer || peer->done())
                report(x, op, {What::exited_peer, true, rank});
            else
                good = respond(x, op, lane, *peer, offset, barrier.offset, response);
        }
        return good;
    });
}

Handler decode_request(Decoder& d) {
    Request request;
    request.multicast = d.has(".multicast::cluster::all");
    if (request.multicast)
        d.need("sm_100f sm_110f sm_120f", "clusterlaunchcontrol.try_cancel with .multicast::cluster::all");
    d.op.address = d.address(0, d.space(".space"));
    request.barrier = d.address(1, d.space(".space"));
    d.op.extra = d.keep(request);
    return try_cancel;
}

Response response_of(Exec& x, const Op& op, int lane) {
    Response response;
    std::memcpy(&response, x.lanes<std::byte>(op.a) + size_t(lane) * sizeof response, sizeof response);
    return response;
}

Flow is_canceled(Exec& x, const Op& op) {
    uint32_t yes = 0;
    for_lanes(x.mask, [&](int lane) {
        const Response response = response_of(x, op, lane);
        yes |= uint32_t(response.state == succeeded) << lane;
        if (response.state == failed)
            x.block.refused |= 1u << x.warp.id;
    });
    x.set_predicate(op.d, yes);
    return Flow::next;
}

/// The coordinates of a request that has failed are undefined, which matters once they are used.
void note_undefined(Exec& x, const std::array<OperandRef, 3>& part, uint32_t undefined) {
    std::array<uint32_t, 32> report{};
    for_lanes(undefined, [&](int lane) {
        report[size_t(lane)] =
            x.listener->undefined_value(x, uint32_t(lane), events::LaunchControlMisused{What::block_of_failure});
    });
    for (const OperandRef& reg : part)
        if (reg.exists())
            x.warp.pending.mark(x.fragment().frame, reg, undefined, report);
}

Flow get_first_ctaid(Exec& x, const Op& op) {
    const auto& part = *static_cast<const std::array<OperandRef, 3>*>(op.extra);
    uint32_t undefined = 0;
    for_lanes(x.mask, [&](int lane) {
        const Response response = response_of(x, op, lane);
        const uint32_t values[] = {response.x, response.y, response.z};
        undefined |= uint32_t(response.state == failed) << lane;
        for (size_t i = 0; i < part.size(); ++i)
            if (part[i].exists())
                x.lanes<uint32_t>(part[i])[lane] = response.state == failed ? 0xdbdbdbdb : values[i];
    });
    if (undefined && x.listener)
        note_undefined(x, part, undefined);
    return Flow::next;
}

Handler decode_query(Decoder& d) {
    d.op.a = d.read(1, sizeof(Response));
    if (d.has(".is_canceled")) {
        d.op.d = predicate_destination(d, d.operand(0));
        return is_canceled;
    }
    std::array<OperandRef, 3> part;
    if (d.has(".vec")) {
        const DataOperand all = loaded(d, 0, 4);
        std::copy(all.part.begin(), all.part.begin() + 3, part.begin());
    } else {
        part[size_t(d.value(".coordinate").back() - 'x')] = destination(d, 0, 4);
    }
    d.op.extra = d.keep(part);
    return get_first_ctaid;
}

} // namespace

INSTRUCTIONS = {
    {.name = "clusterlaunchcontrol.try_cancel",
     .syntax = R"(
        clusterlaunchcontrol.try_cancel.async{.space}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128 [addr], [mbar];
        .space = { .shared::cta };
)",
     .isa = 86,
     .targets = "sm_100",
     .manual = "parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-try-cancel",
     .decode = decode_request,
     .use = Use::sink,
     .effects = {{"", effect::copies | effect::completes_tx}, {".multicast::cluster::all", effect::multicast}},
     .inexact = {{.forms = {},
                  .how = "whether clusters that have not started are cancelled depends on the schedule: none, all, or "
                         "some of them"}}},
    {.name = "clusterlaunchcontrol.query_cancel",
     .syntax = R"(
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, response;
        clusterlaunchcontrol.query_cancel.get_first_ctaid.vec.b32.b128 d, response;
        clusterlaunchcontrol.query_cancel.coordinate.b32.b128 d, response;
        .vec = { .v4 };
        .coordinate = { .get_first_ctaid::x, .get_first_ctaid::y, .get_first_ctaid::z };
)",
     .isa = 86,
     .targets = "sm_100",
     .manual = "parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-query-cancel",
     .decode = decode_query},
};

} // namespace sim::instructions::clusterlaunchcontrol
