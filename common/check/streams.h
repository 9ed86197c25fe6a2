// Two calls of the launch function at the same time, each in a stream of its own. A launch function that keeps
// something on the device for its kernels, such as tensor maps, must not share it with another call:
//
//     check::call_beside(first, 1000);
//     check::call(second, 1000);
#pragma once

#include "check/check.h"

namespace check {

namespace detail {
void call_beside(std::vector<Slot> slots);
} // namespace detail

/// The next check::call makes this call, too, just before its own and in another stream, and waits for both. stats()
/// and launches() are those of both.
template <class... A>
void call_beside(const A&... arguments) {
    detail::call_beside({detail::slot(arguments)...});
}

} // namespace check
