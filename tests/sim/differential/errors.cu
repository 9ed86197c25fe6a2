// What each kind of mistake is answered with: the code, its wording, and what still works afterwards.
#include <utility>
#include <vector>

#include "mistakes.cuh"

using namespace differential;

namespace {

__global__ void nothing() {}

std::string text(cudaError_t error) {
    return std::to_string(int(error)) + " " + cudaGetErrorName(error);
}

/// The error, and what the runtime says afterwards.
bool aftermath(cudaError_t launch, cudaError_t error) {
    const cudaError_t peek = cudaPeekAtLastError(), last = cudaGetLastError(), again = cudaGetLastError();
    void* more = nullptr;
    const cudaError_t later = cudaMalloc(&more, 64), free = cudaFree(nullptr);
    std::printf("%s \"%s\"", text(error).c_str(), cudaGetErrorString(error));
    if (launch)
        std::printf(", from the launch");
    std::printf("; peek %d, last %d, again %d, cudaMalloc %d, cudaFree %d", peek, last, again, later, free);
    const bool dead = later != cudaSuccess;
    if (dead) {
        std::printf("; reset %d", cudaDeviceReset());
        const cudaError_t revived = cudaMalloc(&more, 64);
        std::printf(", cudaMalloc %d", revived);
    }
    std::printf("\n");
    return !dead;
}

struct HostMistake {
    const char* name;
    cudaError_t (*make)(char* memory);
};

cudaError_t launch(dim3 grid, dim3 block, size_t shared, int cluster = 0, bool cooperative = false) {
    cudaLaunchAttribute attributes[2]{};
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.attrs = attributes;
    if (cluster) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs++].val.clusterDim = {unsigned(cluster), 1, 1};
    }
    if (cooperative) {
        attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
        attributes[config.numAttrs++].val.cooperative = 1;
    }
    return cudaLaunchKernelEx(&config, nothing);
}

const HostMistake host_mistakes[] = {
    {"<<<1, 1025>>>",
     [](char*) {
         nothing<<<1, 1025>>>();
         return cudaPeekAtLastError();
     }},
    {"<<<0, 1>>>",
     [](char*) {
         nothing<<<0, 1>>>();
         return cudaPeekAtLastError();
     }},
    {"<<<1, 1, 300 KiB>>>",
     [](char*) {
         nothing<<<1, 1, 300 << 10>>>();
         return cudaPeekAtLastError();
     }},
    {"<<<1, 1025>>>, what cudaDeviceSynchronize says",
     [](char*) {
         nothing<<<1, 1025>>>();
         return cudaDeviceSynchronize();
     }},
    {"cudaLaunchKernel of 1025 threads",
     [](char*) { return cudaLaunchKernel(reinterpret_cast<const void*>(nothing), 1, 1025, nullptr, 0, nullptr); }},
    {"cudaLaunchCooperativeKernel of 2^20 blocks",
     [](char*) {
         return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(nothing), 1 << 20, 1, nullptr, 0, nullptr);
     }},
    {"cudaLaunchKernelEx: 1025 threads", [](char*) { return launch(1, 1025, 0); }},
    {"block of 1 x 1 x 65", [](char*) { return launch(1, dim3(1, 1, 65), 0); }},
    {"no blocks", [](char*) { return launch(dim3(0), 1, 0); }},
    {"no threads", [](char*) { return launch(1, dim3(0), 0); }},
    {"grid of 1 x 65536", [](char*) { return launch(dim3(1, 65536), 1, 0); }},
    {"60 KiB of dynamic shared memory, not asked for", [](char*) { return launch(1, 1, 60 << 10); }},
    {"300 KiB of dynamic shared memory", [](char*) { return launch(1, 1, 300 << 10); }},
    {"attribute for 228 KiB of dynamic shared memory",
     [](char*) { return cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10); }},
    {"cluster of 16 without the attribute", [](char*) { return launch(16, 1, 0, 16); }},
    {"cluster of 3 blocks, grid of 4", [](char*) { return launch(4, 1, 0, 3); }},
    {"cooperative grid of 2^20 blocks", [](char*) { return launch(1 << 20, 1, 0, 0, true); }},
    {"cudaMemcpy to nowhere",
     [](char* memory) { return cudaMemcpy(memory + (size_t{1} << 40), memory, 16, cudaMemcpyDeviceToDevice); }},
    {"cudaMemcpy of kind 9", [](char* memory) { return cudaMemcpy(memory, memory + 64, 16, cudaMemcpyKind(9)); }},
    {"cudaMemset beyond the end of everything",
     [](char* memory) { return cudaMemset(memory + (size_t{1} << 40), 0, 16); }},
    {"cudaFree inside an allocation", [](char* memory) { return cudaFree(memory + 256); }},
    {"cudaFree twice",
     [](char*) {
         void* p;
         cudaMalloc(&p, 64);
         cudaFree(p);
         return cudaFree(p);
     }},
    {"cudaFreeHost of a stranger",
     [](char*) {
         static char stranger[64];
         return cudaFreeHost(stranger);
     }},
    {"cudaMalloc of 2^50 bytes",
     [](char*) {
         void* p;
         return cudaMalloc(&p, size_t{1} << 50);
     }},
    {"cudaMalloc into a null pointer", [](char*) { return cudaMalloc(static_cast<void**>(nullptr), 16); }},
    {"cudaSetDevice(99)", [](char*) { return cudaSetDevice(99); }},
    {"cudaEventElapsedTime of events not recorded",
     [](char*) {
         cudaEvent_t a, b;
         cudaEventCreate(&a);
         cudaEventCreate(&b);
         float ms;
         return cudaEventElapsedTime(&ms, a, b);
     }},
    {"cudaGetDeviceProperties of device 99",
     [](char*) {
         cudaDeviceProp p;
         return cudaGetDeviceProperties(&p, 99);
     }},
    {"cudaHostRegister twice",
     [](char*) {
         alignas(4096) static char page[4096];
         cudaHostRegister(page, 4096, 0);
         return cudaHostRegister(page, 4096, 0);
     }},
};
constexpr int host_mistake_count = int(sizeof host_mistakes / sizeof *host_mistakes);

