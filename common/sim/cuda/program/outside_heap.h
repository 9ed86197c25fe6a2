// Objects that live as long as the process, on pages of their own. A page of the heap is protected while memory on it
// is shared with the device (HostWatch), and the system cannot reach a lock there.
#pragma once

#include <cstddef>

namespace sim::cuda {

template <typename T>
void* outside_heap() {
    constexpr size_t page = 4096;
    alignas(page) static std::byte room[(sizeof(T) + page - 1) / page * page];
    return room;
}

} // namespace sim::cuda
