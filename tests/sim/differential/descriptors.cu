// Matrix descriptors of wgmma: where in shared memory each element of an operand is read from. The other operand is the
// unit matrix, so the result is the operand itself. Shared memory holds its own addresses, one digit in each pass.
#include <vector>

#include <cuda_fp16.h>

#include "harness.h"

using namespace differential;

namespace {

constexpr uint32_t region = 192 << 10, unit_at = region; ///< behind it: the unit matrix
constexpr int per_line = 8;
constexpr int most_results = 64;

enum Form { b16_a, b16_a_transposed, b16_b, b16_b_transposed, b32_a, b32_b, b8_a, b8_b, forms };
constexpr const char* names[] = {"f16 A",  "f16 A transposed", "f16 B", "f16 B transposed",
                                 "tf32 A", "tf32 B",           "u8 A",  "u8 B"};

#define LIST4(V, N) "+r"(V[N]), "+r"(V[N + 1]), "+r"(V[N + 2]), "+r"(V[N + 3])
#define LIST16(V, N) LIST4(V, N), LIST4(V, N + 4), LIST4(V, N + 8), LIST4(V, N + 12)

/// D = the operand in question, as f32 or (u8) s32.
template <int form>
__device__ void wgmma(uint32_t* d, const uint32_t* unit, uint64_t a, uint64_t b) {
    if constexpr (form == b16_a)
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, 0, 1, 1, 0, 0;"
            : LIST4(d, 0), LIST4(d, 4)
            : "l"(a), "l"(b));
    if constexpr (form == b16_a_transposed)
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, 0, 1, 1, 1, 0;"
            : LIST4(d, 0), LIST4(d, 4)
            : "l"(a), "l"(b));
    if constexpr (form == b32_a)
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0,%1,%2,%3}, %4, %5, 0, 1, 1;"
                     : LIST4(d, 0)
                     : "l"(a), "l"(b));
    if constexpr (form == b8_a)
        asm volatile("wgmma.mma_async.sync.aligned.m64n32k32.s32.u8.u8 "
                     "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, 0;"
                     : LIST16(d, 0)
                     : "l"(a), "l"(b));
#define B_FORM(NUMBER, OP, TAIL)                                                                                       \
    if constexpr (form == NUMBER)                                                                                      \
    asm volatile("wgmma.mma_async.sync.aligned." OP " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17," \
                 "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,"    \
                 "%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, "          \
                 "{%64,%65,%66,%67}, %68, " TAIL ";"                                                                   \
                 : LIST16(d, 0), LIST16(d, 16), LIST16(d, 32), LIST16(d, 48)                                           \
                 : "r"(unit[0]), "r"(unit[1]), "r"(unit[2]), "r"(unit[3]), "l"(b))
    B_FORM(b16_b, "m64n128k16.f32.f16.f16", "0, 1, 1, 0");
    B_FORM(b16_b_transposed, "m64n128k16.f32.f16.f16", "0, 1, 1, 1");
    B_FORM(b32_b, "m64n128k8.f32.tf32.tf32", "0, 1, 1");
    B_FORM(b8_b, "m64n128k32.s32.u8.u8", "0");
}

__host__ __device__ constexpr int element_bytes(int form) {
    return form == b32_a || form == b32_b ? 4 : form == b8_a || form == b8_b ? 1 : 2;
}
__host__ __device__ constexpr bool in_a(int form) {
    return form == b16_a || form == b16_a_transposed || form == b32_a || form == b8_a;
}
__host__ __device__ constexpr int results(int form) {
    return form == b16_a || form == b16_a_transposed ? 8 : form == b32_a ? 4 : form == b8_a ? 16 : 64;
}

/// The number `value` (less than 1024, for u8 less than 256) as an element.
__device__ uint32_t encoded(int bytes, uint32_t value) {
    if (bytes == 1)
        return value & 255;
    if (bytes == 2)
        return __half_as_ushort(__ushort2half_rn((unsigned short)value));
    return __float_as_uint(float(value));
}

