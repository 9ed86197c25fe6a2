// Turns .cu files into programs that run on the simulated device.
//
// A lab's program is made in parts: its PTX for each target, and the program of its host code with the checker's stub,
// which loads the PTX. The host pass takes most of nvcc's time, so its program is reused while only the bodies of
// kernels change (host_side.h). The ways (ways/) are tried in order: each makes the missing parts that it can, or says
// why it leaves them to the next one. ASYNCLAB_WAYS=1 prints what each has said.
//
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/paths.h"
#include "check/lab.h"
#include "check/run_config.h"
#include "compile/messages.h"
#include "compile/origin.h"
#include "compile/tools.h"
#include "sim/report/finding.h"

namespace compile {

class Way;
struct Order;
class Cache;
class Cached;

struct Compiled {
    std::string errors;                  ///< what nvcc said, shortened; empty: it worked
    fs::path program;                    ///< to be executed
    Origin origin;                       ///< of a lab's program
    std::map<std::string, fs::path> ptx; ///< a lab's, by Target::arch()
    std::string warnings;
    std::set<fs::path> own_files; ///< the user's files that came into a program, but for the source
    bool out_of_time = false;     ///< a compiler had not finished when its time was up
    double seconds = 0;
    explicit operator bool() const { return errors.empty(); }
};

class Compiler {
  public:
    /// `box`: what compilers and programs run in; one with an environment of its own is for strangers' files.
    explicit Compiler(const base::Paths& paths, isolation::Box box = {});
    ~Compiler();
    Compiler(const Compiler&) = delete;
    const Toolchain& toolchain() const { return tools_.toolchain(); }

    /// How much processor time each compiler may take, and five times as long in all. 0: no limit.
    void limit(std::chrono::seconds time) { tools_.limit(time); }

    /// The files that a grader has prepared for submissions, which stay where they are; `group`: the control group of
    /// this submission, or empty.
    void use(const Prepared& prepared, fs::path group);
    /// Starts compilers for the headers of a lab's kernel.cu.
    void start_servers(servers::GraderServers& servers, const fs::path& source,
                       const std::vector<check::Target>& targets) const;
    /// The program of a lab's own kernel.cu, which the devices of all targets take; none: it does not compile.
    std::optional<HostProgram> host_program(const fs::path& source, const check::Target& oldest,
                                            const fs::path& program) const;

    /// `source` is a lab's kernel.cu, in any folder.
    Compiled lab(const fs::path& source, const std::vector<check::Target>& targets, const Ticker& ticker = {}) const;
    /// Any CUDA program, for `arch` ("compute_90a"), with further flags for nvcc; with machine code for a GPU
    /// ("sm_90a"), too, unless `code` is empty. `lab`: a lab's kernel.cu, with the checker's stub.
    Compiled program(const fs::path& source, const std::string& arch, const std::vector<std::string>& flags,
                     const Ticker& ticker = {}, const std::string& code = {}, bool lab = false) const;
    /// PTX alone, of a file without host code of interest.
    Compiled ptx(const fs::path& source, const check::Target& target, const Ticker& ticker = {}) const;
    /// Why nvcc cannot make PTX of a file without host code of interest; empty: it can.
    std::string try_ptx(const fs::path& source, const check::Target& target) const;

    /// The variables by which a program finds the simulated CUDA runtime.
    std::map<std::string, std::string> environment() const;
    /// Where a lab's program is to run.
    isolation::Box program_box(const Compiled& compiled) const;
    /// Gives places in host code their file and line, in `source` if the program stands for that file. The program
    /// itself, in its box, cannot start addr2line.
    void name_host_lines(const Compiled& compiled, const fs::path& source,
                         std::vector<sim::hazards::Finding>& findings) const;
    /// What to run a compiled lab with: its program and its PTX for `target`, in its environment and its box.
    check::RunConfig run_config(const Compiled& compiled, const check::Target& target) const;

  private:
    Compiled make(Order order) const;

    Tools tools_;
    std::unique_ptr<Cache> work_;
    std::vector<std::unique_ptr<Way>> ways_; ///< in the order in which they are tried
};

/// For one's own files: they may read any file, but processes that they start by mistake still cannot write elsewhere
/// or stay behind.
isolation::Box box_for_own_files();

} // namespace compile
