#include "check/expect.h"

#include <fmt/format.h>

#include "check/check.h"
#include "check/guess.h"
#include "check/session.h"
#include "check/verdict.h"
#include "sim/memory/allocation.h"

namespace check {

void that(bool condition, std::string_view mechanism) {
    if (!condition && Session::current().channel().has_counters())
        throw Failed{Verdict::mechanism, "expected: " + std::string(mechanism)};
}

namespace detail {
namespace {

bool equal_bytes(const Elements& a, const Elements& b) {
    return a.bytes.size() == b.bytes.size() &&
           (a.bytes.empty() || std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0);
}

std::string spread(const Comparison& c) {
    const size_t compared = c.shape.rows * c.shape.columns;
    if (compared == 1)
        return "the only element is wrong";
    if (c.wrong.size() == compared)
        return fmt::format("all {} elements are wrong", compared);
    if (c.wrong.size() == 1)
        return fmt::format("1 of {} elements is wrong", compared);
    std::string text = fmt::format("{} of {} elements are wrong, from {} to {}", c.wrong.size(), compared,
                                   c.where(c.wrong.front()), c.where(c.wrong.back()));
    if (c.wrong.back() - c.wrong.front() + 1 == c.wrong.size())
        return text + ", without a gap";
    if (c.wrong.size() > 2) {
        const size_t step = c.wrong[1] - c.wrong[0];
        bool regular = true;
        for (size_t i = 1; i < c.wrong.size() && regular; ++i)
            regular = c.wrong[i] - c.wrong[i - 1] == step;
        if (regular)
            return text + fmt::format(", each {} apart", step);
    }
    return text;
}

// An element is right if its value is, and if a kernel wrote it.
void count_right(const Comparison& c, const Memory& memory, size_t first) {
    Session& session = Session::current();
    std::vector<bool> written(c.got.count, true);
    if (memory.place == MemoryKind::device)
        written = session.channel().elements_written(memory.address + first * c.got.size, c.got.size, c.got.count);
    for (size_t i = 0; i < c.got.count; ++i)
        if (!c.is_padding(i)) {
            ++session.compared;
            session.right += written[i] && c.same(i, i);
        }
}

} // namespace

namespace {

// Sums of blocks, and the like, are few bytes.
uint64_t most_reloaded(uint64_t input_bytes) {
    constexpr uint64_t least = 16384;
    return std::max(least, input_bytes / 8);
}

} // namespace

void brought_by_copies(std::span<const uint64_t> addresses, bool multiplied) {
    const Trace& trace = Session::current().channel().trace();
    that(
        std::ranges::none_of(addresses, [&](uint64_t address) { return trace.loads.contains(address); }),
        "the threads compute with what the copies bring; they load nothing from the input in global memory themselves");
    using Kind = HostOperation::Kind;
    // Results may be read back, to print them.
    that(std::ranges::none_of(operations(),
                              [&](const HostOperation& operation) {
                                  return operation.kind == Kind::copy_on_device ||
                                         (operation.kind == Kind::copy_to_host &&
                                          std::ranges::find(addresses, operation.from) != addresses.end());
                              }),
         "the host copies the input nowhere");
    if (!trace.flow)
        return;
    const auto& flow = *trace.flow;
    // Not all of a box is read: it has edges.
    that(2 * flow.used >= flow.copied,
         "what the copies bring is read in shared memory, where it lands, before the next copy arrives there, by work "
         "on which a result depends");
    // Some results may be constants, such as zeros where there is no input.
    that(!flow.inputs || 4 * flow.dependent >= flow.results,
         "the last write of each result depends on what the copies bring");
    constexpr std::string_view second_pass =
        "the results are computed from what the copies bring to shared memory, not from a copy of it that kernels have "
        "made in global memory";
    that(flow.reloaded + (multiplied ? 0 : flow.reloaded_products) <= most_reloaded(flow.inputs), second_pass);
    const bool reads_back = std::ranges::any_of(
        operations(), [](const HostOperation& operation) { return operation.kind == Kind::copy_to_host; });
    that(!reads_back || loaded_from_host() <= most_reloaded(flow.inputs), second_pass);
}

void follow(sim::provenance::Followed followed) {
    Session& session = Session::current();
    if (!session.follows_results)
        followed.results.clear();
    session.channel().follow(std::move(followed));
}

// What the case has filled is no copy of the input.
void in_one_pass(std::span<const sim::provenance::Range> inputs) {
    Channel& channel = Session::current().channel();
    uint64_t bytes = 0, loaded = 0;
    for (const auto& input : inputs)
        bytes += input.bytes;
    for (const auto& [address, of_buffer] : channel.trace().loads)
        if (!channel.is_filled(address))
            loaded += of_buffer;
    that(loaded <= most_reloaded(bytes),
         "the results are computed from what the copies bring to shared memory, in one pass; threads load no more than "
         "an eighth of it from global memory that kernels have written");
}

void compare(const Elements& got, const Elements& expected, const Same& same, const Memory& memory, size_t first,
             Shape shape) {
    if (shape.columns == 0)
        shape = {1, got.count, got.count};
    if (shape.pitch == 0)
        shape.pitch = shape.columns;
    shape.pitch = std::max<size_t>(shape.pitch, 1);
    if (got.count != expected.count)
        throw Failed{Verdict::internal,
                     fmt::format("check.cpp expects {} elements in a buffer of {}", expected.count, got.count)};
    Comparison c{got, expected, same, shape, {}};
    const size_t size = got.size;
    size_t padding_written = got.count, unwritten = got.count;
    Channel& channel = Session::current().channel();
    if (!channel.has_results())
        return;
    const bool on_device = memory.place == MemoryKind::device;
    if (channel.config().means)
        return count_right(c, memory, first);
    const bool alike = got.size == expected.size && equal_bytes(got, expected); // the usual case
    for (size_t i = 0; i < got.count && !(alike && shape.pitch <= shape.columns); ++i) {
        if (!c.is_padding(i)) {
            if (!alike && !same(i, i))
                c.wrong.push_back(i);
        } else if (padding_written == got.count && on_device && !c.may_be_written(i) &&
                   std::memcmp(&got.bytes[i * size], &memory.initial[(first + i) * size], size) != 0) {
            padding_written = i;
        }
    }
    if (!c.wrong.empty()) {
        const size_t i = c.wrong.front();
        const std::span<const std::byte> before(memory.initial);
        std::string pattern =
            guess(c, before.size() >= (first + got.count) * size ? before.subspan(first * size, got.count * size)
                                                                 : before.first(0));
        if (const uint32_t span = stats().max_swizzle_span)
            pattern += fmt::format(
                "{}Tiles of this call went through a map that swizzles ({} bytes): in shared memory the 16-byte pieces "
                "of a row do not lie in their order. The piece at address a lies at a ^ (a >> 3 & {:#x}).",
                pattern.empty() ? "" : "\n", span, span - 16);
        if (!pattern.empty())
            pattern = "\n" + pattern;
        if (const size_t argument = channel.argument(memory.address + first * size); got.count == 1 && argument)
            throw Failed{Verdict::wrong,
                         fmt::format("argument {} of the launch function points to one element, which is {}; expected "
                                     "{}.{}",
                                     argument, got.text(i), expected.text(i), pattern)};
        throw Failed{Verdict::wrong, fmt::format("{} is {}, expected {}; {}.{}", c.where(i), got.text(i),
                                                 expected.text(i), spread(c), pattern)};
    }
    if (padding_written < got.count)
        throw Failed{Verdict::wrong, fmt::format("the padding at {} was written", c.where(padding_written))};
    if (!on_device)
        return;
    for (size_t row = 0; row < shape.rows && unwritten == got.count; ++row)
        if (!channel.written_by_kernel(memory.address + (first + row * shape.pitch) * size, shape.columns * size))
            unwritten = row * shape.pitch;
    if (unwritten < got.count)
        throw Failed{Verdict::wrong, "the values are right, but not every one of them was written by a kernel of this "
                                     "call: results have to be computed on the device"};
}

void unchanged(const Elements& got, const Elements& before) {
    const Channel& channel = Session::current().channel();
    if (!channel.has_results() || channel.config().means || equal_bytes(got, before))
        return;
    for (size_t i = 0; i < got.count; ++i)
        if (std::memcmp(&got.bytes[i * got.size], &before.bytes[i * got.size], got.size) != 0)
            throw Failed{Verdict::wrong, fmt::format("memory that must not change was changed: [{}] was {} and is {}",
                                                     i, before.text(i), got.text(i))};
}

std::string text_of(double value) {
    return fmt::format("{:.9g}", value);
}
std::string text_of(uint64_t bits, size_t bytes) {
    return fmt::format("0x{:0{}x}", bits, 2 * std::min<size_t>(bytes, 8));
}

} // namespace detail

uint64_t loaded_from_host() {
    using namespace sim::memory;
    uint64_t sum = 0;
    for (const auto& [address, bytes] : Session::current().channel().trace().loads)
        sum += address - device_base < device_bytes ? 0 : bytes;
    return sum;
}

const sim::provenance::Flow* flow() {
    const auto& flow = Session::current().channel().trace().flow;
    return flow ? &*flow : nullptr;
}

bool second_look() {
    return Session::current().channel().config().means;
}

namespace {

// A mistake keeps a part of the results from coming by the right means: in a second look, most of them are enough.
bool nearly_all(uint64_t part, uint64_t whole) {
    return second_look() ? 2 * part >= whole : 8 * part >= 7 * whole;
}

} // namespace

bool all_used(Means means) {
    const auto* seen = flow();
    return !seen || nearly_all((*seen)[means].used, (*seen)[means].copied);
}
bool used_by(Means means) {
    const auto* seen = flow();
    return !seen || nearly_all((*seen)[means].used, seen->used);
}
bool stored_by(Means means) {
    const auto* seen = flow();
    return !seen || nearly_all(seen->stored[static_cast<size_t>(means)], seen->results);
}
void registers_moved() {
    const auto* seen = flow();
    if (!seen || !Session::current().follows_results) // instructions are not seen then
        return;
    const auto& [raised, lowered, left, sums, line] = seen->registers;
    if (left)
        throw Failed{Verdict::mechanism,
                     fmt::format("setmaxnreg at line {} leaves {} registers to a thread that keeps {} sums of wgmma in "
                                 "registers, and needs more for addresses: on a GPU it loses some of them",
                                 line, left, sums)};
    that(lowered > 0, "the producer's warpgroup executes setmaxnreg.dec");
    that(raised > 0, "the consumers' warpgroups execute setmaxnreg.inc");
}
bool multiplied() {
    const auto* seen = flow();
    return !seen || 4 * seen->multiplied >= 3 * seen->results;
}
bool multiplied_in_place() {
    const auto* seen = flow();
    return !seen || 4 * seen->multiplied_in_place >= 3 * seen->results;
}

} // namespace check
