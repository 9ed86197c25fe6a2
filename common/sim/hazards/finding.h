// What a report says, apart from how it is printed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/machine/gpu.h"

namespace sim::hazards {

struct Rule;

/// Threads of a launch, merged into ranges: by block, the threads in it.
class ThreadSet {
  public:
    ThreadSet() = default;
    /// As another process has put them in words.
    explicit ThreadSet(std::string text) : text_(std::move(text)) {}
    void add(uint64_t block, uint32_t first_thread, uint32_t lane_mask);
    bool empty() const { return threads_.empty() && text_.empty(); }
    /// "threads 0-127 of block 0", "thread 5 of blocks 0-3", "threads 0-31 of 7 blocks".
    std::string text() const;
    const std::map<uint64_t, std::set<uint32_t>>& blocks() const { return threads_; }
    size_t hidden_blocks() const { return hidden_; } ///< blocks beyond the first 64, only counted

  private:
    std::map<uint64_t, std::set<uint32_t>> threads_;
    size_t hidden_ = 0;
    std::string text_; ///< instead of both
};

/// One of the two accesses (or the only place) of a finding.
struct Place {
    std::string file; ///< empty: not in the program's source (a host operation, or no line information)
    uint32_t line = 0;
    uint32_t column = 0;
    std::vector<std::string> alternatives; ///< "file:line" of further lines that this instruction may stem from
    std::string kernel;
    ThreadSet threads;
    std::string action; ///< "read bytes that an asynchronous copy is still writing", completes "threads … "
};

struct Finding {
    const Rule* rule = nullptr;
    bool note = false;      ///< severity: note; else error
    std::string kernel;
    Place first;            ///< where it went wrong
    std::vector<Place> others; ///< the other access, and where a wait or barrier was
    std::string message;    ///< why it is wrong here, with the numbers; one or two sentences
    std::string remedy;     ///< what would fix it
    uint64_t count = 1;     ///< times seen
    machine::Schedule schedule;
};

/// Collects findings, merged by rule and source lines.
class Reporter {
  public:
    void add(Finding finding);
    void clear() { findings_.clear(); }
    const std::vector<Finding>& findings() const { return findings_; }
    size_t errors() const;

  private:
    std::vector<Finding> findings_;
};

/// "lazy", "eager", "random"; for the command that replays a finding.
const char* name(machine::Schedule::Completion completion);

} // namespace sim::hazards
