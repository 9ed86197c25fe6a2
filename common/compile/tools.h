// The toolchain's programs, called with limits and in a box.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/paths.h"
#include "compile/dependencies/dependencies.h"
#include "compile/servers/grader_servers.h"
#include "compile/toolchain.h"
#include "isolation/isolation.h"
#include "process/process.h"

namespace compile {

class Tools {
  public:
    /// `box`: what compilers and programs run in. Its paths are those that both may read; what else each needs is
    /// added here.
    Tools(const base::Paths& paths, isolation::Box box);

    const Toolchain& toolchain() const { return chain_; }
    const base::Paths& paths() const { return paths_; }
    const isolation::Box& box() const { return box_; }
    /// Sources are strangers': each is compiled by itself, and nothing of it is ever used again.
    bool for_strangers() const { return box_.own_environment; }

    /// How much processor time each compiler may take, and five times as long in all: a machine that has much else to
    /// do is no mistake of the file's. 0: no limit.
    void limit(std::chrono::seconds time) { time_ = time; }
    std::chrono::seconds time() const { return time_; }
    process::Limits limits() const; ///< of one compiler

    /// nvcc with the flags that are always passed. `flags`: the user's.
    std::vector<std::string> nvcc(bool lab, const std::vector<std::string>& flags = {}) const;
    /// Variables for a compiler that writes into `folder`.
    static std::map<std::string, std::string> environment(const fs::path& folder);
    /// Starts a tool that reads `source` and writes into `folder`.
    process::Process start(std::vector<std::string> command, const fs::path& source, const fs::path& folder,
                           const servers::Connections& servers = {}) const;
    /// Takes ownership of the folder and its files, so that the user who ran a tool there can no longer change its
    /// results or redirect our reads and writes.
    void take_back(const fs::path& folder) const;
    /// To be called before a compiler reads `source`.
    Watched watch(const fs::path& source) const;

  private:
    base::Paths paths_;
    isolation::Box box_;
    std::chrono::seconds time_{120};
    Toolchain chain_;
};

/// nvcc -ptx does not look into inline assembly; ptxas does. Returns why it refuses the PTX; empty: it does not.
std::string ptxas(const Tools& tools, const fs::path& ptx, const std::string& arch, const fs::path& source);

/// Those of the user's flags that are the linker's.
std::vector<std::string> link_flags(const std::vector<std::string>& flags);

struct Link {
    fs::path object, program;
    bool stub = false;              ///< with the checker's stub: a lab
    std::vector<std::string> flags; ///< -L and -l
};
/// Returns the linker's messages; empty: it worked. `watched`: receives the libraries.
std::string link(const Tools& tools, const Link& link, Watched* watched = nullptr);

} // namespace compile
