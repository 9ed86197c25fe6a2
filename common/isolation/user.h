// Users that exist for one run only.
#pragma once

#include <sys/types.h>

namespace isolation {

/// Root only: this process becomes that user, for good. System calls only.
bool become(uid_t user);

} // namespace isolation
