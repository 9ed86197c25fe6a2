// Runs the blocks of a launch on several cores, if they do not communicate: each of several processes, which begin as
// copies of this one, executes some of them (events/divisible.h).
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/events/divisible.h"
#include "sim/machine/gpu.h"

namespace sim::machine {

class Grid;

class Division {
  public:
    /// `keepers`: all who keep something of a launch.
    Division(const Options& options, std::vector<events::Divisible*> keepers)
        : options_(options), keepers_(std::move(keepers)) {}

    /// Is it time to divide a launch that runs alone? It has run for a while, and as much of it seems to be left.
    bool is_due(const Grid& grid);
    /// Runs the rest of the launch in parts. False: it has to go on here, and nothing has changed.
    bool run(Grid& grid);

  private:
    struct Part;
    bool run_parts(Grid& grid, std::vector<Part>& parts);
    bool start(Grid& grid, Part& part, std::span<const Part> others);
    [[noreturn]] void execute(Grid& grid, const Part& part, int to);

    const Options& options_;
    std::vector<events::Divisible*> keepers_;
    uint64_t cores_ = 1;                     ///< that there is memory for
    uint64_t watched_ = 0;                   ///< Grid::id
    double began_ = 0;                       ///< processor time then
    std::set<const ptx::Function*> in_vain_; ///< kernels of which a launch had to go on here
};

} // namespace sim::machine
