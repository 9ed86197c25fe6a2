#include <bit>

#include "sim/rules/phrases.h"

namespace sim::hazards {
namespace {

Explanation unwritten(const UnwrittenDownload& copy) {
    const bool whole = copy.first == 0 && copy.end == copy.bytes;
    return {
        .action = whole ? fmt::format("{} copies memory to the host that nothing has written", copy.what)
                        : fmt::format("{} copies {} bytes to the host; nothing has written bytes {} to {} of them",
                                      copy.what, copy.bytes, copy.first, copy.end - 1),
        .message = "Memory from cudaMalloc has no value until a kernel, a copy or cudaMemset has written it.",
        .remedy = "Copy only what the kernel has written, or compare its grid and its bounds with the size of the "
                  "buffer.",
        .severity = Severity::warning,
    };
}

/// "byte 3", "bytes 2 to 3", "bytes 0 and 2".
std::string bytes_of(uint32_t mask) {
    const int first = std::countr_zero(mask), last = 31 - std::countl_zero(mask);
    if (first == last)
        return fmt::format("byte {}", first);
    if (std::popcount(mask) == last - first + 1)
        return fmt::format("bytes {} to {}", first, last);
    std::string text;
    for (int i = first; i <= last; ++i)
        if (mask >> i & 1)
            text += fmt::format("{}{}", i == first ? "bytes " : i == last ? " and " : ", ", i);
    return text;
}

Explanation partly_unwritten(const Conflict& conflict) {
    return {
        .action = fmt::format("read {} memory of which nothing has written {}", conflict.memory(),
                              bytes_of(conflict.missing)),
        .message = fmt::format("One load reads several bytes at once. Some of them have been written, but not {}, and "
                               "the program uses these, too.",
                               bytes_of(conflict.missing)),
    };
}

Explanation unwritten(const TensorUnwritten& matrix) {
    const bool added = matrix.operand == 'D';
    Explanation text{
        .action = "issued a tcgen05.mma that reads Tensor Memory in which nothing has been written",
        .message = fmt::format("The operation reads {}, from lane {} of column {} on, and nothing has written these "
                               "cells since they were allocated.",
                               added                   ? "D"
                               : matrix.operand == 'A' ? "A"
                               : matrix.operand == 'S' ? "the scale factors of A (scale-A)"
                                                       : "the scale factors of B (scale-B)",
                               matrix.lane, matrix.column),
        .remedy = "Store the matrix, or copy it there by tcgen05.cp, before the multiplication.",
    };
    if (added) {
        text.message += " Because enable-input-d is true, the product is added to the contents of D.";
        text.remedy = "Pass enable-input-d as false for the first product of each accumulator, or store zeros there "
                      "and wait for the stores.";
    }
    return text;
}

} // namespace

const Rule rule::uninitialised_read{
    .name = "uninitialised-read",
    .title = "Memory is read before anything has written it",
    .why = R"(Shared memory, and global memory from cudaMalloc, starts with whatever was there before. Bytes that no
        tile fills, such as those beyond the end of the last, ragged tile, have no value until a thread or a copy
        writes them.)",
    .remedy = "Write (or copy) the bytes before you read them; check the sizes and the tail of the last tile.",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#shared-memory",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (facts.as<NeverWritten>())
            return Explanation{.message = "No thread has written these bytes of shared memory since the block began."};
        if (const auto* matrix = facts.as<TensorUnwritten>())
            return unwritten(*matrix);
        if (const auto* download = facts.as<UnwrittenDownload>())
            return unwritten(*download);
        const auto* conflict = facts.as<Conflict>();
        if (!conflict || !conflict->undefined())
            return std::nullopt;
        if (conflict->missing)
            return partly_unwritten(*conflict);
        return Explanation{
            .action = fmt::format("{} {} memory that nothing has written", conflict->writes() ? "updated" : "read",
                                  conflict->memory()),
            .message = fmt::format("Nothing has written these bytes of {} memory since they were allocated.",
                                   conflict->memory()),
        };
    },
    .wrong = R"cuda(__device__ int in[48], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    if (i < 48)
        tile[i] = in[i]; // wrong: nothing is stored to the last 16 elements
    __syncthreads();
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    if (i < 48)
-        tile[i] = in[i]; // wrong: nothing is stored to the last 16 elements
+    tile[i] = i < 48 ? in[i] : 0;
)",
};

} // namespace sim::hazards
