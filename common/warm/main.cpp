// A compiler that waits behind the headers, and its client. judge/ starts both.
//
//     warm serve FOLDER device|host|precompiled STOP NVCC…    becomes the compiler in FOLDER
//     warm compile SOURCE FOLDER SECONDS HOST (SERVER PTX)…
//
// A grader gives HOST and SERVER, or instead of NVCC the one for `precompiled`, as NUMBER:FOLDER: descriptor NUMBER is
// connected with the server.
#include <csignal>
#include <cstdio>
#include <string>

#include <unistd.h>

#include "base/problem.h"
#include "warm/client.h"
#include "warm/request.h"
#include "warm/server.h"

namespace {

int serve(const std::vector<std::string>& words) {
    const warm::Kind kind = words[1] == "device" ? warm::Kind::device
                            : words[1] == "host" ? warm::Kind::host
                                                 : warm::Kind::precompiled;
    return warm::serve(words[0], kind, {words.begin() + 3, words.end()}, words[2]);
}

int compile(const std::vector<std::string>& words) try {
    warm::Work work{.source = words[0],
                    .folder = words[1],
                    .devices = {},
                    .host = warm::server_named(words[3]),
                    .processor_seconds = static_cast<uint32_t>(std::stoul(words[2]))};
    for (size_t i = 4; i + 1 < words.size(); i += 2)
        work.devices.emplace_back(warm::server_named(words[i]), words[i + 1]);
    warm::compile(work);
    return 0;
} catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return warm::let_nvcc_do_it;
} catch (const base::Problem&) {
    return warm::let_nvcc_do_it;
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
