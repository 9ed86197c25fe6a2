// Where the detector's memory ends. Each of these limits makes it take accesses for ordered, never for a race.
#include "sim/detector/detector.h"

namespace sim::hazards {

std::vector<Gap> Detector::gaps() const {
    std::vector<Gap> all;
    if (core_.ordering.operations.lost_track())
        all.push_back({"memory was accessed that a kernel or copy had used more than 32768 operations before, without "
                       "being ordered after it as a whole: whether it is ordered after that one is no longer known",
                       "synchronise the device now and then, or let the program issue less work"});
    if (core_.ordering.lost_track_of_copies)
        all.push_back(
            {"memory was accessed that a bulk copy of an earlier kernel had used, more than 65536 bulk copies "
             "before, while work of several streams overlaps: whether it is ordered after that copy is no "
             "longer known",
             "synchronise the device now and then, or let the program do less work"});
    if (core_.numbers_ran_out)
        all.push_back({"the program launches more than 67 million blocks, and what happened before that many was "
                       "forgotten: races with it, and reads of memory that was never written, are not reported",
                       "let the program do less work"});
    if (core_.ticks_ran_out)
        all.push_back({"a warp passes more than 33 million barriers, releases or cp.async copies in one launch: what "
                       "comes later may be taken for ordered although it is not",
                       "let the kernel do less work"});
    return all;
}

} // namespace sim::hazards
