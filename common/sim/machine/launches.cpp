#include "sim/machine/launches.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/demangle.h"
#include "sim/machine/progress.h"

namespace sim::machine {
namespace {

constexpr uint32_t far_ahead = 64; // turns in a row, where one grid runs far ahead of the others

} // namespace

Grid::Numbers& Launches::numbers() {
    if (running_.empty())
        numbers_.mbarrier = 1;
    return numbers_;
}

void Launches::begin(std::unique_ptr<Grid> grid, OperationId id, uint64_t place) {
    if (running_.empty())
        random_.seed(options_.schedule.seed);
    disturb();
    current_ = grid.get();
    cycles_ = 0;
    const auto at = std::ranges::upper_bound(running_, place, {}, &Running::place);
    running_.insert(at, Running{std::move(grid), id, place});
}

void Launches::disturb() {
    ++disturbances_;
    current_ = nullptr;
}

uint64_t Launches::effects() const {
    uint64_t sum = disturbances_;
    for (const Running& one : running_)
        sum += one.grid->activity;
    return sum;
}

size_t Launches::pick() {
    if (running_.empty())
        return SIZE_MAX;
    if (running_.size() == 1)
        return running_[0].stuck ? SIZE_MAX : 0;
    const auto policy = options_.schedule.warps;
    const bool again = policy == Schedule::Warps::one_ahead && next_ > 0 && ++turns_ % far_ahead != 0;
    const size_t first = policy == Schedule::Warps::random ? random_() % running_.size() : again ? next_ - 1 : next_;
    for (size_t i = 0; i < running_.size(); ++i) {
        const size_t which = (first + i) % running_.size();
        if (!running_[which].stuck) {
            next_ = which + 1;
            return which;
        }
    }
    return SIZE_MAX;
}

void Launches::look_around(Running& one) {
    Grid::Beside& beside = one.grid->beside;
    beside = {effects() - one.grid->activity, 0, 0};
    bool before = true;
    for (const Running& other : running_) {
        before = before && &other != &one;
        if (&other == &one)
            continue;
        beside.instructions += other.grid->statistics.thread_instructions;
        if (before)
            beside.taken += other.grid->not_started() ? Grid::whole_device : other.grid->taken();
    }
}

void Launches::resume(Running& one) {
    if (current_ == one.grid.get())
        return;
    current_ = one.grid.get();
    if (one.grid->listener)
        one.grid->listener->launch_resume(*one.grid);
}

void Launches::end(size_t which) {
    Running& one = running_[which];
    if (one.grid->listener)
        one.grid->listener->launch_end(*one.grid);
    disturbances_ += one.grid->activity + 1;
    current_ = nullptr;
    ended_.push_back({std::move(one.grid), one.id});
    running_.erase(running_.begin() + long(which));
}

Pause Launches::advance() {
    for (; ended_.empty();) {
        const uint64_t now = effects();
        if (now != stuck_at_)
            for (Running& one : running_)
                one.stuck = false;
        const size_t which = pick();
        if (which == SIZE_MAX) {
            disturb(); // look again at the next call
            return Pause::stalled;
        }
        Running& one = running_[which];
        resume(one);
        look_around(one);
        if (division_ && running_.size() == 1 && one.others_had_a_chance && division_->is_due(*one.grid))
            division_->run(*one.grid);
        const uint64_t before = one.grid->cycles, executed = one.grid->statistics.thread_instructions;
        one.said = one.grid->turn();
        cycles_ += one.grid->cycles - before;
        executed_so_far.fetch_add(one.grid->statistics.thread_instructions - executed, std::memory_order_relaxed);
        switch (one.said) {
        case Grid::Turn::on:
            break;
        case Grid::Turn::ended:
            end(which);
            break;
        case Grid::Turn::stuck:
        case Grid::Turn::endless:
            if (stuck_at_ != effects()) // the others have not seen the last effect yet
                for (Running& other : running_)
                    other.stuck = false;
            one.stuck = true;
            stuck_at_ = effects();
            break;
        default:
            give_up(one);
        }
        const bool chance = options_.schedule.completion == Schedule::Completion::random ? random_() % 8 == 0
                                                                                         : cycles_ >= options_.alone;
        if (chance && ended_.empty()) {
            cycles_ = 0;
            for (Running& running : running_)
                running.others_had_a_chance = true;
            return Pause::busy;
        }
    }
    return Pause::ended;
}

Launches::Last Launches::take_ended() {
    if (ended_.empty())
        return {};
    Last last = std::move(ended_.front());
    ended_.pop_front();
    // Launches beside one that has failed end with it: the device is lost.
    if (!last.grid->outcome())
        while (!running_.empty()) {
            resume(running_.front());
            running_.front().grid->abandon(last.grid->outcome());
            end(0);
        }
    return last;
}

void Launches::give_up() {
    // An endless loop that polls nothing explains itself best.
    const auto endless = std::ranges::find(running_, Grid::Turn::endless, &Running::said);
    if (!running_.empty())
        give_up(endless != running_.end() ? *endless : running_.front());
}

void Launches::give_up(Running& one) {
    resume(one);
    look_around(one);
    if (one.said == Grid::Turn::endless)
        one.grid->note_polls();
    one.grid->give_up(one.said, table());
    end(size_t(&one - running_.data()));
}

static std::string unstarted(const Grid& grid, const char* before) {
    const uint64_t left = grid.not_started();
    return left ? fmt::format("{}{} of {} blocks have not started: the device has no room for them", before, left,
                              grid.config.grid.count())
                : std::string();
}

std::string Launches::table() const {
    if (running_.size() == 1)
        return unstarted(*running_.front().grid, "\n  ") + running_.front().grid->waiting_table();
    std::string text;
    for (const Running& one : running_) {
        const Grid& grid = *one.grid;
        text += fmt::format("\n  kernel {}", base::function_name(grid.entry->function->name));
        if (const std::string left = unstarted(grid, ""); !left.empty())
            text += " (" + left + ")";
        text += ":";
        for (const char c : grid.waiting_table())
            text += c == '\n' ? "\n  " : std::string(1, c);
    }
    return text;
}

} // namespace sim::machine
