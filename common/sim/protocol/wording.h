// An order in which something goes wrong, for the report.
#pragma once

#include <optional>
#include <unordered_set>

#include "sim/diagnosis/facts.h"
#include "sim/protocol/explorer.h"

namespace sim::protocol {

class Wording {
  public:
    Wording(const Record& record, const Explored& explored, const hazards::Places& places)
        : record_(record), explored_(explored), places_(places) {}

    hazards::OrderFault fact() const;
    hazards::Place here() const;
    std::optional<hazards::Place> there() const;

  private:
    hazards::Place place(uint32_t operation) const;
    std::string who(const Operation& operation) const;
    std::string where(const Operation& operation) const;
    std::string order() const;
    std::string missing(const Operation& operation) const;
    std::string helper(uint32_t waits, const std::unordered_set<uint32_t>& executed) const;
    std::string waiting() const;

    const Record& record_;
    const Explored& explored_;
    const hazards::Places& places_;
};

} // namespace sim::protocol
