// Where the host code of a program comes from, and programs that are made before their kernels are known.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/servers/grader_servers.h"

namespace compile {

namespace fs = std::filesystem;

/// The file that the host code of a program was compiled from: findings are to name the lines of another one.
struct Origin {
    fs::path file;
    std::string text;
};

/// A program made from a lab's own file, for a grader's submissions that have the same host code, as most have.
struct HostProgram {
    fs::path program;
    Origin origin;
    std::string host_text; ///< what of the file it depends on
    std::string interface; ///< what its PTX offers to it
};

/// The files that a grader prepares before it reads any submission.
struct Prepared {
    std::vector<servers::GivenServer> servers;
    std::vector<HostProgram> programs;
};

} // namespace compile
