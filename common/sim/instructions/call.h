// A decoded call site.
#pragma once

#include <string>
#include <vector>

#include "sim/instructions/memory_operands.h"

namespace sim::instructions {

/// The place of a call site's `.param` variable: per lane, in the caller's frame.
struct ParameterArea {
    uint32_t offset = 0; ///< of lane 0
    uint32_t stride = 0; ///< bytes from one lane to the next
    uint32_t bytes = 0;  ///< of one lane
    uint32_t align = 1;
};

struct CallSite {
    std::vector<ParameterArea> arguments, returns; ///< in the caller's frame
    const ptx::Function* target = nullptr;         ///< nullptr: the address is in op.a
    mutable const ptx::Function* last = nullptr;   ///< the function that was called last: it takes the arguments
};

/// A function that the device provides (vprintf, malloc ...). nullptr: there is none of this name.
struct Intrinsic {
    Handler run;
    std::vector<uint32_t> arguments, returns; ///< bytes of each
};
const Intrinsic* intrinsic(const std::string& name);

/// A value of one lane's argument area, which decoding has found to be as large as the device's function says.
template <class T>
T argument(Exec& x, const CallSite& site, size_t index, int lane) {
    T value;
    const ParameterArea& area = site.arguments.at(index);
    std::memcpy(&value, x.base[OperandRef::frame] + area.offset + uint32_t(lane) * area.stride, sizeof(T));
    return value;
}
template <class T>
void give_back(Exec& x, const CallSite& site, int lane, T value) {
    if (site.returns.empty())
        return;
    const ParameterArea& area = site.returns[0];
    std::memcpy(x.base[OperandRef::frame] + area.offset + uint32_t(lane) * area.stride, &value, sizeof(T));
}

} // namespace sim::instructions
