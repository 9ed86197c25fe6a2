// From facts to findings: the first rule that explains them, its words, and the places.
#pragma once

#include <optional>

#include "sim/report/finding.h"
#include "sim/rules/rule.h"

namespace sim::hazards {

class Findings {
  public:
    explicit Findings(const Places& places) : places_(places) {}

    Reporter reporter;
    machine::Schedule schedule;
    std::string kernel; ///< that runs

    /// Explains these facts at `here`, with the other access at `there`. nullopt: no rule explains them.
    std::optional<Finding> explain(const Facts& facts, Place here, std::optional<Place> there = {}) const;
    std::optional<Finding> explain(const Conflict& conflict, Place here, std::optional<Place> there) const;
    /// The same finding for another reason.
    static void restate(Finding& finding, const Facts& facts);
    /// It has turned out that a phase was over too soon: the first finding about a copy that relied on such a phase.
    void blame(const ReleasedTooSoon& facts);
    /// The first finding about two threads that did not meet at this named barrier.
    void blame(const NamedCountTooSmall& facts);
    void add(std::optional<Finding> finding);
    void soften(Finding finding); ///< Reporter::soften
    /// explain() and add().
    void report(const Facts& facts, Place here, std::optional<Place> there = {}) {
        add(explain(facts, std::move(here), std::move(there)));
    }

  private:
    void complete(Finding& finding) const; ///< with what is the same for all of this run
    std::optional<Finding> build(const Rule& rule, Explanation text, Place here, std::optional<Place> there) const;

    const Places& places_;
    mutable uint64_t seen_ = 0; ///< conflicts and misuses so far, reported or not
};

} // namespace sim::hazards
