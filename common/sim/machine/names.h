// The source's names for places in memory, as far as they are known.
#pragma once

#include <cstdint>
#include <string>

namespace sim::memory {
struct Allocation;
}

namespace sim::machine {

class Block;
class Grid;

/// "tile[1][3]", "ring.empty[2]", "byte 96 of tile", for an offset in the block's shared memory; empty: nothing is
/// known.
std::string shared_name(const Block&, uint32_t offset);
/// The same for an address in (or near) an allocation of global memory, by the kernel's parameter that points there or
/// the variable that it is: "in[37]".
std::string global_name(const Grid&, const memory::Allocation&, uint64_t address);
std::string global_name(const Grid&, uint64_t address);
/// "full" for _ZZ6squarePKiPiE4full.
std::string variable_name(const std::string& symbol);

/// Where a program's own memory is on x86-64 Linux, far from the device's: its variables and its heap, mappings and
/// libraries, the stack. nullptr: not there.
const char* host_memory(uint64_t address);

/// The live allocation that is nearest to an address outside all of them, and not too far away for one to be meant.
const memory::Allocation* nearest(const Grid& grid, uint64_t address, uint64_t& least);

} // namespace sim::machine
