// Emscripten's packages for Debian and Ubuntu contain LLVM 14's standard library, which lacks the algorithms of
// std::ranges (and a few more things) that the simulated device uses. This file adds them. The build of the playground
// includes it in front of every file; with a newer library it is empty.
#pragma once

#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000 && __cplusplus >= 202002L

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <ranges>

namespace std {
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
    return __builtin_bit_cast(To, from);
}
} // namespace std

namespace std::ranges { // NOLINT(cert-dcl58-cpp): what the C++20 standard says is here

#define ASYNCLAB_WITH_PREDICATE(name)                                                                                  \
    template <class Range, class Predicate, class Projection = identity>                                               \
    auto name(Range&& range, Predicate predicate, Projection projection = {}) {                                        \
        return std::name(std::begin(range), std::end(range),                                                           \
                         [&](auto&& value) { return invoke(predicate, invoke(projection, value)); });                  \
    }
ASYNCLAB_WITH_PREDICATE(any_of)
ASYNCLAB_WITH_PREDICATE(all_of)
ASYNCLAB_WITH_PREDICATE(none_of)
ASYNCLAB_WITH_PREDICATE(count_if)
ASYNCLAB_WITH_PREDICATE(find_if)
ASYNCLAB_WITH_PREDICATE(partition_point)
#undef ASYNCLAB_WITH_PREDICATE

template <class Range, class Value, class Projection = identity>
auto find(Range&& range, const Value& wanted, Projection projection = {}) {
    return ranges::find_if(
        range, [&](auto&& value) { return value == wanted; }, projection);
}

template <class Range, class Value, class Projection = identity>
auto count(Range&& range, const Value& wanted, Projection projection = {}) {
    return ranges::count_if(
        range, [&](auto&& value) { return value == wanted; }, projection);
}

template <class Range, class Value, class Less = less, class Projection = identity>
auto lower_bound(Range&& range, const Value& wanted, Less smaller = {}, Projection projection = {}) {
    return std::partition_point(std::begin(range), std::end(range),
                                [&](auto&& value) { return invoke(smaller, invoke(projection, value), wanted); });
}

template <class Range, class Value, class Less = less, class Projection = identity>
auto upper_bound(Range&& range, const Value& wanted, Less smaller = {}, Projection projection = {}) {
    return std::partition_point(std::begin(range), std::end(range),
                                [&](auto&& value) { return !invoke(smaller, wanted, invoke(projection, value)); });
}

template <class Range, class Value, class Less = less, class Projection = identity>
bool binary_search(Range&& range, const Value& wanted, Less smaller = {}, Projection projection = {}) {
    const auto found = ranges::lower_bound(range, wanted, smaller, projection);
    return found != std::end(range) && !invoke(smaller, wanted, invoke(projection, *found));
}

#define ASYNCLAB_WITH_ORDER(name)                                                                                      \
    template <class Range, class Less = less, class Projection = identity>                                             \
    auto name(Range&& range, Less smaller = {}, Projection projection = {}) {                                          \
        return std::name(std::begin(range), std::end(range), [&](auto&& a, auto&& b) {                                 \
            return invoke(smaller, invoke(projection, a), invoke(projection, b));                                      \
        });                                                                                                            \
    }
ASYNCLAB_WITH_ORDER(sort)
ASYNCLAB_WITH_ORDER(stable_sort)
ASYNCLAB_WITH_ORDER(max_element)
ASYNCLAB_WITH_ORDER(min_element)
#undef ASYNCLAB_WITH_ORDER

template <class Range, class Value>
void replace(Range&& range, const Value& what, const Value& with) {
    std::replace(std::begin(range), std::end(range), what, with);
}

template <class First, class Second, class Same = equal_to>
bool equal(First&& first, Second&& second, Same same = {}) {
    return std::equal(std::begin(first), std::end(first), std::begin(second), std::end(second), same);
}

} // namespace std::ranges

namespace std::views {

struct Reverse {
    template <class Range>
    struct View {
        Range& range;
        auto begin() const { return std::rbegin(range); }
        auto end() const { return std::rend(range); }
    };
};
template <class Range>
auto operator|(Range& range, Reverse) {
    return Reverse::View<Range>{range};
}
inline constexpr Reverse reverse;

} // namespace std::views

#endif
