#include "compile/servers/client.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <future>
#include <set>
#include <thread>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "compile/dependencies/line_markers.h"
#include "compile/servers/headers.h"
#include "compile/servers/request.h"
#include "compile/servers/waiting.h"
#include "process/process.h"

namespace servers {

using base::read_file, base::write_file;

namespace {

struct Descriptor {
    int number = -1;
    explicit Descriptor(int n) : number(n) {}
    Descriptor(Descriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
    ~Descriptor() {
        if (number >= 0)
            close(number);
    }
};

Descriptor opened(const fs::path& path, int flags) {
    Descriptor file(open(path.c_str(), flags | O_CLOEXEC, 0644));
    if (file.number < 0)
        throw Unable("cannot open " + path.string());
    return file;
}

Descriptor connected(const fs::path& folder) {
    const Descriptor place = opened(folder, O_PATH | O_DIRECTORY); // the whole path may be too long for an address
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", place.number, socket_name);
    for (int round = 0; round < 12'000; ++round) {
        Descriptor connection(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        if (connect(connection.number, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
            return connection;
        if (errno == ECONNREFUSED || fs::exists(folder / trouble_file) || (round % 10 == 9 && !lives(folder)))
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw Unable("no compiler waits in " + folder.string());
}

} // namespace

Server server_named(const std::string& word) {
    const size_t colon = word.find(":/");
    if (colon == 0 || colon == word.npos || word.find_first_not_of("0123456789") != colon)
        return {word};
    return {word.substr(colon + 1), std::stoi(word)};
}

std::string named(const Server& server) {
    return server.confined() ? std::to_string(server.connection) + ":" + server.folder.string()
                             : server.folder.string();
}

int ask(const Server& server, const fs::path& rest, const fs::path& messages,
        const std::map<std::string, fs::path>& outputs, uint32_t processor_seconds) {
    const Descriptor connection = server.confined() ? Descriptor(server.connection) : connected(server.folder);
    Request request;
    request.processor_seconds = processor_seconds;
    std::vector<Descriptor> files;
    files.push_back(opened(rest, O_RDONLY));
    files.push_back(opened(messages, O_WRONLY | O_CREAT | O_TRUNC));
    for (const auto& [name, path] : outputs) {
        std::snprintf(request.names[request.outputs++], name_bytes, "%s", name.c_str());
        files.push_back(opened(path, O_RDWR | O_CREAT | O_TRUNC));
    }
    iovec part{&request, sizeof request};
    std::vector<char> control(CMSG_SPACE(files.size() * sizeof(int)));
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
    for (size_t i = 0; i < files.size(); ++i)
        std::memcpy(CMSG_DATA(header) + i * sizeof(int), &files[i].number, sizeof(int));
    int status = 0;
    if (sendmsg(connection.number, &message, MSG_NOSIGNAL) < 0 ||
        recv(connection.number, &status, sizeof status, 0) != sizeof status)
        throw Unable("the compiler that waited is gone");
    return process::exit_code(status);
}

bool lives(const fs::path& folder) {
    std::string server, ignored, state;
    std::ifstream(folder / "pid") >> server;
    std::ifstream status("/proc/" + server + "/stat"); // "12 (name) S …"
    return !server.empty() && status >> ignored >> ignored >> state && state != "Z";
}

size_t behind_headers(const std::string& text) {
    const size_t end = text.rfind("\n# 1 \"out.stub.c\"\n#define _NV_ANON_NAMESPACE");
    if (end == text.npos)
        throw Unable("cudafe++ ends otherwise");
    return end;
}

namespace {

/// The text behind the headers, as the preprocessor leaves it for one compiler.
class Rest {
  public:
    Rest(const Work& work, const fs::path& server, const std::string& name) : path_(work.folder / (name + ".ii")) {
        Words command = kept_words(server / preprocess_file);
        std::ranges::replace(command, "INPUT", (work.folder / "rest.cu").string());
        drop(command, "-include", 2); // what nvcc includes in front of everything is one of the headers
        command.insert(command.end(), {"-iquote", work.source.parent_path().string(), "-imacros",
                                       (server / macros_file).string(), "-o", path_.string()});
        process_.emplace(process::Spawn{.arguments = command, .limits = {.wall = {}}});
    }
    void finish(const Work& work) {
        if (process_->finish(); process_->status() != 0)
            throw Unable("the preprocessor fails"); // nvcc says why
        for (const auto& marker : compile::line_markers(read_file(path_))) {
            const fs::path file = marker.file;
            foreign_ = foreign_ || (file.is_absolute() && file.parent_path() != work.source.parent_path() &&
                                    file.parent_path() != work.folder && file.filename() != macros_file &&
                                    file.filename() != "stdc-predef.h");
        }
    }
    const fs::path& path() const { return path_; }
    bool foreign() const { return foreign_; }

  private:
    fs::path path_;
    std::optional<process::Process> process_;
    bool foreign_ = false; ///< it reads further headers, perhaps for a second time: an error need not be one
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

// From what cudafe++ wrote to kernel.o. The stub comes from the first target's compiler.
int make_object(const Work& work) {
    const std::string all = read_file(work.folder / "host.cpp");
    const fs::path headers = work.host.folder / precompiled_file;
    std::string before, rest = all;
    if (fs::exists(work.host.folder / precompiled_gch) && all.starts_with(read_file(headers))) {
        before = "#include \"" + headers.string() + "\"\n"; // g++ takes the precompiled ones
        rest = all.substr(fs::file_size(headers));
    }
    const auto in_folder = [&](const char* name) { return "#include \"" + (work.folder / name).string() + "\""; };
    write_file(work.folder / "host.cpp", before + replaced(rest, "#include \"out.stub.c\"", in_folder("stub.c")));
    write_file(work.folder / "stub.c",
               replaced(read_file(work.folder / "stub.c"), "#include \"out.fatbin.c\"", in_folder("fatbin.c")));
    const auto& [device, ptx] = work.devices.front();
    Words fatbinary = kept_words(device.folder / fatbinary_file);
    for (auto& word : fatbinary)
        if (word.starts_with("--image"))
            word = word.substr(0, word.find("file=")) + "file=" + (work.folder / ptx).string();
        else if (word.starts_with("--embedded-fatbin="))
            word = "--embedded-fatbin=" + (work.folder / "fatbin.c").string();
        else if (word.starts_with("--ident="))
            word = "--ident=" + work.source.string();
    if (const int status = run(fatbinary, work.folder))
        return status;
    Words object = kept_words(work.host.folder / object_file);
    std::ranges::replace(object, "INPUT", (work.folder / "host.cpp").string());
    std::ranges::replace(object, "OUTPUT", (work.folder / "kernel.o").string());
    return run(object, work.folder);
}

void wait_for(const Server& server) {
    if (!server.confined())
        connected(server.folder); // closed at once: no request
}

} // namespace

void compile(const Work& work) {
    const bool confined = work.devices.front().first.confined();
    const std::string given = confined ? read_file(work.devices.front().first.folder / headers_file) : "";
    const Parts parts = split(read_file(work.source), given);
    write_file(work.folder / "rest.cu", "# 1 \"" + work.source.string() + "\"\n" + parts.rest);
    std::vector<Rest> rests;
    for (const auto& [server, ptx] : work.devices) {
        wait_for(server);
        rests.emplace_back(work, server.folder, ptx);
    }
    if (!work.host.folder.empty()) {
        wait_for(work.host);
        rests.emplace_back(work, work.host.folder, "host");
    }
    for (auto& rest : rests)
        rest.finish(work);
    const bool foreign = std::ranges::any_of(rests, &Rest::foreign);
    std::vector<std::pair<std::future<int>, fs::path>> answers;
    const auto start = [&](const Server& server, const Rest& rest, std::map<std::string, fs::path> outputs) {
        const fs::path messages = rest.path().string() + ".said";
        answers.emplace_back(std::async(std::launch::async, ask, server, rest.path(), messages, std::move(outputs),
                                        work.processor_seconds),
                             messages);
    };
    for (size_t i = 0; i < work.devices.size(); ++i) {
        const auto& [server, ptx] = work.devices[i];
        std::map<std::string, fs::path> outputs{{"ptx", work.folder / ptx}};
        if (i == 0)
            outputs["stub.c"] = work.folder / "stub.c";
        start(server, rests[i], outputs);
    }
    if (!work.host.folder.empty())
        start(work.host, rests.back(), {{"cpp", work.folder / "host.cpp"}});
    std::set<std::string> said; // two compilers say the same
    const auto print_errors = [&](const fs::path& messages) {
        if (const std::string text = read_file(messages); !text.empty() && said.insert(text).second)
            fwrite(text.data(), 1, text.size(), stderr);
    };
    for (auto& [answer, messages] : answers) {
        const int status = answer.get();
        if (status && (foreign || confined))
            throw Unable("an error that nvcc is to judge");
        print_errors(messages);
        if (status) {
            fflush(stderr);
            _exit(status); // the other compilers' results are no longer needed
        }
    }
    if (!work.host.folder.empty() && make_object(work) != 0)
        throw Unable("the host compiler fails"); // nvcc says it with its own names
}

} // namespace servers
