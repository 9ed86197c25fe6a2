// Part of the library that is loaded into a compiler: system calls only, no libraries.
#pragma once

namespace servers {

/// In a copy of a server: gives it the memory of its own that a fork only promises, in huge pages where there are any.
void own_pages();

} // namespace servers
