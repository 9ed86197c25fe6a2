// Tensor copies of all kinds, one line each: what was copied, and a digest of the bytes that it left behind.
#include <vector>

#include "copy_kernel.cuh"

using namespace differential;

namespace {

CUresult encode(const Case& c, char* tensor, CUtensorMap& map) {
    static const auto tiled = driver<EncodeTiled>("cuTensorMapEncodeTiled");
    static const auto im2col = driver<EncodeIm2col>("cuTensorMapEncodeIm2col");
    const auto type = CUtensorMapDataType(c.type);
    const auto interleave = CUtensorMapInterleave(c.interleave);
    const auto swizzle = CUtensorMapSwizzle(c.swizzle);
    const auto fill = CUtensorMapFloatOOBfill(c.fill);
    if (c.im2col())
        return im2col(&map, type, c.rank, tensor, c.dim, c.stride, c.lower, c.upper, c.channels, c.pixels, c.step,
                      interleave, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
    return tiled(&map, type, c.rank, tensor, c.dim, c.stride, c.box, c.step, interleave, swizzle,
                 CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
}

/// Runs of consecutive words: gN is word N of the tensor's buffer, sN of shared memory, xHEX is something else.
void show(const char* what, const std::vector<uint32_t>& words, const std::vector<uint32_t>& before) {
    std::printf("  %s:", what);
    for (size_t i = 0; i < words.size();) {
        size_t end = i + 1;
        const bool same = words[i] == before[i];
        const bool counts = !same && (words[i] & 0x7fffffff) < (1u << 20) && words[i];
        while (end < words.size() &&
               (same ? words[end] == before[end]
                     : words[end] != before[end] && words[end] == (counts ? words[end - 1] + 1 : words[i])))
            ++end;
        const long place = long(i) - (what[0] == 's' ? 256 : guard / 4);
        if (!same && counts)
            std::printf(" %ld+%zu=%c%ld", place, end - i, words[i] >> 31 ? 's' : 'g',
                        words[i] >> 31 ? long(words[i] & 0x7fffffff) - 256 : long(words[i]) - guard / 4);
        else if (!same)
            std::printf(" %ld+%zu=x%x", place, end - i, words[i]);
        i = end;
    }
    std::printf("\n");
}

struct Device {
    char* buffer;
    uint32_t* after;
    CUtensorMap* published;
    Result* result;
    std::vector<uint32_t> before = std::vector<uint32_t>(buffer_bytes / 4), now = before;

    Device() {
        MUST(cudaMalloc(&buffer, buffer_bytes));
        MUST(cudaMalloc(&after, most_tile_bytes + 8192));
        MUST(cudaMalloc(&published, sizeof *published));
        MUST(cudaMalloc(&result, sizeof *result));
        MUST(cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, most_tile_bytes + 8192));
    }
};

bool run(Device& device, const Case& c, bool dump) {
    CUtensorMap map{};
    char* const tensor = device.buffer + guard + c.offset;
    const Case start = c.replaced ? template_of(c) : c;
    if (!c.from_zeros)
        if (const CUresult code = encode(start, device.buffer + guard + start.offset, map); code != CUDA_SUCCESS) {
            std::printf("encode %d\n", code);
            return true;
        }
    for (size_t i = 0; i < device.before.size(); ++i)
        device.before[i] = dump ? uint32_t(i) : pattern(uint32_t(i), 0xda7a, c.type, c.data);
    MUST(cudaMemcpy(device.buffer, device.before.data(), buffer_bytes, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(device.published, &map, sizeof map, cudaMemcpyHostToDevice));
    MUST(cudaMemset(device.result, 0, sizeof(Result)));
    copy<<<1, 128, c.region() + 1024>>>(map, c, ptx_types[c.type], dump, tensor, device.published, device.after,
                                        device.result);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        std::printf("error %d %s\n", error, cudaGetErrorName(error));
        return false;
    }
    Result result;
    MUST(cudaMemcpy(&result, device.result, sizeof result, cudaMemcpyDeviceToHost));
    std::vector<uint32_t> room(c.region() / 4), room_before(room.size());
    MUST(cudaMemcpy(room.data(), device.after, c.region(), cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(device.now.data(), device.buffer, buffer_bytes, cudaMemcpyDeviceToHost));
    if (c.loads())
        std::printf("tx %d ", int(result.tx));
    std::printf("%016llx\n", (unsigned long long)(c.loads() ? digest(room.data(), c.region())
                                                            : digest(device.now.data(), buffer_bytes)));
    if (dump) {
        for (size_t i = 0; i < room.size(); ++i)
            room_before[i] = 0x80000000u | uint32_t(i);
        show("shared", room, room_before);
        show("global", device.now, device.before);
    }
    return true;
}

} // namespace

int main(int count, char** words) {
    const Arguments a = arguments(count, words);
    Device device;
    for (int number = a.from; number < a.to && number < cases; ++number) {
        const Case c = make_case(number);
        std::printf("%d. %s: ", number, describe(c).c_str());
        std::fflush(stdout);
        const bool lives = run(device, c, a.dump);
        std::fflush(stdout);
        if (!lives)
            std::exit(died);
    }
    std::printf("end\n");
}
