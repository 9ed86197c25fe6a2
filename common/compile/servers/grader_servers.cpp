#include "compile/servers/grader_servers.h"

#include <algorithm>
#include <cstring>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "compile/servers/headers.h"
#include "compile/servers/own_servers.h"
#include "compile/servers/waiting.h"
#include "isolation/landlock.h"
#include "isolation/system_files.h"

namespace servers {
namespace {

constexpr int first_connection = 10; ///< in a child
constexpr Handover for_headers{.processor_seconds = 60, .data_bytes = uint64_t{6} << 30, .file_bytes = 1u << 30};

// Sends one packet with descriptors, all of which stay open here. False: the receiver is gone.
bool hand_over(int control, const Handover& limits, const std::vector<int>& descriptors) {
    Handover packet = limits;
    iovec part{&packet, sizeof packet};
    std::vector<char> room(CMSG_SPACE(descriptors.size() * sizeof(int)));
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
    return sendmsg(control, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof packet);
}

// Others must not be able to change what a compiler reads.
void take_over(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder, ignored))
        if (lchown(entry.path().c_str(), geteuid(), getegid()) == 0 && !entry.is_symlink(ignored))
            chmod(entry.path().c_str(), entry.is_directory(ignored) ? 0755 : 0644);
    if (chown(folder.c_str(), geteuid(), getegid()) == 0)
        chmod(folder.c_str(), 0755);
}

} // namespace

GraderServers::GraderServers(const base::Paths& kit, isolation::Level level, fs::path folder)
    : kit_(kit), folder_(std::move(folder)), most_(most_servers(48)) {
    box_ = {.level = level == isolation::Level::bubblewrap ? level : isolation::Level::limits, // it ends its copies
            .user = isolation::throwaway_user(),
            .compiler = true,
            .readable = {kit.root, kit.build},
            .own_environment = true};
}

GraderServers::~GraderServers() {
    for (Server& server : servers_)
        close(server.control);
    servers_.clear();
    isolation::end_all_of(box_.user);
}

bool GraderServers::has(const std::string& headers, const std::string& arch) const {
    return std::ranges::any_of(servers_,
                               [&](const Server& server) { return server.headers == headers && server.arch == arch; });
}

void GraderServers::start(const std::string& headers, const std::vector<std::string>& nvcc,
                          const std::vector<std::string>& archs, const std::vector<fs::path>& readable) {
    if (headers.empty() || servers_.size() + archs.size() + 1 > most_)
        return;
    isolation::Box box = box_;
    box.readable.insert(box.readable.end(), readable.begin(), readable.end());
    for (const auto& arch : archs)
        if (!has(headers, arch))
            start_one(headers, arch, nvcc, box);
    if (!has(headers, host_of(archs.front())))
        start_one(headers, host_of(archs.front()), nvcc, box);
}

void GraderServers::start_one(const std::string& headers, const std::string& arch, std::vector<std::string> nvcc,
                              isolation::Box box) {
    const bool host = arch.starts_with(host_of(""));
    const fs::path folder = folder_ / fmt::format("{}-{}", servers_.size(), arch);
    fs::create_directory(folder);
    base::write_file(folder / headers_file, headers);
    std::vector<std::string> command{kit_.build / "common/compile/servers/compile_server", "serve", folder,
                                     host ? "host" : "device",
                                     kit_.build / "common/compile/servers/libstop_behind_headers.so"};
    command.insert(command.end(), nvcc.begin(), nvcc.end());
    command.insert(command.end(),
                   {"-gencode", fmt::format("arch={0},code={0}", host ? arch.substr(host_of("").size()) : arch)});
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0 ||
        (box.user && chown(folder.c_str(), box.user, box.user) != 0))
        return;
    box.writable = {folder};
    auto readable = isolation::system_files(true);
    readable.insert(readable.end(), box.readable.begin(), box.readable.end());
    readable.push_back(folder);
    process::Spawn spawn{.arguments = command,
                         .environment = {{"TMPDIR", folder.string()}, {confined_variable, "1"}},
                         .descriptors = {{listening, pair[1]}},
                         .directory = folder,
                         .capture = false,
                         .quiet = true,
                         .box = box};
    const int ruleset = isolation::landlock_rules(readable, {});
    if (ruleset >= 0)
        spawn.descriptors[rules] = ruleset;
    servers_.push_back({folder, headers, arch, pair[0], box, process::Process(spawn)});
    close(pair[1]);
    if (ruleset >= 0)
        close(ruleset);
}

