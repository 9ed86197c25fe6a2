// What buffer.h, check.h and expect.h declare, for the session that there is.
#include "check/check.h"
#include "check/session.h"

namespace check {

namespace detail {

std::shared_ptr<Memory> allocate(Place place, std::span<const std::byte> contents) {
    const uint64_t address = Session::current().allocate(place, contents.size());
    Session::current().write(place, address, contents);
    return std::make_shared<Memory>(Memory{place, address, {contents.begin(), contents.end()}});
}
std::shared_ptr<Memory> allocate_poisoned(Place place, size_t bytes) {
    const std::vector<std::byte> poison(bytes, std::byte{0xDB});
    if (place != Place::device)
        return allocate(place, poison);
    // Fresh device memory holds 0xDB and counts as never written.
    return std::make_shared<Memory>(Memory{place, Session::current().allocate(place, bytes), poison});
}
uint64_t address(const Memory& memory) {
    return memory.address;
}
Place place(const Memory& memory) {
    return memory.place;
}
std::vector<std::byte> read(const Memory& memory, size_t offset, size_t bytes) {
    return Session::current().read(memory.place, memory.address + offset, bytes);
}
void write(Memory& memory, size_t offset, std::span<const std::byte> contents) {
    Session::current().write(memory.place, memory.address + offset, contents);
    std::copy(contents.begin(), contents.end(), memory.initial.begin() + static_cast<ptrdiff_t>(offset));
}
uint64_t random_bits() {
    return Session::current().random_bits();
}
uint64_t random_value() {
    return Session::current().random_value();
}
void call(std::vector<Slot> slots) {
    Session::current().call(slots);
}
void measure(std::string_view variant, uint64_t bytes, std::vector<Slot> slots) {
    Session::current().measure(variant, bytes, slots);
}
std::shared_ptr<Memory> allocate_filled(size_t bytes) {
    return std::make_shared<Memory>(Memory{Place::device, Session::current().allocate_filled(bytes), {}});
}

} // namespace detail

const sim::machine::Statistics& stats() {
    return Session::current().trace().statistics;
}
const std::vector<Launch>& launches() {
    return Session::current().trace().launches;
}
const std::vector<HostOperation>& operations() {
    return Session::current().trace().operations;
}
const std::vector<std::byte>& uploaded() {
    return Session::current().trace().uploaded;
}
const std::vector<std::byte>& downloaded() {
    return Session::current().trace().downloaded;
}
Target target() {
    return Session::current().target();
}
size_t bench_bytes() {
    return Session::current().on_gpu() ? size_t{1} << 30 : size_t{1} << 20;
}
bool copies_end_late() {
    return !Session::current().on_gpu() &&
           Session::current().schedule().completion == sim::machine::Schedule::Completion::lazy;
}

} // namespace check
