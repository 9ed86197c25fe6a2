#include "sim/device/device.h"

#include <algorithm>

#include "sim/async/engine.h"
#include "sim/detector/detector.h"
#include "sim/events/fanout.h"
#include "sim/instructions/list.h"
#include "sim/protocol/check.h"
#include "sim/protocol/replayer.h"

namespace sim {

struct Device::Listeners {
    hazards::Detector detector;
    std::unique_ptr<events::Listener> also; ///< Options::listener
    std::optional<events::Fanout> both{};
    std::optional<provenance::Tracker> tracker{};
    std::optional<events::Fanout> with_tracker{};
    std::optional<protocol::Check> protocol{};
    std::optional<protocol::Replayer> replayer{};
};

namespace {

std::string where(const machine::Executed::Site& place) {
    return place.line ? place.file.substr(place.file.rfind('/') + 1) + ":" + std::to_string(place.line) + ": " : "";
}

} // namespace

Device::Device(machine::Options made_with)
    : Gpu(std::move(made_with), {&async::Engine::make, &instructions::find_instruction}),
      listeners_(new Listeners{{memory(), [this](uint32_t pc) { return function_at(pc); }},
                               options().listener ? options().listener() : nullptr}) {
    Listeners& all = *listeners_;
    if (options().replay) {
        options().conductor = &all.replayer.emplace(options().replay);
        options().log = &*all.replayer;
    } else if (options().protocol) {
        options().log = &all.protocol.emplace(all.detector).log();
    }
    if (!all.also) {
        listen(all.detector);
        std::vector<events::Divisible*> keepers{&all.detector.divisible()};
        if (all.protocol)
            keepers.push_back(&*all.protocol);
        if (!all.replayer)
            divide(std::move(keepers));
        return;
    }
    all.detector.reporter().moment = [also = all.also.get()] { return also->moment(); };
    listen(all.both.emplace(all.detector, *all.also));
}

Device::~Device() = default;

hazards::Reporter& Device::reporter() {
    return listeners_->detector.reporter();
}

machine::Executed Device::executed() const {
    machine::Executed all = Gpu::executed();
    machine::Executed more;
    more.refused = refused_;
    more.unused = unused_;
    all.join(more);
    return all;
}

std::vector<hazards::Gap> Device::gaps() const {
    std::vector<hazards::Gap> all = listeners_->detector.gaps();
    for (const hazards::Gap& gap : missed_)
        add_once(all, gap);
    const machine::Executed executed = Gpu::executed();
    for (const std::string& kernel : refused_kernels_)
        if (!std::ranges::count(executed.kernels, kernel, &machine::Executed::Kernel::name))
            add_once(all, {"kernel " + kernel + " was never judged: each of its launches was refused",
                           "correct the launch, as the report says"});
    for (const auto& place : executed.approximately)
        if (!place.judged)
            add_once(all, {where(place) + place.what + " was executed without its effect: " + place.how,
                           "check by hand what depends on it, or leave it out"});
    return all;
}

protocol::Summary Device::protocol() const {
    return listeners_->protocol ? listeners_->protocol->summary() : protocol::Summary{};
}

bool Device::written_by_kernel(uint64_t address, uint64_t bytes, machine::OperationId since) {
    memory::Allocation* found = live(address, bytes);
    return found && listeners_->detector.written_by_kernel(*found, address, bytes, since);
}

void Device::follow(provenance::Followed followed) {
    Listeners& all = *listeners_;
    if (!all.tracker) {
        all.tracker.emplace();
        divide({});
        events::Listener* now = &all.detector;
        if (all.both)
            now = &*all.both;
        listen(all.with_tracker.emplace(*now, *all.tracker));
    }
    all.tracker->follow(std::move(followed));
}

provenance::Tracker* Device::followed() {
    return listeners_->tracker ? &*listeners_->tracker : nullptr;
}

void Device::report(events::HostMisuse misuse, std::string message, hazards::Place first,
                    std::optional<hazards::Place> second) {
    listeners_->detector.report({misuse, std::move(message)}, std::move(first), std::move(second));
}

} // namespace sim
