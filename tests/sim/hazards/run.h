// Runs one of the programs on a simulated device of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/diagnosis/severity.h"
#include "sim/events/conductor.h"
#include "sim/machine/gpu.h"

struct Reported {
    std::string rule;
    sim::hazards::Severity severity = sim::hazards::Severity::error;
    bool note() const { return severity == sim::hazards::Severity::note; }
    std::string text; ///< as a student would read it
    std::string file;
    unsigned line = 0;
    std::vector<unsigned> others = {}; ///< further lines of that file
};

struct Run {
    std::vector<Reported> findings; ///< of the device and of the host
    std::string output;             ///< of the program
    std::string ending;             ///< "exit code 0"
    std::string not_all;            ///< why the protocol check has not explored every order; empty: it has
    /// An order that it has found, and whether something is wrong with that one.
    std::shared_ptr<const sim::events::ReplayedOrder> order;
    bool wrong = false;
    std::string text() const; ///< all findings
    bool has(const std::string& rule) const;
    size_t errors() const; ///< and warnings
};

/// If the protocol check finds an order that goes well, but differs from the run's, that one as well.
Run run(const std::string& program, const sim::machine::Schedule& schedule = {});
/// Other launches may begin early, and if there are several cores, each launch that can be is divided.
Run run_on_cores(const std::string& program, uint32_t cores);
Run replay(const std::string& program, std::shared_ptr<const sim::events::ReplayedOrder> order);

/// As late as possible; as early as possible; at random.
std::vector<sim::machine::Schedule> all_schedules();

/// Compares with the entry "== NAME" of the file `reports`, or writes it when ASYNCLAB_BLESS is set. Empty: they agree;
/// else what differs.
std::string compare_with_report(const std::string& name, const std::string& text);
/// Names of the entries.
std::vector<std::string> reports();
