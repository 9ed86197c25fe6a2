// The contents of a report, apart from how it is printed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/diagnosis/place.h"
#include "sim/diagnosis/severity.h"
#include "sim/machine/gpu.h"

namespace sim::hazards {

struct Rule;

/// The two accesses of a conflict where it was seen first. It stays in the process that has seen it.
struct Sighting {
    uint64_t moment = 0;                   ///< events::Listener::moment, when it was reported
    uint32_t pc = 0, other_pc = 0;         ///< 0: it is no conflict; there is no other access
    uint64_t block = 0, other_block = 0;   ///< of the launch
    uint32_t thread = 0, other_thread = 0; ///< in their blocks
    bool shared = false;
    uint64_t at = 0;    ///< the first of the bytes
    uint64_t owner = 0; ///< the block whose shared memory it is
};

struct Finding {
    const Rule* rule = nullptr;
    Severity severity = Severity::error;
    std::string kernel;
    Place first;                   ///< where it went wrong
    std::vector<Place> others;     ///< the other access, and where a wait or barrier was
    std::string message;           ///< why it is wrong here, with the numbers; one or two sentences
    std::string remedy;            ///< what would fix it
    uint64_t count = 1;            ///< times seen
    bool cause_is_wait = false;    ///< Explanation::cause_is_wait
    bool returned_at_once = false; ///< Explanation::returned_at_once
    uint32_t issuer_waited_on = 0; ///< Conflict::issuer_waited_on()
    uint32_t named_barrier = 0;    ///< the number, plus one, of the named barrier at which the two threads did not meet
    uint64_t number = 0;           ///< in the order in which they happened; reports of loads come later than that
    machine::Schedule schedule;
    Sighting seen;
};

/// Makes errors of warnings (--strict). Returns how many there were.
size_t promote_warnings(std::vector<Finding>& findings);

/// Collects findings, merged by rule and source lines.
class Reporter {
  public:
    void add(Finding finding);
    void clear() { findings_.clear(); }
    uint64_t changes() const { return changes_; } ///< how often findings were added, changed or dropped
    /// Drops findings of a rule whose first line is one of those of `cause`.
    void retract(const Rule& rule, const Finding& cause);
    /// The calls in findings whose lines the program has not been asked for.
    std::vector<events::CallSite> take_unnamed_calls();
    /// Its answer. `function` names the place where there is no line.
    void name_call(events::CallSite call, std::string file, uint32_t line, std::string function);
    const std::vector<Finding>& findings() const { return findings_; }
    /// Lets f() change the earliest finding that it accepts.
    template <class F>
    void revise(F&& f) {
        for (Finding& finding : findings_)
            if (f(finding)) {
                ++changes_;
                return;
            }
    }
    /// Takes back an error that has been added once, and adds a milder finding about the same place instead.
    void soften(Finding milder);
    size_t errors() const;
    std::function<uint64_t()> moment; ///< what Sighting::moment becomes; may be empty

  private:
    struct NamedCall {
        bool known = false;
        std::string file, function;
        uint32_t line = 0;
    };
    void name_place(Place& place);
    void name_places(Finding& finding);
    std::vector<Finding> findings_;
    uint64_t changes_ = 0;
    std::map<events::CallSite, NamedCall> calls_;
    std::vector<events::CallSite> unnamed_;
};

/// "lazy", "eager", "random"; for the command that replays a finding.
const char* name(machine::Schedule::Completion completion);

} // namespace sim::hazards
