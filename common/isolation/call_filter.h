// seccomp: which system calls a process and its children may make.
#pragma once

#include <vector>

#include <linux/filter.h>

namespace isolation {

/// For a student's program: the system calls that a CUDA program with threads needs, and none that starts processes,
/// opens sockets or changes files' names, modes and owners. For a compiler: all but those that reach other processes,
/// the network and the machine. `only_self`: a process may send signals to itself only; false: no need to look (it sees
/// no others).
struct CallFilter {
    bool compiler = false;
    bool only_self = false;
};
/// A descriptor from which the compiled filter can be read; -1: failed.
int compiled(const CallFilter& filter);
/// The filter with `only_self`, made once; empty: failed.
const std::vector<sock_filter>& call_filter(bool compiler);
/// Loads such a filter into this process, whose number it writes into it first. System calls only.
bool load(std::vector<sock_filter>& filter);

} // namespace isolation