bool device_mistake(int mistake, char* memory) {
    static const auto encode = driver<EncodeTiled>("cuTensorMapEncodeTiled");
    const cuuint64_t dim[] = {64, 64}, stride[] = {256};
    const cuuint32_t box[] = {32, 8}, step[] = {1, 1};
    char* const far = memory + (size_t{1} << 40);
    CUtensorMap map, far_map;
    for (auto [into, address] : {std::pair{&map, memory}, {&far_map, far}})
        if (encode(into, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, address, dim, stride, box, step,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
            std::exit(1);
    std::vector<char> maps(1024);
    std::memcpy(maps.data(), &map, 128);
    std::memset(maps.data() + 128, 0xff, 128);
    std::memcpy(maps.data() + 400, &map, 128);
    char* device_maps;
    int* result;
    int value = 0;
    MUST(cudaMalloc(&device_maps, maps.size()));
    MUST(cudaMemcpy(device_maps, maps.data(), maps.size(), cudaMemcpyHostToDevice));
    MUST(cudaMalloc(&result, 4));
    MUST(cudaFuncSetAttribute(blunder, cudaFuncAttributeMaxDynamicSharedMemorySize, 226 << 10));
    blunder<<<1, 1, 226 << 10>>>(mistake, map, far_map, memory, far, device_maps, result);
    const cudaError_t launched = cudaPeekAtLastError();
    if (const cudaError_t error = launched ? launched : cudaDeviceSynchronize(); error != cudaSuccess)
        return aftermath(launched, error);
    MUST(cudaMemcpy(&value, result, 4, cudaMemcpyDeviceToHost));
    std::printf("%s\n", value == 2 ? "no error; the barrier's phase never ends" : "no error");
    return true;
}

} // namespace

int main(int count, char** words) {
    const Arguments a = arguments(count, words);
    for (int number = a.from; number < a.to && number < mistakes + host_mistake_count; ++number) {
        const bool on_device = number < mistakes;
        std::printf("%d. %s: ", number, on_device ? mistake_names[number] : host_mistakes[number - mistakes].name);
        std::fflush(stdout);
        char* memory;
        MUST(cudaMalloc(&memory, 1 << 20));
        bool lives = true;
        if (on_device)
            lives = device_mistake(number, memory);
        else if (const cudaError_t error = host_mistakes[number - mistakes].make(memory); error != cudaSuccess)
            lives = aftermath(cudaSuccess, error);
        else
            std::printf("no error\n");
        std::fflush(stdout);
        if (!lives)
            std::exit(died);
        MUST(cudaDeviceSynchronize());
        MUST(cudaFree(memory));
    }
    std::printf("end\n");
}
