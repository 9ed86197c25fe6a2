// Waiting compilers that have read the headers of labs, for one run of a grader. The grader starts them before any
// submission is read. Each is a process in a box of its own that reads nothing but those headers; for a submission it
// forks, and the copy confines itself (confine.h) before it reads the file. A server that dies or a useless answer
// costs nothing but time: nvcc compiles the file, in the submission's box.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "compile/servers/client.h"
#include "compile/servers/request.h"
#include "isolation/isolation.h"
#include "process/process.h"

namespace servers {

namespace fs = std::filesystem;

/// What the process that grades one submission knows about a server.
struct GivenServer {
    fs::path folder;
    std::string arch; ///< "compute_80"; host_of("compute_80"): it makes the host's object for it
    int control = -1; ///< descriptor on which it takes connections
};

inline std::string host_of(const std::string& arch) {
    return "host-" + arch;
}

/// The servers, as long as this lives.
class GraderServers {
  public:
    /// `kit`: asynclab's files as submissions see them. `folder`: where servers get folders; only we may write to it.
    GraderServers(const base::Paths& kit, isolation::Level level, fs::path folder);
    ~GraderServers();
    GraderServers(const GraderServers&) = delete;

    /// Starts those for one set of headers, unless the machine has no memory for them. `nvcc`: the command without
    /// targets. `readable`: folders of the toolkit.
    void start(const std::string& headers, const std::vector<std::string>& nvcc, const std::vector<std::string>& archs,
               const std::vector<fs::path>& readable);
    /// Waits until all have read their headers, and takes ownership of the files that they have written.
    void wait();
    std::vector<GivenServer> given() const;

  private:
    struct Server {
        fs::path folder;
        std::string headers, arch;
        int control;
        isolation::Box box;
        process::Process process;
    };
    bool has(const std::string& headers, const std::string& arch) const;
    void start_one(const std::string& headers, const std::string& arch, std::vector<std::string> nvcc,
                   isolation::Box box);
    void precompile(Server& server) const;
    base::Paths kit_;
    fs::path folder_;
    isolation::Box box_;
    std::list<Server> servers_;
    size_t most_ = 0;
};

/// A connection with each server that one compilation needs. It closes them.
class Connections {
  public:
    Connections() = default;
    ~Connections();
    Connections(const Connections&) = delete;

    void close_all();
    /// False: the server is gone. `group`: the control group for the processes that it starts; empty: none.
    bool add(const GivenServer& server, const Handover& limits, const fs::path& group);
    /// Number in the child -> ours.
    std::map<int, int> descriptors() const;
    /// As the child names the server added first, second, …
    Server server(size_t index) const;
    std::vector<fs::path> folders() const;

  private:
    std::vector<std::pair<fs::path, int>> connections_;
};

/// The servers with the longest headers that `source` begins with, one for each of `archs`. Empty: there are none.
std::vector<GivenServer> family(const std::vector<GivenServer>& servers, std::string_view source,
                                const std::vector<std::string>& archs);

} // namespace servers
