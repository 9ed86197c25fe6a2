// What buffer.h, check.h and expect.h declare, for the session that there is.
#include "check/check.h"
#include "check/session.h"

namespace check {
namespace {

Channel& channel() {
    return Session::current().channel();
}

} // namespace

namespace detail {

std::shared_ptr<Memory> allocate(Place place, std::span<const std::byte> contents) {
    const uint64_t address = channel().allocate(place, contents.size());
    channel().write(place, address, contents);
    return std::make_shared<Memory>(Memory{place, address, {contents.begin(), contents.end()}});
}
std::shared_ptr<Memory> allocate_poisoned(Place place, size_t bytes) {
    const std::vector<std::byte> poison(bytes, std::byte{0xDB});
    if (place != Place::device)
        return allocate(place, poison);
    // Fresh device memory holds 0xDB and counts as never written.
    return std::make_shared<Memory>(Memory{place, channel().allocate(place, bytes), poison});
}
uint64_t address(const Memory& memory) {
    return memory.address;
}
Place place(const Memory& memory) {
    return memory.place;
}
std::vector<std::byte> read(const Memory& memory, size_t offset, size_t bytes) {
    return channel().read(memory.place, memory.address + offset, bytes);
}
void write(Memory& memory, size_t offset, std::span<const std::byte> contents) {
    channel().write(memory.place, memory.address + offset, contents);
    std::copy(contents.begin(), contents.end(), memory.initial.begin() + static_cast<ptrdiff_t>(offset));
}
uint64_t random_bits() {
    return Session::current().random_bits();
}
uint64_t random_value() {
    return Session::current().random_value();
}
void call(std::vector<Slot> slots) {
    channel().call(slots);
}
void measure(std::string_view variant, uint64_t bytes, std::vector<Slot> slots) {
    channel().measure(variant, bytes, slots);
}
std::shared_ptr<Memory> allocate_filled(size_t bytes) {
    return std::make_shared<Memory>(Memory{Place::device, Session::current().allocate_filled(bytes), {}});
}

} // namespace detail

namespace {

// What the call did, for a case that judges it: all of it, or it cannot be judged.
const Trace& whole_trace(bool Trace::*dropped) {
    const Trace& trace = channel().trace();
    if (trace.*dropped)
        throw Failed{Verdict::incomplete, "this case judges what the launch function asks of the device, and that is "
                                          "more than the checker keeps\nnext: ask for no more than the case needs"};
    return trace;
}

} // namespace

const sim::machine::Statistics& stats() {
    return channel().trace().statistics;
}
const std::vector<Launch>& launches() {
    return whole_trace(&Trace::requests_dropped).launches;
}
const std::vector<HostOperation>& operations() {
    return whole_trace(&Trace::requests_dropped).operations;
}
const std::vector<std::byte>& uploaded() {
    return whole_trace(&Trace::copies_dropped).uploaded;
}
const std::vector<std::byte>& downloaded() {
    return whole_trace(&Trace::copies_dropped).downloaded;
}
Target target() {
    return channel().config().target;
}
size_t bench_bytes() {
    return channel().bench_bytes();
}
bool copies_end_late() {
    return !channel().on_gpu() && channel().config().schedule.completion == sim::machine::Schedule::Completion::lazy;
}

} // namespace check
