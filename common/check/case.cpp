// What buffer.h, check.h and expect.h declare, for the session that there is.
#include <fmt/format.h>

#include "check/check.h"
#include "check/products.h"
#include "check/session.h"
#include "check/streams.h"

namespace check {
namespace {

Channel& channel() {
    return Session::current().channel();
}

} // namespace

namespace detail {

std::shared_ptr<Memory> allocate(MemoryKind place, std::span<const std::byte> contents) {
    const uint64_t address = channel().allocate(place, contents.size());
    channel().write(place, address, contents);
    channel().fills(address);
    return std::make_shared<Memory>(Memory{place, address, {contents.begin(), contents.end()}});
}
std::shared_ptr<Memory> allocate_poisoned(MemoryKind place, size_t bytes) {
    const std::vector<std::byte> poison(bytes, std::byte{0xDB});
    if (place != MemoryKind::device)
        return allocate(place, poison);
    // Fresh device memory holds 0xDB and counts as never written.
    return std::make_shared<Memory>(Memory{place, channel().allocate(place, bytes), poison});
}
uint64_t address(const Memory& memory) {
    return memory.address;
}
MemoryKind place(const Memory& memory) {
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
void call_beside(std::vector<Slot> slots) {
    channel().call_beside(std::move(slots));
}
void measure(std::string_view variant, uint64_t bytes, std::vector<Slot> slots) {
    channel().measure(variant, Work{bytes}, slots);
}
void measure(std::string_view variant, const Work& work, std::vector<Slot> slots) {
    channel().measure(variant, work, slots);
}
std::shared_ptr<Memory> allocate_filled(size_t bytes) {
    return std::make_shared<Memory>(Memory{MemoryKind::device, Session::current().allocate_filled(bytes), {}});
}

} // namespace detail

const sim::machine::Statistics& stats() {
    return channel().trace().statistics;
}
namespace {

// A list that is not whole says nothing about the call.
const Trace& whole(bool Full::*list, const std::string& why) {
    const Trace& trace = channel().trace();
    if (trace.full.*list)
        throw Failed{Verdict::mechanism, why};
    return trace;
}

std::string too_many_bytes(const char* where) {
    return fmt::format("in one call the program copies more than 16 MiB to the {}, which is more than the checker "
                       "compares: copy each input and each result once",
                       where);
}

} // namespace

const std::vector<Launch>& launches() {
    return whole(&Full::launches, "in one call the program makes more than 10,000 launches, which is more than the "
                                  "checker follows")
        .launches;
}
const std::vector<HostOperation>& operations() {
    return whole(&Full::operations, too_many_requests).operations;
}
const std::vector<std::byte>& uploaded() {
    return whole(&Full::uploaded, too_many_bytes("device")).uploaded;
}
const std::vector<std::byte>& downloaded() {
    return whole(&Full::downloaded, too_many_bytes("host")).downloaded;
}
Target target() {
    return channel().target();
}
size_t bench_bytes() {
    return channel().bench_bytes();
}
bool copies_end_late() {
    return !channel().on_gpu() && channel().config().schedule.completion == sim::machine::Schedule::Completion::lazy;
}

} // namespace check
