// The PTX front end under libFuzzer. See docs/adding.md.
#include "front_end.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sim::ptx::accepted({reinterpret_cast<const char*>(data), size});
    return 0;
}
