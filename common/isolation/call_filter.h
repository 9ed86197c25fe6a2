// seccomp: which system calls a process and its children may make.
#pragma once

#include <sys/types.h>

namespace isolation {

/// For a student's program: what a CUDA program with threads needs, and nothing that starts processes, opens sockets or
/// changes files' names, modes and owners. For a compiler: everything but what reaches other processes, the network
/// and the machine. `self`: the only process that may be sent signals; 0: no need to look (it sees no others).
struct CallFilter {
    bool compiler = false;
    pid_t self = 0;
};
/// Loads the filter into this process.
bool load(const CallFilter& filter);
/// A descriptor from which the compiled filter can be read; -1: failed.
int compiled(const CallFilter& filter);

} // namespace isolation
