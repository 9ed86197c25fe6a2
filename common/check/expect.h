// Expectations of a case. One that does not hold ends the case.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "check/buffer.h"
#include "sim/provenance/flow.h"

namespace check {

/// How to read a flat array: element i is row i / pitch, column i % pitch; columns from `columns` on are padding.
struct Shape {
    size_t rows = 1, columns = 0;
    size_t pitch = 0; ///< elements from one row to the next; 0: columns
    size_t unit = 1;  ///< of stores: the padding up to a multiple of it may be written (tensor stores: 16 bytes)
};

/// The case holds only if `condition` does; `mechanism` states in the reader's words what was expected of the kernel:
/// "the input arrives by cp.async". Use it for what a kernel did, not for its results: on a GPU, which has no such
/// counters, it always holds.
void that(bool condition, std::string_view mechanism);

namespace detail {

void brought_by_copies(std::span<const uint64_t> addresses, bool multiplied);
void in_one_pass(std::span<const sim::provenance::Range> inputs);
void follow(sim::provenance::Followed followed);
uint64_t random_bits();
uint64_t random_value();

/// An array of elements seen without their type.
struct Elements {
    std::span<const std::byte> bytes;
    size_t size; ///< of one element
    size_t count;
    std::function<std::string(size_t)> text;
};
/// Is element `i` of the result equal to element `j` of the expected values?
using Same = std::function<bool(size_t i, size_t j)>;
void compare(const Elements& got, const Elements& expected, const Same& same, const Memory& memory, size_t first,
             Shape shape);
void unchanged(const Elements& got, const Elements& before);
std::string text_of(double value);
std::string text_of(uint64_t bits, size_t bytes);

template <class T>
Elements elements(const std::vector<T>& values) {
    return {std::as_bytes(std::span(values)), sizeof(T), values.size(), [&values](size_t i) {
                if constexpr (std::is_floating_point_v<T>)
                    return text_of(static_cast<double>(values[i]));
                else if constexpr (std::is_integral_v<T>)
                    return std::to_string(values[i]);
                else {
                    uint64_t bits = 0;
                    std::memcpy(&bits, &values[i], std::min(sizeof(T), sizeof(bits)));
                    return text_of(bits, sizeof(T));
                }
            }};
}

template <class T>
bool close(const T& a, const T& b, double tolerance) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b))
            return std::isnan(a) && std::isnan(b);
        if (a == b)
            return true;
        return std::abs(static_cast<double>(a) - b) <= tolerance * std::max(1.0, std::abs(static_cast<double>(b)));
    } else {
        return std::memcmp(&a, &b, sizeof(T)) == 0;
    }
}

} // namespace detail

/// `out` holds `expected`, and each of its bytes was last written by a kernel of the most recent call. Floating point
/// values may differ by `tolerance` times the larger of 1 and the expected value; everything else is compared bit by
/// bit. With a shape, wrong elements are named by row and column, and the padding must be unchanged. Memory of the
/// host: the values only.
template <class T>
void equal(const View<T>& out, const std::vector<T>& expected, Shape shape = {}, double tolerance = 1e-5) {
    const std::vector<T> got = out.read();
    detail::compare(
        detail::elements(got), detail::elements(expected),
        [&](size_t i, size_t j) { return detail::close(got[i], expected[j], tolerance); }, *out.memory, out.first,
        shape);
}
template <class T>
void equal(const Buffer<T>& out, const std::vector<T>& expected, Shape shape = {}, double tolerance = 1e-5) {
    equal(out.all(), expected, shape, tolerance);
}

/// The mechanism of every lab that copies asynchronously: the kernels compute with the data that their copies deliver.
/// No thread loads from these buffers directly, and the host makes no second copy of them on the device.
template <class... T>
void brought_by_copies(const Buffer<T>&... inputs) {
    detail::brought_by_copies(std::array{inputs.address()...}, false);
}
/// As brought_by_copies, for labs about matrix instructions: kernels may load the sums of such instructions again.
template <class... T>
void brought_and_multiplied(const Buffer<T>&... inputs) {
    detail::brought_by_copies(std::array{inputs.address()...}, true);
}

/// The bytes of buffers.
template <class... T>
std::vector<sim::provenance::Range> ranges(const Buffer<T>&... buffers) {
    return {{buffers.address(), buffers.size() * sizeof(T)}...};
}
template <class T>
std::vector<sim::provenance::Range> ranges(const std::vector<Buffer<T>>& buffers) {
    std::vector<sim::provenance::Range> all;
    for (const Buffer<T>& buffer : buffers)
        all.push_back({buffer.address(), buffer.size() * sizeof(T)});
    return all;
}

/// Call it before check::call, which then finds out what becomes of the bytes that copies bring from `inputs`: see
/// flow(). With `results`, only what a result depends on counts, and brought_by_copies() expects that the results
/// depend on these bytes. Following values takes time, so only the first schedule of a case does it.
inline void follow(std::vector<sim::provenance::Range> inputs, std::vector<sim::provenance::Range> results = {}) {
    detail::follow({std::move(inputs), std::move(results)});
}
template <class... T>
void follow(const Buffer<T>&... inputs) {
    follow(ranges(inputs...));
}
/// What has become of them in the most recent call. nullptr in runs that do not show it: where copies end early, and
/// on a GPU.
const sim::provenance::Flow* flow();

using sim::provenance::Means;
/// Nearly all bytes that copies of this kind brought were used where they landed, in every block that received them.
bool all_used(Means);
/// Nearly all bytes that were used, of all copies, came by copies of this kind.
bool used_by(Means);
/// Nearly all of the results left through copies of this kind.
bool stored_by(Means);
/// Most of the results depend on matrix instructions that multiplied what copies brought.
bool multiplied();
/// The same for instructions that read operands in shared memory, where they landed, as wgmma does.
bool multiplied_in_place();

/// setmaxnreg moves registers from the warps that need few to those that need many: one group lowers its number,
/// another one raises it, and what is left is enough for the accumulators of wgmma.
void registers_moved();

/// For labs whose kernels read their input once: the results are computed from what the copies bring, not from another
/// copy of it that the kernels themselves have made in global memory.
template <class... T>
void in_one_pass(const Buffer<T>&... inputs) {
    detail::in_one_pass(std::array{sim::provenance::Range{inputs.address(), inputs.size() * sizeof(T)}...});
}

/// The buffer still holds the values it was made with (inputs; outputs of an empty problem).
template <class T>
void unchanged(const Buffer<T>& buffer) {
    const std::vector<T> now = buffer.read();
    detail::unchanged(detail::elements(now), detail::elements(buffer.values()));
}

} // namespace check
