// The interface for a lab's check.cpp, which describes *what* is checked, but not how often, with which schedules, for
// which target or in which process:
//
//     LAB_CASE("ragged tail", 2) {                       // 2 points
//         auto in = check::random<float>(1000);          // device memory
//         auto out = check::output<float>(1000);         // device memory, poisoned with 0xDB
//         check::call(in, out, 1000);                    // LAB_ENTRY's function; ends synchronised
//         check::equal(out, reference(in));              // by value, and written by a kernel of this case
//         check::that(check::stats().cp_async_bytes >= 4000, "the input arrives by cp.async");
//     }
//
// A case is a doctest case, so SUBCASE, CAPTURE and CHECK work too. It is run with every target of the lab under
// several schedules, each time with a new device and a new process of the student's program. The first expectation that
// does not hold ends it. check::call itself ends it when the program crashes or does not end, when a CUDA call or
// kernel fails, and when an error-severity hazard was found.
#pragma once

#include <cmath>
#include <concepts>
#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "check/buffer.h"
#include "check/expect.h"
#include "check/lab.h"
#include "check/overlap.h"
#include "check/record.h"
#include "check/slot.h"
#include "sim/machine/statistics.h"

namespace check {

// --- the program's inputs ------------------------------------------------------------------------------------------
/// Device memory with these values; to be read, or read and written.
template <class T>
Buffer<T> device(std::vector<T> values) {
    return Buffer<T>(std::move(values));
}
/// `count` random values: integers of the whole range; floating point multiples of 1/16 in [-4, 4), so that sums of
/// up to 2^18 of them are exact in float whatever the order. For what buffers hold only: a case that passes is repeated
/// with other ones, so that nothing else may depend on them. That is random_between's business.
template <class T>
std::vector<T> random_values(size_t count) {
    std::vector<T> values(count);
    for (T& value : values) {
        if constexpr (std::integral<T>)
            value = static_cast<T>(detail::random_value());
        else
            value = static_cast<T>((static_cast<float>(detail::random_value() % 128) - 64.0f) / 16.0f);
    }
    return values;
}
template <class T>
Buffer<T> random(size_t count, MemoryKind place = MemoryKind::device) {
    return Buffer<T>(random_values<T>(count), place);
}
template <class T>
Buffer<T> zeros(size_t count, MemoryKind place = MemoryKind::device) {
    return Buffer<T>(std::vector<T>(count), place);
}
/// Memory that the program has to fill; every byte of it is 0xDB at first.
template <class T>
Buffer<T> output(size_t count, MemoryKind place = MemoryKind::device) {
    return Buffer<T>(typename Buffer<T>::Poisoned{count}, place);
}
/// A random number in [low, high].
inline int64_t random_between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(detail::random_bits() % static_cast<uint64_t>(high - low + 1));
}

// --- the call --------------------------------------------------------------------------------------------------------
namespace detail {
template <class T>
Slot slot(const View<T>& view) {
    return {view.address(), 'p', "[" + std::to_string(view.size()) + "]"};
}
template <class T>
Slot slot(const Buffer<T>& buffer) {
    return slot(buffer.all());
}
inline Slot slot(std::nullptr_t) {
    return {0, 'p', "nullptr"};
}
template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T> Slot slot(T value) {
    Slot result{0,
                std::is_same_v<T, float>    ? 'f'
                : std::is_same_v<T, double> ? 'd'
                : sizeof(T) == 1            ? '1'
                : sizeof(T) == 2            ? '2'
                : sizeof(T) == 4            ? 'i'
                                            : 'l',
                {}};
    std::memcpy(&result.bits, &value, sizeof(T));
    if constexpr (std::is_enum_v<T>)
        result.text = std::to_string(static_cast<std::underlying_type_t<T>>(value));
    else
        result.text = std::to_string(value);
    return result;
}
void call(std::vector<Slot> slots);
} // namespace detail

/// Calls the student's launch function (LAB_ENTRY) with buffers, views, numbers and enums, in the order of its
/// parameters; leave out a cudaStream_t, which gets a non-blocking stream. Then waits for the device.
template <class... A>
void call(const A&... arguments) {
    detail::call({detail::slot(arguments)...});
}

// --- what happened ---------------------------------------------------------------------------------------------------
/// Counters of all kernels that the most recent call launched: sums, and maxima where the name says max.
const sim::machine::Statistics& stats();
/// The kernels that the most recent call launched.
const std::vector<Launch>& launches();
/// The most recent call's requests to the device, in order: copies, launches, events, waits.
const std::vector<HostOperation>& operations();
/// How many bytes kernels of the most recent call loaded from the host's memory, or copied from there.
uint64_t loaded_from_host();
/// The bytes that the most recent call copied to the device, in the order of the copies.
const std::vector<std::byte>& uploaded();
/// The bytes that copies returned to the host, as far as kernels of that call had written them.
const std::vector<std::byte>& downloaded();
/// The target of this run: sm_80, sm_90, sm_90a or sm_100a. Some mechanisms differ: see labs 02 and 06.
Target target();
/// In this run copies complete as late as the rules allow. Only then does a counter show how many are under way at
/// once.
bool copies_end_late();
/// This run only looks for the mechanism, after hazards or wrong results: see gate.h.
bool second_look();

// --- how fast it is --------------------------------------------------------------------------------------------------
namespace detail {
std::shared_ptr<Memory> allocate_filled(size_t bytes);
void measure(std::string_view variant, uint64_t bytes, std::vector<Slot> slots);
} // namespace detail

/// How much a LAB_BENCH should read, in bytes: 1 GiB on a GPU, many times its L2 cache; little on the simulated device.
size_t bench_bytes();
/// Device memory with arbitrary values, as large as need be: there is no copy of it on the host.
template <class T>
View<T> filled(size_t count) {
    return {detail::allocate_filled(count * sizeof(T)), 0, count};
}
/// Times the student's launch function with these arguments (as check::call), which has to read and write `bytes`.
/// `variant` names it where there are several: "4 stages".
template <class... A>
void measure(std::string_view variant, uint64_t bytes, const A&... arguments) {
    detail::measure(variant, bytes, {detail::slot(arguments)...});
}

} // namespace check

/// One case of the lab, worth `points`. The name says what is tested; reports and the "expect" lines of wrong versions
/// quote it.
#define LAB_CASE(name, points) DOCTEST_TEST_CASE(name* doctest::description(#points))

/// In labs/NN_name/exercises.cpp, the cases of one drill or hunt and their helpers: EXERCISE("drills/1_which_n") { … }.
/// A namespace, so each exercise can have its own check_tiles().
#define EXERCISE(name) DOCTEST_TEST_SUITE(name)

/// What `./lab bench` measures: calls of check::measure. One in a lab.
#define LAB_BENCH DOCTEST_TEST_CASE("bench" * doctest::test_suite("bench"))
