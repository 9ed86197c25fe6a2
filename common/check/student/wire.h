// The messages between the checker and the program under test, one packet each way, over the socket that
// ASYNCLAB_CHECKER=fd:N names. The checker does not trust the program: a reply only shows that it is still running.
#pragma once

#include <cstdint>

namespace check::wire {

enum class Ask : uint32_t {
    open_stream,       ///< makes the stream that calls get: streams[stream]
    call,              ///< lab_entry(slots), in streams[stream]
    allocate_pinned,   ///< slots[0]: bytes; the reply's value is the address
    allocate_pageable, ///< slots[0]: bytes
    read,              ///< slots[0]: address, slots[1]: bytes; the reply's data
    write,             ///< slots[0]: address, slots[1]: bytes, and data
    allocate_device,   ///< slots[0]: bytes; where the program has the GPU to itself
    upload,            ///< write, to such memory
    synchronise,       ///< cudaDeviceSynchronize()
    leave,             ///< return from main
};

constexpr uint32_t max_slots = 24, max_data = 32 << 10, max_streams = 2;

struct Request {
    Ask ask = Ask::leave;
    uint32_t slot_count = 0;
    uint64_t slots[max_slots] = {};
    uint32_t stream = 0; ///< below max_streams
};

struct Reply {
    uint32_t magic = 0x4c41424f;
    int32_t code = 0; ///< a CUDA error code
    uint64_t value = 0;
    char text[128] = {}; ///< the error's name; the first packet of all: the launch function's signature
};

} // namespace check::wire
