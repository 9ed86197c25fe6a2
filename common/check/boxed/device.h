// What the checker and the device's process agree on before they talk (check/message.h).
#pragma once

#include <cstdint>

namespace check::boxed {

constexpr int control = 3, shared = 4; ///< descriptors
/// A program chooses how much its device needs: a million registers a thread, say. A machine that grades others beside
/// it is not to run out of memory for that. Honest programs that use all of the device's 1 GiB need 1.6 GiB.
constexpr uint64_t data_bytes = uint64_t{3} << 30;
constexpr uint32_t processor_seconds = 3600; ///< of one process, which serves many runs
constexpr int out_of_memory = 77;            ///< exit code

} // namespace check::boxed
