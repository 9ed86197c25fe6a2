// A compiler that waits behind the headers, and its client. own_servers.h and grader_servers.h start both.
//
//     compile_server serve FOLDER device|host|precompiled STOP NVCC…    becomes the compiler in FOLDER
//     compile_server compile SOURCE FOLDER SECONDS HOST (SERVER PTX)…
//
// A grader gives HOST and SERVER, or instead of NVCC the one for `precompiled`, as NUMBER:FOLDER: descriptor NUMBER is
// connected with the server.
#include <csignal>
#include <cstdio>
#include <string>

#include <unistd.h>

#include "base/problem.h"
#include "compile/servers/client.h"
#include "compile/servers/request.h"
#include "compile/servers/waiting.h"

namespace {

int serve(const std::vector<std::string>& words) {
    const servers::Kind kind = words[1] == "device" ? servers::Kind::device
                               : words[1] == "host" ? servers::Kind::host
                                                    : servers::Kind::precompiled;
    return servers::serve(words[0], kind, {words.begin() + 3, words.end()}, words[2]);
}

int compile(const std::vector<std::string>& words) try {
    servers::Work work{.source = words[0],
                       .folder = words[1],
                       .devices = {},
                       .host = servers::server_named(words[3]),
                       .processor_seconds = static_cast<uint32_t>(std::stoul(words[2]))};
    for (size_t i = 4; i + 1 < words.size(); i += 2)
        work.devices.emplace_back(servers::server_named(words[i]), words[i + 1]);
    servers::compile(work);
    return 0;
} catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return servers::let_nvcc_do_it;
} catch (const base::Problem&) {
    return servers::let_nvcc_do_it;
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() > 4 && words[0] == "serve")
        return serve({words.begin() + 1, words.end()});
    if (words.size() > 6 && words[0] == "compile")
        return compile({words.begin() + 1, words.end()});
    std::fputs("This program is run by ./lab.\n", stderr);
    return 2;
}
