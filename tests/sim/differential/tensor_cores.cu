// Matrix instructions of tensor cores: random operands of every type, and what their results are, bit for bit.
#include <algorithm>
#include <vector>

#include "harness.h"
#include "tensor_forms.cuh"

using namespace differential;

namespace {

constexpr int trials = 10; ///< of each form; each draws its operands in another way, see element()

struct Format {
    int bits, exponent, mantissa;
};
/// Of a floating type; integers have no exponent.
constexpr Format formats[] = {{16, 5, 10}, {16, 8, 7}, {32, 8, 23}, {32, 8, 23}, {64, 11, 52}, {8, 4, 3}, {8, 5, 2},
                              {8, 0, 0},   {8, 0, 0},  {4, 0, 0},   {4, 0, 0},   {1, 0, 0},    {32, 0, 0}};

/// An element's bits. `how`: 0 all finite numbers, 1 near one, 2 within 2^±6, 3 subnormal and small, 4 near one with
/// zeros, infinities and NaNs.
uint64_t element(Random& random, Kind kind, int how) {
    const Format f = formats[kind];
    const uint64_t any = random.next() >> 3;
    if (!f.exponent)
        return kind == s32 && how ? any % 65536 : any & ((1ull << f.bits) - 1);
    const int top = (1 << f.exponent) - 1, bias = top / 2;
    int64_t exponent = how == 0   ? random.in(0, kind == e4m3 ? top : top - 1)
                       : how == 2 ? random.in(std::max(bias - 6, 0), std::min(bias + 6, top - 1))
                       : how == 3 ? random.in(0, 3)
                                  : random.in(bias - 1, bias + 1);
    if (how == 0 && (kind == f32 || kind == f64))
        exponent = random.in(bias - 40, bias + 40);
    if (how == 3 && kind == f32)
        exponent = random.in(bias - 50, bias - 20);
    uint64_t mantissa = any & ((1ull << f.mantissa) - 1);
    if (how == 4) {
        const int64_t which = random.in(0, 99);
        if (which < 20)
            exponent = 0, mantissa = 0;
        else if (which < 22)
            exponent = top, mantissa = kind == e4m3 ? 7 : which & 1;
    }
    if (kind == e4m3 && exponent == top && mantissa == 7 && how != 4)
        mantissa = 6; // the largest number, not a NaN
    const uint64_t sign = random.next() >> 63;
    return sign << (f.bits - 1) | uint64_t(exponent) << f.mantissa | mantissa;
}

void draw(Random& random, Kind kind, int how, uint32_t* words, size_t count) {
    const int bits = formats[kind].bits;
    if (bits == 64)
        for (size_t i = 0; i < count; i += 2) {
            const uint64_t value = element(random, kind, how);
            words[i] = uint32_t(value), words[i + 1] = uint32_t(value >> 32);
        }
    else
        for (size_t i = 0; i < count; ++i) {
            words[i] = 0;
            for (int at = 0; at < 32; at += bits)
                words[i] |= uint32_t(element(random, kind, how)) << at;
        }
}

/// A block runs one trial.
template <class Form>
__global__ void multiply(const uint32_t* as, const uint32_t* bs, const uint32_t* cs, uint32_t* ds) {
    constexpr Counts n = Form::counts;
    const uint32_t lane = blockIdx.x * 32 + threadIdx.x;
    uint32_t a[n.a], b[n.b], c[n.c], d[n.c];
    for (int i = 0; i < n.a; ++i)
        a[i] = as[lane * n.a + i];
    for (int i = 0; i < n.b; ++i)
        b[i] = bs[lane * n.b + i];
    for (int i = 0; i < n.c; ++i)
        c[i] = cs[lane * n.c + i];
    Form::run(d, a, b, c);
    for (int i = 0; i < n.c; ++i)
        ds[lane * n.c + i] = d[i];
}

__device__ uint64_t descriptor(uint32_t address, uint32_t leading, uint32_t stride) {
    return uint64_t(address >> 4) | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32;
}

template <class Form>
__global__ void multiply_group(const uint32_t* as, const uint32_t* bs, const uint32_t* cs, uint32_t* ds) {
    constexpr Counts n = Form::counts;
    __shared__ alignas(256) uint32_t matrix[64];
    const uint32_t thread = blockIdx.x * 128 + threadIdx.x;
    if (threadIdx.x < 64)
        matrix[threadIdx.x] = bs[blockIdx.x * 64 + threadIdx.x];
    uint32_t a[4], d[n.c];
    for (int i = 0; i < 4; ++i)
        a[i] = as[thread * 4 + i];
    for (int i = 0; i < n.c; ++i)
        d[i] = cs[thread * n.c + i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int i = 0; i < n.c; ++i)
        asm volatile("" : "+r"(d[i])::"memory");
    Form::run(d, a, descriptor(uint32_t(__cvta_generic_to_shared(matrix)), 128, 256));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < n.c; ++i)
        asm volatile("" : "+r"(d[i])::"memory");
    for (int i = 0; i < n.c; ++i)
        ds[thread * n.c + i] = d[i];
}

