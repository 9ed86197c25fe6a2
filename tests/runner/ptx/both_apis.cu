// Memory from the runtime API, a kernel from the driver API.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <cuda.h>

int main(int, char** arguments) {
    std::ifstream file(arguments[1]);
    const std::string ptx(std::istreambuf_iterator<char>(file), {});
    float numbers[256], two = 2, *in, *out;
    for (int i = 0; i < 256; ++i)
        numbers[i] = float(i);
    cudaMalloc(&in, sizeof numbers);
    cudaMalloc(&out, sizeof numbers);
    cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    CUmodule module;
    CUfunction kernel;
    void* parameters[] = {&in, &out, &two};
    if (cuModuleLoadData(&module, ptx.c_str()) || cuModuleGetFunction(&kernel, module, "twice") ||
        cuLaunchKernel(kernel, 2, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr) ||
        cuMemcpyDtoH(numbers, reinterpret_cast<CUdeviceptr>(out), sizeof numbers))
        return 1;
    std::printf("%g\n", numbers[255]);
}
