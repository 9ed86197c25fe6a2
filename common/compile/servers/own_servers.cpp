#include "compile/servers/own_servers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "compile/servers/client.h"
#include "compile/servers/headers.h"
#include "compile/servers/request.h"
#include "compile/servers/waiting.h"
#include "process/process.h"

namespace servers {
namespace {

constexpr uint64_t server_bytes = uint64_t{320} << 20; // what one takes

uint64_t number_in(const char* file) {
    uint64_t number = UINT64_MAX; // "max", or there is no such file
    std::ifstream(file) >> number;
    return number ? number : UINT64_MAX;
}

// "MemTotal", "MemAvailable"; a container's limit counts for both.
uint64_t memory(const std::string& what) {
    const uint64_t most = number_in("/sys/fs/cgroup/memory.max");
    const uint64_t used = most == UINT64_MAX || what == "MemTotal" ? 0 : number_in("/sys/fs/cgroup/memory.current");
    std::ifstream lines("/proc/meminfo");
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(what + ":"))
            return std::min<uint64_t>(std::strtoull(line.c_str() + what.size() + 1, nullptr, 10) << 10,
                                      most - std::min(used, most));
    return 0;
}

// It ends as soon as its socket is gone.
void end_server(const fs::path& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
}

// Detached: in a session of its own, with nothing of ours open.
pid_t start_detached(std::vector<std::string> command, const fs::path& folder) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, (folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    std::vector<char*> arguments;
    for (auto& word : command)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t server = 0;
    if (posix_spawn(&server, arguments[0], &files, &attributes, arguments.data(), environ) != 0)
        server = 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return server;
}

enum class State : uint8_t { good, gone, elsewhere };

// Gone, too: its headers have changed since. Elsewhere: a source in folder `beside` gets other headers.
State state_of(const fs::path& server, const fs::path& beside) {
    if (!lives(server))
        return State::gone;
    if (!fs::exists(server / socket_name))
        return State::good; // it is reading them now
    if (!fs::exists(server / dependencies_file))
        return State::gone;
    const auto headers = compile::Dependencies::from(base::read_file(server / dependencies_file));
    return !headers.unchanged(server) ? State::gone : !headers.unchanged(beside) ? State::elsewhere : State::good;
}

} // namespace

size_t most_servers(size_t at_most) {
    const char* wanted = std::getenv("ASYNCLAB_WARM");
    return wanted && std::strcmp(wanted, "0") == 0 ? 0
                                                   : std::min<size_t>(at_most, memory("MemTotal") / 4 / server_bytes);
}

OwnServers::OwnServers(const base::Paths& paths)
    : program_(paths.build / "common/compile/servers/compile_server"),
      stop_(paths.build / "common/compile/servers/libstop_behind_headers.so"), folder_(paths.state / "servers") {
    std::error_code problem;
    if (fs::exists(program_, problem) && fs::exists(stop_, problem))
        most_ = most_servers(16);
}

// The longest unused ones go.
void OwnServers::make_room() const {
    std::vector<std::pair<fs::file_time_type, fs::path>> servers;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(folder_, problem))
        if (lives(entry.path()))
            servers.emplace_back(fs::last_write_time(entry.path(), problem), entry.path());
        else if (!fs::exists(entry.path() / trouble_file) &&
                 fs::last_write_time(entry.path(), problem) <
                     fs::file_time_type::clock::now() - std::chrono::minutes(1))
            end_server(entry.path());
    std::ranges::sort(servers);
    for (size_t i = 0; i + most_ <= servers.size(); ++i)
        end_server(servers[i].second);
}

std::optional<fs::path> OwnServers::find_or_start(const char* kind, const std::string& headers,
                                                  const std::vector<std::string>& nvcc, const fs::path& beside) const {
    base::Hash hash;
    hash.add("2").add(kind).add(headers);
    for (const auto& word : nvcc)
        hash.add(word);
    std::error_code problem;
    for (const fs::path& own : {program_, stop_})
        hash.add(std::to_string(fs::last_write_time(own, problem).time_since_epoch().count()));
    const fs::path folder = folder_ / fmt::format("{}-{}", kind, hash.text().substr(0, 16));
    if (fs::exists(folder / trouble_file, problem))
        return {}; // nvcc does something that is not understood
    const State state = state_of(folder, beside);
    if (state == State::elsewhere)
        return {};
    if (state == State::good) {
        fs::last_write_time(folder, fs::file_time_type::clock::now(), problem);
        return folder;
    }
    if (memory("MemAvailable") < 4 * server_bytes)
        return {};
    make_room();
    end_server(folder);
    fs::create_directories(folder_, problem);
    if (!fs::create_directory(folder, problem))
        return problem ? std::nullopt : std::optional(folder); // somebody else has just begun
    base::write_file(folder / headers_file, headers);
    std::vector<std::string> command{program_.string(), "serve", folder.string(), kind, stop_.string()};
    command.insert(command.end(), nvcc.begin(), nvcc.end());
    const pid_t server = start_detached(command, folder);
    if (!server)
        return {};
    process::remember_child(server);
    base::write_file(folder / "pid", std::to_string(server));
    return folder;
}

// Takes longer than it saves once: begins with the second program that has these headers.
void OwnServers::precompile(const fs::path& host) const {
    std::error_code problem;
    if (fs::create_directory(host / "used", problem) || !fs::create_directory(host / "used/again", problem))
        return;
    const pid_t maker =
        start_detached({program_.string(), "serve", host.string(), "precompiled", stop_.string(), "-"}, host);
    if (maker)
        process::remember_child(maker);
}

std::optional<OwnServers::Family> OwnServers::family(const fs::path& source, const std::vector<std::string>& nvcc,
                                                     const std::vector<std::string>& archs, bool host) const {
    const std::string headers = split(base::read_file(source)).headers;
    if (!most_ || headers.empty() || source.string().find_first_of("\"\\\n") != std::string::npos)
        return {};
    Family family;
    const auto for_arch = [&](const std::string& arch) {
        auto command = nvcc;
        command.insert(command.end(), {"-gencode", fmt::format("arch={0},code={0}", arch)});
        return command;
    };
    for (const auto& arch : archs) {
        const auto server = find_or_start("device", headers, for_arch(arch), source.parent_path());
        if (!server)
            return {};
        family.devices.push_back(*server);
    }
    if (host) {
        const auto server = find_or_start("host", headers, for_arch(archs.front()), source.parent_path());
        if (!server)
            return {};
        family.host = *server;
        precompile(*server);
    }
    return family;
}

bool OwnServers::read(const Family& family, compile::Watched& watched) {
    auto folders = family.devices;
    if (!family.host.empty())
        folders.push_back(family.host);
    for (const auto& folder : folders) {
        if (!fs::exists(folder / dependencies_file))
            return false;
        watched.read_before(compile::Dependencies::from(base::read_file(folder / dependencies_file)));
        std::vector<fs::path> search;
        std::ifstream lines(folder / search_file);
        for (std::string line; std::getline(lines, line);)
            search.emplace_back(line);
        watched.searched(search);
    }
    return true;
}

std::vector<std::string> OwnServers::compile(const Family& family, const fs::path& source, const fs::path& folder,
                                             const std::vector<std::string>& archs, unsigned seconds) const {
    std::vector<std::string> command{program_.string(),       "compile",           source.string(), folder.string(),
                                     std::to_string(seconds), family.host.string()};
    for (size_t i = 0; i < archs.size(); ++i)
        command.insert(command.end(), {family.devices[i].string(), "kernel." + archs[i] + ".ptx"});
    return command;
}

} // namespace servers
