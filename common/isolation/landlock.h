// Landlock: which files a process and its children may touch, without any rights needed. Linux 5.13 and newer.
#pragma once

#include <filesystem>
#include <vector>

namespace isolation {

/// 0: this kernel has none.
int landlock_version();
/// Only these files and folders can be read (and executed) and written; also no TCP, no signals to others and no
/// abstract Unix sockets, as far as the kernel's version goes. A descriptor, for a process that is to lock itself in
/// later; -1: there are no rules.
int landlock_rules(const std::vector<std::filesystem::path>& readable,
                   const std::vector<std::filesystem::path>& writable);
/// The rules hold for this process from now on. System calls only.
bool landlock(int rules);

} // namespace isolation
