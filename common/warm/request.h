// What a client says to a compiler that has stopped behind the headers (stop.cpp). One packet each way.
#pragma once

#include <cstdint>

namespace warm {

constexpr int listening = 3;                  ///< the server's socket
constexpr const char* socket_name = "socket"; ///< in its folder; a server whose socket is gone ends
constexpr int let_nvcc_do_it = 200;           ///< a client's exit code
constexpr int idle_seconds = 600;
constexpr uint32_t max_outputs = 4, name_bytes = 16;

/// Goes with the descriptors of rest.ii, of where messages go, and of the outputs.
struct Request {
    uint32_t outputs = 0;
    uint32_t processor_seconds = 0;           ///< a limit; 0: none
    char names[max_outputs][name_bytes] = {}; ///< "ptx" is the file that the compiler calls out.ptx
};

} // namespace warm
