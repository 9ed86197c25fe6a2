// A run in one file: `./lab run FILE.cu --core FILE.core` keeps the first run with an error, and `./lab run FILE.core`
// repeats it on any machine: it needs neither the program nor a compiler.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "check/recording.h"
#include "runner/run_program.h"

namespace runner {

struct Core {
    std::string program;        ///< as the user has given it
    std::string arch, schedule; ///< as --arch and --schedule
    uint64_t seed = 1;          ///< of the schedule
    uint32_t sms = 4;
    int exit_code = 0;                                ///< of the program
    std::map<std::string, std::string> sources{};     ///< texts, by the names that PTX gives the files
    std::shared_ptr<const check::Recording> requests; ///< of a program
    std::map<std::string, std::string> files{};       ///< or of a .ptx file: it, launch.json, and what that names
};

/// Both throw base::Problem.
void write_core(const fs::path& file, const Core& core);
Core read_core(const fs::path& file);

/// The run of a program as --core keeps it.
class KeptRun {
  public:
    /// For RunArguments::keep.
    void take(const check::Recorded& run, const Outcome& outcome, const sim::machine::Schedule& schedule);
    /// Writes the file, and repeats the run to see that it shows the same finding. Returns a line for the user.
    std::string write(const RunArguments& arguments, const Outcome& outcome, const std::set<fs::path>& own_files) const;

  private:
    check::Recorded run_{};
    sim::machine::Schedule schedule_{};
    int exit_code_ = 0;
    bool taken_ = false;
};

/// The run of a core file, instead of a program; changes what the file decides in `arguments`.
Subject repeated(const fs::path& file, RunArguments& arguments);

} // namespace runner
