#pragma once

#include <stdexcept>

namespace sim::hazards {

/// A cell's field has no room for one more.
struct Exhausted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace sim::hazards
