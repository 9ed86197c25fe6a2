// ld.param by name: a kernel's parameter, or a parameter area in the frame.
#pragma once

#include "sim/instructions/memory_operands.h"
#include "sim/instructions/product.h"

namespace sim::instructions {

struct ParameterLoad {
    DataOperand data;
    ParameterPlace place;
};

/// The same value for all lanes.
template <class T, class Register>
Flow load_kernel_parameter(Exec& x, const Op& op) {
    const auto& load = *static_cast<const ParameterLoad*>(op.extra);
    if (load.place.offset + sizeof(T) * load.data.count > x.grid.parameters.size())
        return x.fail(Fault::illegal_address, "the launch passed fewer parameters than the kernel reads");
    for (uint32_t i = 0; i < load.data.count; ++i) {
        T value;
        std::memcpy(&value, x.grid.parameters.data() + load.place.offset + i * sizeof value, sizeof value);
        const auto wide = Register(value);
        if (!load.data.part[i].exists())
            continue;
        Register* d = x.lanes<Register>(load.data.part[i]);
        if (x.mask == all_lanes)
            for (int lane = 0; lane < 32; ++lane)
                d[lane] = wide;
        else
            for_lanes(x.mask, [&](int lane) { d[lane] = wide; });
    }
    return Flow::next;
}

template <class T, class Register>
Flow load_frame_parameter(Exec& x, const Op& op) {
    const auto& load = *static_cast<const ParameterLoad*>(op.extra);
    const std::byte* first = x.base[OperandRef::frame] + load.place.area + load.place.offset;
    for (uint32_t i = 0; i < load.data.count; ++i) {
        if (!load.data.part[i].exists())
            continue;
        Register* d = x.lanes<Register>(load.data.part[i]);
        for_lanes(x.mask, [&](int lane) {
            T value;
            std::memcpy(&value, first + size_t(lane) * load.place.stride + i * sizeof value, sizeof value);
            d[lane] = Register(value);
        });
    }
    return Flow::next;
}

template <class T, class Register>
Handler load_parameter(Decoder& d, const DataOperand& data) {
    const auto* load = d.keep(ParameterLoad{data, parameter_place(d, d.operand(1), uint32_t(sizeof(T) * data.count))});
    d.op.extra = load;
    return load->place.kernel ? load_kernel_parameter<T, Register> : load_frame_parameter<T, Register>;
}

} // namespace sim::instructions
