// The protocol between a client and a compiler that has stopped behind the headers (stop.cpp). One packet each way.
#pragma once

#include <cstdint>

namespace servers {

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

// A grader's server does not listen on a socket of its own. Instead, descriptor 3 is one end of a socket pair whose
// other end the grader keeps. Through it, the server receives one connection for each request, and the limits that
// confine the copy that reads the request's file.
constexpr const char* confined_variable = "ASYNCLAB_WARM_CONFINED"; ///< set: this is a grader's server
constexpr int rules = 4;                                            ///< its Landlock rules, if the kernel has any

/// Goes with the descriptor of a connection and, if there is one, of a control group's cgroup.procs.
struct Handover {
    uint64_t processor_seconds = 0, data_bytes = 0, file_bytes = 0;
};

} // namespace servers
