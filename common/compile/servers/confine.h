// Confines a copy of a grader's compiler, once it has its request and before it reads a byte of the file.
#pragma once

#include "compile/servers/request.h"

namespace servers {

/// Makes this process one of a control group, whose cgroup.procs it closes; -1: of none. False: it must not go on.
bool join(int group);

/// Locks this process in, for good: memory, time and file sizes; no files but those that it has open, and to read the
/// toolkit's; no processes, sockets or signals. False: it must not go on.
bool confine(const Handover& limits);

} // namespace servers
