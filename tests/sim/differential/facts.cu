// What the manuals leave open, measured: one line each.
#include <algorithm>
#include <vector>

#include "copy_kernel.cuh"

using namespace differential;

namespace {

constexpr int most_shared = 226 << 10;

__device__ uint32_t at(const void* pointer) {
    return uint32_t(__cvta_generic_to_shared(pointer));
}
__device__ void init(uint32_t barrier, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n\tfence.proxy.async;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ uint64_t arrive(uint32_t barrier) {
    uint64_t token;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(barrier) : "memory");
    return token;
}
__device__ bool parity_over(uint32_t barrier, uint32_t parity) {
    uint32_t over;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return over;
}
__device__ bool token_over(uint32_t barrier, uint64_t token) {
    uint32_t over;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(barrier), "l"(token)
                 : "memory");
    return over;
}
__global__ void phases(uint32_t* out) {
    __shared__ alignas(8) uint64_t objects[2];
    const uint32_t barrier = at(objects);
    init(barrier, 1);
    *out++ = parity_over(barrier, 1);
    *out++ = parity_over(barrier, 0);
    const uint64_t first = arrive(barrier); // completes phase 0
    *out++ = token_over(barrier, first);
    *out++ = parity_over(barrier, 0);
    *out++ = parity_over(barrier, 1);
    const uint64_t second = arrive(barrier); // phase 1
    *out++ = token_over(barrier, second);
    *out++ = token_over(barrier, first); // a token of two phases ago
    const uint64_t third = arrive(barrier);
    *out++ = token_over(barrier, third);
    *out++ = token_over(barrier, first); // three phases ago
    *out++ = token_over(barrier, second);
}

template <int Bytes>
__device__ void copy_small(uint32_t to, const void* from, uint32_t source_bytes) {
    if constexpr (Bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n\tcp.async.wait_all;" ::"r"(to), "l"(from),
                     "r"(source_bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;\n\tcp.async.wait_all;" ::"r"(to), "l"(from),
                     "r"(source_bytes), "n"(Bytes)
                     : "memory");
}

__global__ void source_sizes(const uint32_t* from, uint32_t bytes, int size, uint32_t* out) {
    __shared__ alignas(128) uint32_t room[16];
    for (int i = 0; i < 16; ++i)
        room[i] = 0x01010101;
    if (size == 16)
        copy_small<16>(at(room), from, bytes);
    else if (size == 8)
        copy_small<8>(at(room), from, bytes);
    else
        copy_small<4>(at(room), from, bytes);
    for (int i = 0; i < 16; ++i)
        out[i] = room[i];
}

struct Device {
    uint32_t *buffer, *out;
    CUtensorMap* published;
    Result* result;
    Device() {
        std::vector<uint32_t> words(1 << 18);
        for (size_t i = 0; i < words.size(); ++i)
            words[i] = i < words.size() / 2 ? uint32_t(i) : mixed(uint32_t(i));
        MUST(cudaMalloc(&buffer, words.size() * 4));
        MUST(cudaMalloc(&out, 1 << 20));
        MUST(cudaMalloc(&published, sizeof *published));
        MUST(cudaMalloc(&result, sizeof *result));
        MUST(cudaMemcpy(buffer, words.data(), words.size() * 4, cudaMemcpyHostToDevice));
        MUST(cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared));
    }
    /// The tile as it lies in shared memory, and what it counted. Empty: said why.
    std::vector<uint32_t> load(const Case& c, uint32_t& counted) {
        static const auto encode = driver<EncodeTiled>("cuTensorMapEncodeTiled");
        CUtensorMap map;
        const int fill = c.replaced ? 0 : c.fill;
        if (const CUresult code = encode(&map, CUtensorMapDataType(c.type), c.rank, buffer, c.dim, c.stride, c.box,
                                         c.step, CUtensorMapInterleave(c.interleave), CUtensorMapSwizzle(c.swizzle),
                                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CUtensorMapFloatOOBfill(fill));
            code != CUDA_SUCCESS) {
            std::printf("encode %d", code);
            return {};
        }
        if (int(c.region()) + 1024 > most_shared) {
            std::printf("encode 0");
            return {};
        }
        copy<<<1, 128, c.region() + 1024>>>(map, c, ptx_types[c.type], true, buffer, published, out, result);
        auto words = get(c.region() / 4);
        Result said;
        MUST(cudaMemcpy(&said, result, sizeof said, cudaMemcpyDeviceToHost));
        counted = said.tx;
        return {words.begin() + (1024 + c.base) / 4, words.end()};
    }
    std::vector<uint32_t> get(size_t words) {
        std::vector<uint32_t> result(words);
        cudaError_t error = cudaGetLastError();
        if (error == cudaSuccess)
            error = cudaDeviceSynchronize();
        if (error != cudaSuccess) {
            std::printf("error %d %s\n", error, cudaGetErrorName(error));
            std::fflush(stdout);
            std::exit(died);
        }
        MUST(cudaMemcpy(result.data(), out, words * 4, cudaMemcpyDeviceToHost));
        return result;
    }
};

Case matrix() {
    Case c;
    c.type = 7;
    c.rank = 2;
    const int dims[] = {64, 64, 4, 4, 4}, strides[] = {256, 16384, 65536, 65536};
    std::copy(dims, dims + 5, c.dim);
    std::copy(strides, strides + 4, c.stride);
    c.box[0] = 32, c.box[1] = 8;
    return c;
}

