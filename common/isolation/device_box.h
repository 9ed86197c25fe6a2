// The box of a process that runs the simulated device. The device executes what a student wrote, so a mistake of ours
// in it could let the student's kernel act in its place. It needs no file, no network and no other process, so its box
// grants none of them, at every level of isolation and for every user. Only the last step differs: root becomes another
// user first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace isolation {

struct DeviceBox {
    uid_t user = 0;                        ///< what root becomes; 0: stays what we are
    uint64_t data_bytes = 0;               ///< private memory; 0: unlimited
    uint32_t processor_seconds = 0;        ///< of the whole process; 0: unlimited
    static constexpr int descriptors = 16; ///< open at once
};

/// Locks this process in for good. Call it before the first thread starts and before the first byte of a stranger's is
/// read. Empty: done. Otherwise what the machine refused: the process must then end.
std::string enter(const DeviceBox& box);

/// Empty: the box works here, as tried out once. Otherwise why not.
const std::string& why_no_device_box();
/// What it consists of here, for people.
std::vector<std::string> device_box_layers();

} // namespace isolation
