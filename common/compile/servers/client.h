// Compiling with servers that have read the headers.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compile/servers/plan.h"

namespace servers {

/// There is no such server, or its answer is no good: let nvcc do it.
struct Unable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Where a compiler waits, and how it is reached: over a connection that a grader has made, or by the folder's socket.
struct Server {
    fs::path folder{};
    int connection = -1;
    bool confined() const { return connection >= 0; }
};
/// "FOLDER" or, with a connection's descriptor, "7:FOLDER".
Server server_named(const std::string& word);
std::string named(const Server& server);

/// Has the compiler go on with `rest`. Waits for the server to be ready. `outputs`: the compiler's out.NAME and where
/// they go. Returns the exit code. Throws Unable.
int ask(const Server& server, const fs::path& rest, const fs::path& messages,
        const std::map<std::string, fs::path>& outputs, uint32_t processor_seconds);

/// Does the server in `folder` run? It need not be ready.
bool lives(const fs::path& folder);

/// The length of the part of cudafe++'s output that comes from the source, without its own ending.
size_t behind_headers(const std::string& text);

struct Work {
    fs::path source, folder;
    std::vector<std::pair<Server, std::string>> devices; ///< a server for each target, and the name of its PTX
    Server host;                                         ///< the server for kernel.o; no folder: none is made
    uint32_t processor_seconds = 0;
};
/// With nvcc's messages on stderr. Ends the process, with nvcc's exit code, when the program has errors; for a grader,
/// nvcc itself says what they are. Throws Unable.
void compile(const Work& work);

} // namespace servers
