#include "check/channel.h"

#include <algorithm>

#include <fmt/format.h>

#include "check/channels/channels.h"

namespace check {

const char* const too_many_requests =
    "in one call the program makes more requests of the device than the checker follows: make fewer than 100,000 "
    "launches, copies, sets, waits and queries";

uint64_t Channel::allocate(MemoryKind place, size_t bytes) {
    bytes = std::max<size_t>(bytes, 1);
    const uint64_t address = try_to_allocate(place, bytes);
    if (place == MemoryKind::device)
        allocated_ += bytes;
    if (address)
        return address;
    if (place != MemoryKind::device)
        throw Failed{Verdict::crash,
                     fmt::format("the program leaves no host memory for a buffer of {} bytes that the case passes to "
                                 "it: free what each call allocates",
                                 bytes)};
    // A program that runs out of memory has reached its own limit; the checker is not at fault.
    if (on_gpu() || allocated_ > device_memory)
        throw Failed{Verdict::internal, fmt::format("no memory for a buffer of {} bytes", bytes)};
    throw Failed{Verdict::cuda_error,
                 fmt::format("the program leaves no device memory for the next buffer of the case ({} bytes): the "
                             "device has {} MiB in all. Free what each call allocates: cudaFree",
                             bytes, device_memory >> 20)};
}

namespace {

std::string as_call(const std::vector<detail::Slot>& slots) {
    std::string text = "launch(";
    for (const auto& slot : slots)
        text += (&slot == &slots[0] ? "" : ", ") + slot.text;
    return text + ")";
}

} // namespace

void Channel::announce(const std::vector<detail::Slot>& slots) {
    call_ = beside_ ? as_call(*beside_) + " and, in another stream, " + as_call(slots) : as_call(slots);
    pointers_.clear();
    for (const auto& slot : slots)
        pointers_.push_back(slot.code == 'p' ? slot.bits : 0);
    if (slots.size() > wire::max_slots)
        throw Failed{Verdict::internal, "check::call has too many arguments"};
}

size_t Channel::argument(uint64_t address) const {
    if (std::ranges::count(pointers_, address) != 1)
        return 0;
    return static_cast<size_t>(std::ranges::find(pointers_, address) - pointers_.begin()) + 1;
}

void Channel::expect_success(const wire::Reply& launched, const wire::Reply& synchronised) {
    if (launched.code)
        throw Failed{Verdict::cuda_error,
                     fmt::format("the launch function returned {} ({})", launched.text, launched.code)};
    if (synchronised.code)
        throw Failed{Verdict::cuda_error,
                     fmt::format("cudaDeviceSynchronize() returned {} ({})", synchronised.text, synchronised.code)};
}

void Channel::measure(std::string_view variant, const Work& work, const std::vector<detail::Slot>& slots) {
    if (measured_.empty())
        measured_.push_back({.variant = "copy"});
    if (config_.only_variant == SIZE_MAX || config_.only_variant + 1 == measured_.size())
        call(slots);
    measured_.push_back({std::string(variant), work.bytes, 0, work.operations, 0});
}

void Channel::describe(RunResult& result) {
    result.call = call_;
    result.measured = measured_;
}

std::unique_ptr<Channel> open_channel(const RunConfig& config, const Recorded* repeated) {
    if (repeated)
        return repeat(config, *repeated);
    if (config.gpu)
        return on_gpu(config);
    return config.under.empty() ? simulated(config) : alone(config);
}

} // namespace check