struct Operands {
    std::vector<uint32_t> a, b, c, d;
};

uint32_t* upload(const std::vector<uint32_t>& words) {
    uint32_t* to;
    MUST(cudaMalloc(&to, words.size() * 4));
    MUST(cudaMemcpy(to, words.data(), words.size() * 4, cudaMemcpyHostToDevice));
    return to;
}

using Kernel = void (*)(const uint32_t*, const uint32_t*, const uint32_t*, uint32_t*);

struct Case {
    const char* name;
    Kernel kernel;
    int threads;
    Counts counts;
    Kind at, bt, ct;
};

Operands run(const Case& c, int number) {
    Random random(uint64_t(number) + 1000);
    Operands o;
    o.a.resize(size_t(trials) * c.threads * c.counts.a);
    o.b.resize(size_t(trials) * (c.counts.b ? c.threads * c.counts.b : 64));
    o.c.resize(size_t(trials) * c.threads * c.counts.c);
    o.d.resize(o.c.size());
    const size_t as = o.a.size() / trials, bs = o.b.size() / trials, cs = o.c.size() / trials;
    for (int trial = 0; trial < trials; ++trial) {
        const int how = trial % 5;
        draw(random, c.at, how, &o.a[trial * as], as);
        draw(random, c.bt, how == 3 ? 2 : how, &o.b[trial * bs], bs);
        draw(random, c.ct, how, &o.c[trial * cs], cs);
    }
    uint32_t *a = upload(o.a), *b = upload(o.b), *in = upload(o.c), *d = upload(o.d);
    c.kernel<<<trials, c.threads>>>(a, b, in, d);
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(o.d.data(), d, o.d.size() * 4, cudaMemcpyDeviceToHost));
    for (uint32_t* buffer : {a, b, in, d})
        MUST(cudaFree(buffer));
    return o;
}

#define MMA_CASE(NAME, OP, A, B, C, AT, BT, CT) {"mma " OP, multiply<mma_##NAME>, 32, mma_##NAME::counts, AT, BT, CT},
#define MMA_F64_CASE(NAME, OP, A, B, C) {"mma " OP, multiply<mma_##NAME>, 32, mma_##NAME::counts, f64, f64, f64},
#define WGMMA_CASE(NAME, OP, TAIL, D, AT, BT, DT)                                                                      \
    {"wgmma " OP ", " TAIL, multiply_group<wgmma_##NAME>, 128, wgmma_##NAME::counts, AT, BT, DT},

const Case cases[] = {MMA_FORMS(MMA_CASE) MMA_F64_FORMS(MMA_F64_CASE) WGMMA_FORMS(WGMMA_CASE)};
constexpr int case_count = int(sizeof cases / sizeof *cases);

} // namespace

int main(int count, char** words) {
    const Arguments a = arguments(count, words);
    for (int number = a.from; number < a.to && number < case_count; ++number) {
        const Case& c = cases[number];
        const Operands o = run(c, number);
        std::printf("%d. %s: %016llx\n", number, c.name, (unsigned long long)digest(o.d.data(), o.d.size() * 4));
        for (size_t i = 0; a.dump && i < o.d.size(); ++i)
            std::printf("%08x%c", o.d[i], i % 8 == 7 ? '\n' : ' ');
    }
    std::printf("end\n");
}
