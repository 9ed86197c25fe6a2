#include "sim/device/device.h"

#include "sim/async/engine.h"
#include "sim/instructions/list.h"

namespace sim {

Device::Device(machine::Options options)
    : Gpu(std::move(options), {&async::Engine::make, &instructions::find_instruction}),
      detector_(memory(), [this](uint32_t pc) { return function_at(pc); }) {
    if (!this->options().listener) {
        listen(detector_);
        return;
    }
    also_ = this->options().listener();
    both_ = std::make_unique<events::Fanout>(detector_, *also_);
    listen(*both_);
}

bool Device::written_by_kernel(uint64_t address, uint64_t bytes, machine::OperationId since) {
    memory::Allocation* found = live(address, bytes);
    return found && detector_.written_by_kernel(*found, address, bytes, since);
}

} // namespace sim
