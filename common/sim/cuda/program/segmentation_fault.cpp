#include "sim/cuda/program/segmentation_fault.h"

#include <algorithm>
#include <cstdio>

#include <unistd.h>

namespace sim::cuda {

namespace {

void write_text(const char* text, int length) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, static_cast<size_t>(std::max(length, 0)));
}

} // namespace

void explain_device_pointer(uint64_t address, const void* code, HostWatch::Lookup lookup) {
    char text[512];
    uint64_t base = 0, bytes = 0;
    int length = 0;
    const bool known = lookup && lookup(address, base, bytes);
    if (known)
        length =
            std::snprintf(text, sizeof text,
                          "asynclab: the host dereferenced device pointer %#llx (byte %llu of %llu allocated by "
                          "cudaMalloc) at code address %p. Copy it to host memory with cudaMemcpy first.\n",
                          static_cast<unsigned long long>(address), static_cast<unsigned long long>(address - base),
                          static_cast<unsigned long long>(bytes), code);
    else
        length =
            std::snprintf(text, sizeof text,
                          "asynclab: the host dereferenced %#llx, an address of device memory, at code address %p. "
                          "Copy it to host memory with cudaMemcpy first.\n",
                          static_cast<unsigned long long>(address), code);
    write_text(text, std::min(length, static_cast<int>(sizeof text) - 1));
}

void explain_freed_memory() {
    static constexpr char text[] =
        "asynclab: the host touched pinned memory that was never allocated or has been freed (cudaFreeHost).\n";
    write_text(text, sizeof text - 1);
}

} // namespace sim::cuda