template <int form>
__global__ void operands(const uint64_t* descriptors, uint32_t count, uint32_t* out) {
    extern __shared__ __align__(1024) unsigned char memory[];
    constexpr int bytes = element_bytes(form), k = 32 / bytes, digit = bytes == 1 ? 8 : 10;
    const uint32_t thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const uint32_t base = uint32_t(__cvta_generic_to_shared(memory));
    // The unit matrix: in registers as A (64 x k), or in shared memory as B (k x k, 8 x 16 bytes after 8 x 16 bytes).
    uint32_t unit[4];
    for (uint32_t r = 0; r < 4; ++r) {
        unit[r] = 0;
        for (uint32_t i = 0; i < 4 / bytes; ++i) {
            const uint32_t row = 16 * warp + lane / 4 + 8 * (r & 1);
            const uint32_t column = (lane % 4) * (4 / bytes) + i + (r / 2) * (16 / bytes);
            unit[r] |= encoded(bytes, row == column) << (8 * bytes * i);
        }
    }
    for (uint32_t i = thread; i < k * k; i += 128) {
        const uint32_t row = i / k, column = i % k; // of B: k, n
        const uint32_t at = unit_at + column / 8 * 256 + column % 8 * 16 + row * bytes / 16 * 128 + row * bytes % 16;
        const uint32_t value = encoded(bytes, row == column);
        for (int b = 0; b < bytes; ++b)
            memory[at + b] = value >> (8 * b);
    }
    const uint64_t unit_descriptor = uint64_t((base + unit_at) >> 4) | 8ull << 16 | 16ull << 32;
    for (int pass = 0; pass < (bytes == 1 ? 3 : 2); ++pass) {
        __syncthreads();
        for (uint32_t at = thread * 4; at < region; at += 512) {
            uint32_t word = 0;
            for (uint32_t i = 0; i < 4; i += bytes)
                word |= encoded(bytes, (base + at + i) / bytes >> (pass * digit) & ((1 << digit) - 1)) << (8 * i);
            *reinterpret_cast<uint32_t*>(memory + at) = word;
        }
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        for (uint32_t n = 0; n < count; ++n) {
            uint32_t d[most_results];
            for (uint32_t& each : d)
                each = 0;
            const uint64_t tested = descriptors[n];
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            wgmma<form>(d, unit, tested, in_a(form) ? unit_descriptor : tested);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            for (int i = 0; i < results(form); ++i) {
                asm volatile("" : "+r"(d[i])::"memory");
                const uint32_t value = bytes == 1 ? d[i] : uint32_t(__uint_as_float(d[i]));
                out[(n * 128 + thread) * results(form) + i] += value << (pass * digit);
            }
        }
    }
}

uint64_t draw(Random& random, int form, uint32_t base, bool usual) {
    const int mode = int(random.in(0, 3)); // none, 128, 64, 32 bytes
    const uint32_t period = mode ? 2048u >> mode : 128;
    uint32_t start, leading, stride, offset = 0;
    if (usual) {
        start = uint32_t(random.in(0, 7)) * 1024 + uint32_t(random.in(0, 3)) * (mode ? 32 : 256);
        stride = period * uint32_t(random.in(1, 4));
        leading = period * uint32_t(random.in(1, 8));
    } else {
        start = uint32_t(random.in(0, 1023)) * 16;
        stride = uint32_t(random.in(0, 255)) * 16;
        leading = uint32_t(random.in(0, 255)) * 16;
        offset = uint32_t(random.in(0, 7));
    }
    return uint64_t((base + start) >> 4) | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 |
           uint64_t(offset) << 49 | uint64_t(mode) << 62;
}

using Kernel = void (*)(const uint64_t*, uint32_t, uint32_t*);
const Kernel kernels[] = {operands<0>, operands<1>, operands<2>, operands<3>,
                          operands<4>, operands<5>, operands<6>, operands<7>};

} // namespace

int main(int count, char** words) {
    const Arguments a = arguments(count, words);
    for (int number = a.from; number < a.to && number < forms * 2; ++number) {
        const int form = number / 2;
        Random random{uint64_t(number)};
        std::vector<uint64_t> descriptors;
        for (int i = 0; i < per_line; ++i)
            descriptors.push_back(draw(random, form, 1024, number % 2 == 0));
        uint64_t* in;
        uint32_t* out;
        std::vector<uint32_t> result(size_t(per_line) * 128 * results(form));
        MUST(cudaMalloc(&in, per_line * 8));
        MUST(cudaMalloc(&out, result.size() * 4));
        MUST(cudaMemset(out, 0, result.size() * 4));
        MUST(cudaMemcpy(in, descriptors.data(), per_line * 8, cudaMemcpyHostToDevice));
        MUST(cudaFuncSetAttribute(kernels[form], cudaFuncAttributeMaxDynamicSharedMemorySize, int(region) + 2048));
        kernels[form]<<<1, 128, region + 2048>>>(in, uint32_t(per_line), out);
        MUST(cudaGetLastError());
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpy(result.data(), out, result.size() * 4, cudaMemcpyDeviceToHost));
        MUST(cudaFree(in));
        MUST(cudaFree(out));
        std::printf("%d. %s, %s: %016llx\n", number, names[form], number % 2 ? "any" : "usual",
                    (unsigned long long)digest(result.data(), result.size() * 4));
    }
    std::printf("end\n");
}