void nan_fill(Device& device, int type) {
    Case c = matrix();
    c.type = type;
    c.fill = 1;
    c.replaced = floating(type) ? 0 : uint32_t(Field::fill);
    c.rank = 1;
    c.dim[0] = 16 / type_bytes(type), c.box[0] = 32 / type_bytes(type);
    uint32_t counted;
    const auto words = device.load(c, counted);
    if (!words.empty())
        std::printf("%08x %08x | %08x %08x %08x %08x", words[0], words[1], words[4], words[5], words[6], words[7]);
}

void counts(Device& device, const Case& c) {
    std::printf("type %s box %d,%d,%d,%d step %d,%d,%d,%d il %d: ", type_names[c.type], c.box[0], c.box[1], c.box[2],
                c.box[3], c.step[0], c.step[1], c.step[2], c.step[3], 16 * c.interleave);
    std::fflush(stdout);
    uint32_t counted;
    if (!device.load(c, counted).empty())
        std::printf("%u bytes", counted);
}

// Which piece of 16 bytes of the tile each piece of shared memory holds.
void order(Device& device, int swizzle, int base) {
    Case c = matrix();
    c.swizzle = swizzle;
    c.box[0] = 4u << swizzle;
    c.base = base;
    uint32_t counted;
    const auto words = device.load(c, counted);
    for (uint32_t i = 0; i < 32u << swizzle; i += 4)
        std::printf("%s%d.%d", i ? " " : "", words[i] / 64, words[i] % 64 / 4);
}

void large(Device& device, uint32_t height) {
    Case c = matrix();
    c.dim[0] = 256, c.stride[0] = 1024, c.dim[1] = 256;
    c.box[0] = 256, c.box[1] = height;
    uint32_t counted;
    const auto words = device.load(c, counted);
    if (!words.empty())
        std::printf("%u bytes, %016llx", counted, (unsigned long long)digest(words.data(), c.tile_bytes()));
}

void sizes(Device& device, int size, uint32_t bytes) {
    source_sizes<<<1, 1>>>(device.buffer + (1 << 17), bytes, size, device.out);
    const auto words = device.get(16);
    for (int i = 0; i <= size / 4; ++i)
        std::printf("%s%08x", i ? " " : "", words[i]);
}

void waits(Device& device) {
    phases<<<1, 1>>>(device.out);
    const auto r = device.get(10);
    std::printf("fresh barrier: parity 1 %u, parity 0 %u; after phase 0: its token %u, parity 0 %u, parity 1 %u; after "
                "phase 1: its token %u, the token before %u; after phase 2: its token %u, phase 0's %u, phase 1's %u",
                r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9]);
}

constexpr int nan_fills = types, orders = 3 * 5, copy_sizes = 12;
const uint32_t source_bytes[copy_sizes][2] = {{16, 16}, {16, 7}, {16, 0}, {16, 17}, {16, 32}, {16, 0xffffffff},
                                              {8, 9},   {8, 16}, {4, 5},  {4, 8},   {4, 3},   {4, 0x10000001}};
const uint32_t heights[] = {200, 223, 228, 229, 256};
const std::vector<Case> steps = [] {
    std::vector<Case> all;
    auto add = [&](int interleave, std::initializer_list<int> box, std::initializer_list<int> step, int type = 7) {
        Case s = matrix();
        s.type = type;
        s.interleave = interleave;
        s.rank = int(box.size());
        int d = 0;
        for (const int b : box)
            s.box[d++] = cuuint32_t(b);
        d = 0;
        for (const int b : step)
            s.step[d++] = cuuint32_t(b);
        all.push_back(s);
    };
    add(0, {32, 9}, {1, 2});
    add(0, {32, 9}, {2, 2});
    add(0, {32, 9}, {8, 8});
    add(0, {20, 3}, {1, 5});
    add(1, {8, 4, 2}, {1, 1, 1});
    add(1, {8, 4, 2}, {3, 1, 1});
    add(1, {9, 5, 2}, {2, 3, 1}, 0);
    add(1, {9, 5, 2}, {2, 3, 1}, 6);
    add(1, {9, 5, 2}, {1, 1, 2}, 8);
    add(2, {8, 4, 2}, {1, 1, 1});
    add(2, {9, 5, 2, 2}, {2, 3, 1, 1}, 1);
    return all;
}();

} // namespace

int main(int count, char** words) {
    const Arguments a = arguments(count, words);
    Device device;
    const int ends[] = {nan_fills, nan_fills + orders, nan_fills + orders + copy_sizes,
                        nan_fills + orders + copy_sizes + 5, nan_fills + orders + copy_sizes + 5 + int(steps.size())};
    for (int number = a.from; number < a.to && number <= ends[4]; ++number) {
        std::printf("%d. ", number);
        if (number < ends[0]) {
            std::printf("NaN fill of %s%s: ", type_names[number], floating(number) ? "" : " (tensormap.replace)");
            std::fflush(stdout);
            nan_fill(device, number);
        } else if (number < ends[1]) {
            const int n = number - ends[0];
            const int base = n % 5 == 4 ? 1024 : 128 * (n % 5);
            std::printf("swizzle %d, base %d: ", 32 << n / 5, base);
            order(device, 1 + n / 5, base);
        } else if (number < ends[2]) {
            const auto* size = source_bytes[number - ends[1]];
            std::printf("cp.async of %u bytes, src-size %u: ", size[0], size[1]);
            std::fflush(stdout);
            sizes(device, int(size[0]), size[1]);
        } else if (number < ends[3]) {
            std::printf("box of 256 x %u float32: ", heights[number - ends[2]]);
            std::fflush(stdout);
            large(device, heights[number - ends[2]]);
        } else if (number < ends[4]) {
            counts(device, steps[number - ends[3]]);
        } else {
            waits(device);
        }
        std::printf("\n");
        std::fflush(stdout);
    }
    std::printf("end\n");
}
