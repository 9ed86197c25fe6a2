// Numbers that cannot be predicted.
#pragma once

#include <cstdint>

#include <sys/random.h>

namespace base {

/// From the system; below 2^53, so that every reader of JSON keeps its exact value. Never 0.
inline uint64_t fresh_seed() {
    uint64_t seed = 0;
    while (seed == 0) {
        if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
            continue;
        seed &= (uint64_t{1} << 53) - 1;
    }
    return seed;
}

} // namespace base
