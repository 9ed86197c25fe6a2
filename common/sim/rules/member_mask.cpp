#include <fmt/format.h>

#include "sim/rules/list.h"

namespace sim::hazards {

namespace {

Explanation outside(const events::LaneNotInMask& misuse) {
    if (misuse.member >> misuse.lane & 1) // in its own mask, but not in that of the lanes that name it
        return {
            .action = fmt::format("executed {} with a mask that names lanes with another mask", misuse.instruction),
            .message = misuse.what,
            .remedy = "Pass the same mask in all lanes that take part together: each mask names the lanes that pass "
                      "it, and no others.",
        };
    return {
        .action = fmt::format("executed {} with a mask that does not name them", misuse.instruction),
        .message =
            fmt::format("Lane {} is not in its own mask {:#010x}: the mask of a .sync instruction has to name every "
                        "lane that executes it, so this is undefined.",
                        misuse.lane, misuse.member),
        .remedy =
            "Pass a mask that names all lanes that come here, this one included, and let no other lane execute the "
            "instruction with it.",
    };
}

Explanation from_nobody(const events::ShuffledFromNobody& misuse) {
    using Why = events::ShuffledFromNobody::Why;
    const std::string which = misuse.why == Why::never_existed
                                  ? fmt::format("does not exist: this warp has only {} lanes", misuse.population)
                              : misuse.why == Why::exited ? "has left the kernel"
                                                          : fmt::format("is not in the mask {:#010x}", misuse.member);
    return {
        .action = "used what the shuffle brought from a lane that takes no part in it",
        .message = fmt::format("Lane {} reads from lane {}, which {}. The value that it gets is undefined.",
                               misuse.lane, misuse.from, which),
        .remedy =
            misuse.why == Why::not_a_member
                ? "Let the lanes read from lanes of the mask only (the width of the shuffle keeps them within their "
                  "group), or leave out what comes from elsewhere."
                : "Leave out what comes from lanes beyond the end (if (lane + offset < lanes) sum += other), or let "
                  "all 32 lanes of the warp take part, with a neutral value in those that have no element.",
    };
}

Explanation momentary(const events::MaskOfTheMoment& misuse) {
    return {
        .action = misuse.barrier ? "synchronised with the lanes that happened to run with them"
                                 : "shuffled among the lanes that happened to run with them",
        .message = fmt::format(
            "The mask comes from __activemask(), which names the lanes that happen to run together at that moment: not "
            "all lanes that enter a branch have to. {} relies on particular lanes.",
            misuse.barrier ? "A barrier" : "A shuffle between fixed lanes"),
        .remedy =
            "Compute the mask from the condition of the branch before the lanes part (__ballot_sync(), in which all "
            "of them take part).",
        .severity = Severity::warning,
    };
}

} // namespace

const Rule rule::member_mask{
    .name = "member-mask",
    .title = "The member mask of a warp's instruction does not fit the lanes that take part",
    .why = R"(A .sync instruction of a warp (shuffle, vote, match, reduction, __syncwarp()) takes a mask of the lanes
        that execute it together. Each of those lanes has to be in its own mask, and a shuffle may read only from lanes
        that take part: what it brings from a lane outside of the mask, beyond the end of the block or gone from the
        kernel is undefined. __activemask() is no way to get such a mask: lanes in the same branch need not run
        together.)",
    .remedy = "Pass a mask that names exactly the lanes that execute the instruction together.",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#warp-shuffle-functions",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* misuse = facts.as<events::LaneNotInMask>())
            return outside(*misuse);
        if (const auto* misuse = facts.as<events::ShuffledFromNobody>())
            return from_nobody(*misuse);
        if (const auto* misuse = facts.as<events::MaskOfTheMoment>())
            return momentary(*misuse);
        return std::nullopt;
    },
    .wrong = R"cuda(__device__ int in[64], out[64];

__global__ void sum_of_eight() {
    const int i = threadIdx.x;
    const unsigned mask = 0xffu << i % 4 * 8; // wrong: the groups of eight lanes are numbered i % 32 / 8
    int sum = in[i];
    for (int step = 4; step > 0; step /= 2)
        sum += __shfl_xor_sync(mask, sum, step);
    out[i] = sum;
}

int main() {
    sum_of_eight<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    const unsigned mask = 0xffu << i % 4 * 8; // wrong: the groups of eight lanes are numbered i % 32 / 8
+    const unsigned mask = 0xffu << i % 32 / 8 * 8;
)",
};

} // namespace sim::hazards
