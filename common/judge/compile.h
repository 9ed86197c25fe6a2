// Turns .cu files into programs that run on the simulated device.
//
// A lab's program is made in parts that run side by side: its PTX, one nvcc for each target, and the object of the host
// with the checker's stub. The host pass is most of nvcc's time, so its object is kept and re-used while only the
// bodies of kernels change (host_side.h); the checker feeds the new PTX to the device beside it. Most of the rest is
// reading headers: one's own files are compiled by nvcc's compilers that have read them already (servers.h).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "check/lab.h"
#include "check/run_config.h"
#include "judge/cache.h"
#include "judge/run_servers.h"
#include "judge/servers.h"
#include "judge/toolchain.h"
#include "process/process.h"
#include "sim/report/finding.h"

namespace judge {

/// Is told again and again what is going on, in a few words.
using Ticker = std::function<void(std::string_view)>;

struct Compiled {
    std::string errors;                  ///< what nvcc said, shortened; empty: it worked
    fs::path program;                    ///< to be executed
    Origin origin;                       ///< of a lab's program
    std::map<std::string, fs::path> ptx; ///< a lab's, by Target::arch()
    std::string warnings;
    std::set<fs::path> own_files; ///< of the user's, which a program was made from, but for the source
    bool out_of_time = false; ///< a compiler had not finished when its time was up
    double seconds = 0;
    explicit operator bool() const { return errors.empty(); }
};

class Compiler {
  public:
    /// `box`: what compilers and programs run in. Its paths are those that both may read; what else each needs is
    /// added here.
    explicit Compiler(const base::Paths& paths, isolation::Box box = {});
    const Toolchain& toolchain() const { return chain_; }

    /// How much processor time each compiler may take, and five times as long in all: a machine that has much else to
    /// do is no mistake of the file's. 0: no limit.
    void limit(std::chrono::seconds time) { time_ = time; }

    /// What a grader has prepared for strangers' files; `group`: the control group of this one, or empty.
    void use(const RunParts& run, fs::path group) {
        run_ = &run;
        group_ = std::move(group);
    }
    /// Starts compilers for the headers of a lab's kernel.cu.
    void start_servers(RunServers& servers, const fs::path& source, const std::vector<check::Target>& targets) const;
    /// The program of a lab's own kernel.cu, which the devices of all targets take; none: it does not compile.
    std::optional<HostProgram> host_program(const fs::path& source, const check::Target& oldest,
                                            const fs::path& program) const;

    /// `source` is a lab's kernel.cu, wherever it lies.
    Compiled lab(const fs::path& source, const std::vector<check::Target>& targets, const Ticker& ticker = {}) const;
    /// Any CUDA program, for `arch` ("compute_90a"), with further flags for nvcc; with machine code for a GPU
    /// ("sm_90a"), too, unless `code` is empty. `lab`: a lab's kernel.cu, with the checker's stub.
    Compiled program(const fs::path& source, const std::string& arch, const std::vector<std::string>& flags,
                     const Ticker& ticker = {}, const std::string& code = {}, bool lab = false) const;
    /// PTX of a file without host code of interest.
    Compiled ptx(const fs::path& source, const check::Target& target, const Ticker& ticker = {}) const;

    /// What a program needs to find the simulated CUDA runtime.
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
    struct Job;
    struct Parts;
    Parts begin(const fs::path& source, const std::vector<check::Target>& targets, const Ticker& ticker,
                Compiled& result) const;
    struct Made {
        std::string errors, warnings;
        bool out_of_time = false;
        std::optional<compile::Dependencies> dependencies;
    };
    /// Has servers (servers.h) make kernel.ARCH.ptx and kernel.o in `folder`. None: nvcc has to do it.
    std::optional<Made> with_servers(const fs::path& source, const std::vector<std::string>& nvcc,
                                     const std::vector<std::string>& archs, bool host, const fs::path& folder,
                                     const Ticker& ticker) const;
    bool begin_with_servers(Parts& parts, const fs::path& source, const std::vector<check::Target>& missing,
                            const std::vector<check::Target>& targets, const Ticker& ticker, Compiled& result) const;
    void finish_ptx(Parts& parts, const fs::path& source, const Ticker& ticker, Compiled& result) const;
    void finish_host(Parts& parts, const fs::path& source, const check::Target& target, const Ticker& ticker,
                     Compiled& result) const;
    process::Limits limits() const; ///< of one compiler
    process::Process start(std::vector<std::string> command, const fs::path& source, const fs::path& folder,
                           const Connections& servers = {}) const;
    Compiled at_once(const fs::path& source, const std::vector<check::Target>& targets, const Ticker& ticker) const;
    std::optional<Compiled> with_run_servers(const fs::path& source, const std::vector<check::Target>& targets,
                                             const fs::path& folder, const Ticker& ticker) const;
    Compiled with_one_nvcc(const fs::path& source, const std::vector<check::Target>& targets, const fs::path& folder,
                           const Ticker& ticker) const;
    void take_back(const fs::path& folder) const;
    compile::Watched watch(const fs::path& source) const;
    /// Has nvcc keep what its preprocessors wrote in `folder`.
    static void keep_trace(std::vector<std::string>& nvcc, const fs::path& folder);
    /// Adds what they wrote.
    static std::optional<compile::Dependencies> traced(compile::Watched& watched, const fs::path& folder,
                                                       const std::vector<fs::path>& search);
    std::vector<std::string> nvcc(bool lab, const std::vector<std::string>& flags = {}) const;
    std::string key(std::string_view kind, std::string_view text, const std::vector<std::string>& flags) const;
    Job ptx_job(const fs::path& source, const check::Target& target, const fs::path& folder) const;
    Job host_job(const fs::path& source, const check::Target& target, const fs::path& folder) const;
    std::string link(const fs::path& object, bool with_stub, const fs::path& program,
                     const std::vector<std::string>& flags, compile::Watched* watched = nullptr) const;
    std::string ptxas(const fs::path& ptx, const check::Target& target, const fs::path& source) const;
    fs::path ptx_of(const fs::path& folder) const { return folder / "kernel.ptx"; }

    base::Paths paths_;
    isolation::Box box_;
    std::chrono::seconds time_{120};
    Toolchain chain_;
    Cache cache_;
    Servers servers_;
    const RunParts* run_ = nullptr;
    fs::path group_;
};

/// For one's own files: they may read what they like; what they start by mistake still cannot write elsewhere or stay
/// behind.
isolation::Box box_for_own_files();

/// nvcc's messages for people: paths as the user knows them, what follows from the first errors left out.
std::string shorten_errors(std::string_view text, const fs::path& source);

} // namespace judge
