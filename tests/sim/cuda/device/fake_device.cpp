// The stand-in for the GPU (fake_gpu.cpp) with the real detector, which hears of what the program's side saw.
#include "sim/detector/detector.h"
#include "sim/device/device.h"

namespace sim {

struct Device::Listeners {
    hazards::Detector detector;
};

Device::Device(machine::Options made_with)
    : Gpu(std::move(made_with), {}),
      listeners_(new Listeners{{memory(), [](uint32_t) -> machine::DecodedFunction* { return nullptr; }}}) {}
Device::~Device() = default;
hazards::Reporter& Device::reporter() {
    return listeners_->detector.reporter();
}
bool Device::written_by_kernel(uint64_t, uint64_t, machine::OperationId) {
    return false;
}
void Device::report(events::HostMisuse misuse, std::string message, hazards::Place first,
                    std::optional<hazards::Place> second) {
    listeners_->detector.report({misuse, std::move(message)}, std::move(first), std::move(second));
}

} // namespace sim
