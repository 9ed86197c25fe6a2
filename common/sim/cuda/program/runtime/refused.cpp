// Functions that are refused by name.
#include <string>

#include "sim/cuda/program/session.h"

namespace {

int refuse(const char* name) {
    constexpr int not_supported = 801; // cudaErrorNotSupported
    sim::cuda::Session::get().say(std::string(name) + " is not supported by the simulated device");
    sim::cuda::report_refused(name);
    return not_supported;
}

} // namespace

// The toolkit's headers are not included here: whatever the parameters are, they are not looked at, and in this calling
// convention the caller removes them. Weak: a definition in another file takes precedence.
#define ASYNCLAB_REFUSE(name)                                                                                          \
    extern "C" __attribute__((visibility("default"), weak)) int name() {                                               \
        return refuse(#name);                                                                                          \
    }
#include "sim/cuda/program/driver/refused_functions.inc"
#include "sim/cuda/program/runtime/refused_functions.inc"
#undef ASYNCLAB_REFUSE
