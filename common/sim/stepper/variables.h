// Which of the source's variables a function's registers hold, as far as the line table and the source's text say.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/program.h"

namespace sim::stepper {

class Variables {
  public:
    explicit Variables(const machine::DecodedFunction& function);

    /// The variable or parameter in the function's register `index`; empty: none is known. A register has one if its
    /// line declares or assigns one variable and leaves one value of its type to other lines.
    const std::string& name(size_t index) const { return names_[index]; }

    /// Variables that this line mentions and that no register holds.
    struct Absent {
        std::string name;
        bool optimised_away = false; ///< else: no register is known to hold it
                                     ///< register is known to hold it
    };
    std::vector<Absent> absent(const ptx::SourceLine& place) const;

  private:
    struct Declaration {
        std::string type, name;
        bool may_live = true, in_register = false;
    };
    using File = std::map<uint32_t, Declaration>; ///< by line

    void read_declarations(const std::string& file, uint32_t last);
    void note_code();
    void name_parameters(const machine::DecodedFunction& function);
    void name_results(const machine::DecodedFunction& function);
    void name_copies(const machine::DecodedFunction& function);
    std::pair<std::string, std::string> result_of(const ptx::SourceLine& place) const;
    std::string text(const ptx::SourceLine& place) const;
    const Declaration* declared(const ptx::SourceLine& place, const std::string& name) const;

    std::vector<std::string> names_;
    std::map<std::string, File> files_;
    std::map<std::string, std::vector<std::string>> texts_; ///< lines of files
    std::vector<ptx::SourceLine> places_;                   ///< of the function's instructions, without columns
};

} // namespace sim::stepper
