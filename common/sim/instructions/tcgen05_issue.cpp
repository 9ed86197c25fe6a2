#include "sim/instructions/tcgen05_issue.h"

#include "sim/instructions/matrix_descriptor.h"

namespace sim::instructions::tcgen05 {

bool refuse(Exec& x, const Op& op, const std::string& what) {
    if (x.listener)
        x.listener->misuse(&x.warp, x.mask, &op, events::TensorDescriptorWrong{what});
    x.fail(Fault::illegal_instruction, what);
    return false;
}

uint32_t address(Exec& x, const AddressRef& ref, int lane) {
    uint64_t all[32];
    x.addresses(ref, all);
    return uint32_t(all[lane]);
}

std::vector<Block*> ctas(Exec& x, const Op& op, uint32_t group) {
    if (group == 1)
        return {&x.block};
    Block* const peer = x.grid.cluster_block(x.block, x.block.cluster_rank ^ 1);
    if (!peer) {
        refuse(x, op,
               fmt::format("{} works on a pair of CTAs, ranks {} and {} of a cluster, but this cluster has {}. Launch "
                           "clusters of an even number of blocks.",
                           op.source->opcode, x.block.cluster_rank & ~1u, x.block.cluster_rank | 1,
                           x.grid.blocks_per_cluster));
        return {};
    }
    if (x.block.cluster_rank & 1)
        return {peer, &x.block};
    return {&x.block, peer};
}

bool find_pieces(Exec& x, const Op& op, Block& block, uint64_t bits, bool transposed, uint32_t outer, uint32_t inner,
                 std::vector<uint32_t>& offsets, events::MatrixOperand& read) {
    const auto descriptor = tensor::MatrixDescriptor::tcgen05(bits);
    read.swizzle = descriptor.span == 16 ? 0 : descriptor.span;
    read.base_offset = descriptor.base_offset;
    read.base_period = descriptor.period();
    offsets.reserve(size_t{outer} * inner);
    for (uint32_t o = 0; o < outer; ++o)
        for (uint32_t i = 0; i < inner; ++i) {
            const uint32_t at = transposed ? descriptor.mn_major(16 * i, o) : descriptor.k_major(o, 16 * i);
            if (at + 16 > block.shared.size()) {
                const std::string what =
                    fmt::format("the descriptor of {} reaches shared address {}; the block has {} bytes. {}", read.name,
                                at, block.shared.size(), descriptor.text());
                if (x.listener)
                    x.listener->misuse(&x.warp, x.mask, &op,
                                       events::Stopped{events::Stopped::Why::out_of_bounds, what});
                x.fail(Fault::illegal_address, what);
                return false;
            }
            offsets.push_back(at);
            if (!read.bytes.empty() && read.bytes.back().offset + read.bytes.back().bytes == at)
                read.bytes.back().bytes += 16;
            else
                read.bytes.push_back({.offset = at, .bytes = 16});
        }
    return true;
}

void issue(Exec& x, int lane, events::TensorIssue& what, std::function<void()> carry_out) {
    auto& operations = async::Engine::of(x.block).tensor();
    what.number = x.grid.next.bulk++;
    what.lane = lane;
    what.index = operations.issued(x.warp.id, uint32_t(lane)) + 1;
    if (x.listener)
        x.listener->tensor_issue(x, what);
    operations.issue({.number = what.number,
                      .issuer = async::Issuer::of(x, lane),
                      .group = what.group,
                      .carry_out = std::move(carry_out)});
}

} // namespace sim::instructions::tcgen05