void GraderServers::wait() {
    for (auto at = servers_.begin(); at != servers_.end();) {
        int pair[2]; // a connection without a request: the server closes it as soon as it reads from it
        bool good = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0;
        if (good) {
            good = hand_over(at->control, for_headers, {pair[1]});
            close(pair[1]);
            shutdown(pair[0], SHUT_WR);
            pollfd closed{pair[0], POLLIN, 0};
            good = good && poll(&closed, 1, 120'000) == 1 && !at->process.ended();
            close(pair[0]);
        }
        if (good && at->arch.starts_with(host_of("")))
            precompile(*at);
        take_over(at->folder);
        if (!good)
            close(at->control);
        at = good ? std::next(at) : servers_.erase(at);
    }
}

// g++ does without, if it fails.
void GraderServers::precompile(Server& server) const {
    Connections connection;
    if (!connection.add({server.folder, "", server.control}, for_headers, {}))
        return;
    process::Process maker({.arguments = {kit_.build / "common/compile/servers/compile_server", "serve", server.folder,
                                          "precompiled", "-", named(connection.server(0))},
                            .environment = {{"TMPDIR", server.folder.string()}},
                            .descriptors = connection.descriptors(),
                            .directory = server.folder,
                            .limits = {.wall = std::chrono::minutes(2)},
                            .box = server.box});
    maker.finish();
}

std::vector<GivenServer> GraderServers::given() const {
    std::vector<GivenServer> list;
    for (const Server& server : servers_)
        list.push_back({server.folder, server.arch, server.control});
    return list;
}

Connections::~Connections() {
    close_all();
}

void Connections::close_all() {
    for (const auto& [folder, connection] : connections_)
        close(connection);
    connections_.clear();
}

bool Connections::add(const GivenServer& server, const Handover& limits, const fs::path& group) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    connections_.emplace_back(server.folder, pair[0]);
    std::vector<int> descriptors{pair[1]};
    if (!group.empty())
        descriptors.push_back(open((group / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    const bool good = descriptors.back() >= 0 && hand_over(server.control, limits, descriptors);
    for (const int descriptor : descriptors)
        if (descriptor >= 0)
            close(descriptor);
    return good;
}

std::map<int, int> Connections::descriptors() const {
    std::map<int, int> map;
    for (size_t i = 0; i < connections_.size(); ++i)
        map[first_connection + static_cast<int>(i)] = connections_[i].second;
    return map;
}

Server Connections::server(size_t index) const {
    return {connections_.at(index).first, first_connection + static_cast<int>(index)};
}

std::vector<fs::path> Connections::folders() const {
    std::vector<fs::path> list;
    for (const auto& [folder, connection] : connections_)
        list.push_back(folder);
    return list;
}

std::vector<GivenServer> family(const std::vector<GivenServer>& given, std::string_view source,
                                const std::vector<std::string>& archs) {
    std::map<std::string, std::map<std::string, GivenServer>> by_headers;
    for (const GivenServer& server : given)
        by_headers[base::read_file(server.folder / headers_file)][server.arch] = server;
    std::vector<GivenServer> best;
    size_t longest = 0;
    for (const auto& [headers, servers] : by_headers) {
        const bool all = std::ranges::all_of(archs, [&](const auto& arch) { return servers.contains(arch); });
        if (!all || headers.size() < longest || split(source, headers).headers != headers)
            continue;
        longest = headers.size();
        best.clear();
        for (const auto& arch : archs)
            best.push_back(servers.at(arch));
    }
    return best;
}

} // namespace servers
