// What a report says, apart from how it is printed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/diagnosis/place.h"
#include "sim/diagnosis/severity.h"
#include "sim/machine/gpu.h"

namespace sim::hazards {

struct Rule;

struct Finding {
    const Rule* rule = nullptr;
    Severity severity = Severity::error;
    std::string kernel;
    Place first;                ///< where it went wrong
    std::vector<Place> others;  ///< the other access, and where a wait or barrier was
    std::string message;        ///< why it is wrong here, with the numbers; one or two sentences
    std::string remedy;         ///< what would fix it
    uint64_t count = 1;         ///< times seen
    bool cause_is_wait = false; ///< Explanation::cause_is_wait
    machine::Schedule schedule;
};

/// Makes errors of warnings (--strict). Returns how many there were.
size_t promote_warnings(std::vector<Finding>& findings);

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
