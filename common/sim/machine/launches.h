// The launches that have begun and not ended. They run side by side, as far as the device has room; each grid has a
// turn now and then.
#pragma once

#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "sim/machine/division.h"
#include "sim/machine/grid.h"

namespace sim::machine {

class Launches {
  public:
    /// Who listens, or nullptr: asked at the beginning of each launch.
    explicit Launches(const Options& options) : options_(options) {}
    /// `division`: runs launches in parts; nullptr: none are.
    void divide(Division* division) { division_ = division; }

    bool idle() const { return running_.empty() && ended_.empty(); }
    /// The numbers for the next grid.
    Grid::Numbers& numbers();
    /// `place`: in the order of launch. When not everything fits, the blocks of launches with smaller ones go first.
    void begin(std::unique_ptr<Grid> grid, OperationId id, uint64_t place);
    /// A host operation, or something else that kernels may see, has happened.
    void disturb();

    /// Lets the launches run until one has ended, or until something else should have a chance.
    Pause advance();
    /// Nothing will ever change: ends all launches with the reason. advance() then returns each of them.
    void give_up();
    /// The launch that has ended, after Pause::ended.
    struct Last {
        std::unique_ptr<Grid> grid;
        OperationId id = 0;
    };
    Last take_ended();

  private:
    struct Running {
        std::unique_ptr<Grid> grid;
        OperationId id;
        uint64_t place;
        bool stuck = false;               ///< since the last effect of all
        bool others_had_a_chance = false; ///< others have had a chance to begin
        Grid::Turn said = Grid::Turn::on;
    };
    uint64_t effects() const;
    size_t pick();
    void look_around(Running& one);
    void resume(Running& one);
    void end(size_t which);
    void give_up(Running& one);
    std::string table() const;

    const Options& options_;
    Division* division_ = nullptr;
    Grid::Numbers numbers_;
    std::vector<Running> running_; ///< by place
    std::deque<Last> ended_;
    const Grid* current_ = nullptr; ///< the grid that the listener considers to be running
    uint64_t disturbances_ = 0;     ///< effects from outside, and those of grids that have ended
    uint64_t stuck_at_ = 0;         ///< effects() when a launch was found stuck
    size_t next_ = 0;
    uint32_t turns_ = 0;  ///< since a grid that runs far ahead has had to wait
    uint64_t cycles_ = 0; ///< since advance() returned
    std::mt19937_64 random_;
};

} // namespace sim::machine
