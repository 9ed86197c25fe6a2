#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::bank_conflict{
    .name = "bank-conflict",
    .severity = Severity::note,
    .title = "Lanes of a warp access different words of the same shared-memory bank",
    .why = R"(Shared memory has 32 banks of 4-byte words, and a bank delivers one word at a time. When the lanes of a
        warp access n different words of one bank, the access takes n times as long. If the rows of a matrix have 32
        words, all elements of a column are in the same bank.)",
    .remedy = "Pad each row by one element, or permute the columns (swizzle).",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#shared-memory-and-memory-banks",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* access = facts.as<events::BankConflict>();
        if (!access)
            return std::nullopt;
        return Explanation{
            .action = fmt::format("accessed {} byte{} per lane", access->bytes, access->bytes == 1 ? "" : "s"),
            .message = fmt::format("{} different words are in the same bank, so the access takes {} times as long.",
                                   access->words, access->words),
        };
    },
    .wrong = R"cuda(__device__ int in[32][32], out[32][32];

__global__ void transpose() {
    __shared__ int tile[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y][x];
    __syncthreads();
    out[y][x] = tile[x][y]; // 32 lanes, 32 words of one bank
}

int main() {
    transpose<<<1, dim3(32, 32)>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    __shared__ int tile[32][32];
+    __shared__ int tile[32][33];

-    out[y][x] = tile[x][y]; // 32 lanes, 32 words of one bank
+    out[y][x] = tile[x][y];
)",
};

} // namespace sim::hazards
