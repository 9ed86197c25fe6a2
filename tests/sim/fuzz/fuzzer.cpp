// A target under libFuzzer. See docs/adding.md.
#include <cstddef>
#include <cstdint>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sim::fuzz::FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
    return 0;
}
