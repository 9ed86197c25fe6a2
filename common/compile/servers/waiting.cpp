#include "compile/servers/waiting.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files.h"
#include "compile/dependencies/dependencies.h"
#include "compile/servers/client.h"
#include "compile/servers/request.h"

namespace servers {

using base::read_file, base::write_file;

void keep_words(const fs::path& file, const Words& words) {
    std::string text;
    for (const auto& word : words)
        text += word + '\0';
    write_file(file, text);
}

Words kept_words(const fs::path& file) {
    const std::string text = read_file(file);
    Words words;
    for (size_t at = 0; at < text.size();) {
        words.emplace_back(text.c_str() + at);
        at += words.back().size() + 1;
    }
    return words;
}

namespace {

// nvcc names its intermediate files as it likes; the input is the word that ends so.
void replace_ending(Words& command, const std::string& ending, const std::string& value) {
    const auto at = std::ranges::find_if(command, [&](const auto& word) { return word.ends_with(ending); });
    if (at == command.end())
        throw std::runtime_error("no input that ends with " + ending);
    *at = value;
}

// Lets later runs find out whether the headers have changed, or are found elsewhere for a source in another folder.
void remember_dependencies(compile::Watched& watched, const fs::path& folder) {
    const auto search = compile::search_folders(read_file(folder / "said"));
    std::string lines;
    for (const auto& one : search)
        lines += one.string() + "\n";
    write_file(folder / search_file, lines);
    watched.searched(search);
    watched.preprocessed(folder / "all.ii", folder);
    if (read_file(folder / headers_file).find("\"lab.h\"") != std::string::npos)
        watched.missed(folder / "lab.h"); // the source's own folder comes first
    if (const auto found = watched.dependencies())
        write_file(folder / dependencies_file, found->text());
}

// Preprocesses the headers once and separates their definitions from the rest.
void preprocess(const fs::path& folder, Words command) {
    replace_ending(command, "kernel.cu", "INPUT");
    drop(command, "-o", 2);
    keep_words(folder / preprocess_file, command);
    std::ranges::replace(command, "INPUT", (folder / "kernel.cu").string());
    command.insert(command.end(), {"-dD", "-v", "-o", "all.ii"});
    compile::Watched watched(folder / "kernel.cu", {""}); // nothing of it is the user's
    if (run(command, folder, folder / "said") != 0)
        throw std::runtime_error("the preprocessor failed: " + read_file(folder / "said"));
    remember_dependencies(watched, folder);
    std::ifstream all(folder / "all.ii");
    std::ofstream macros(folder / macros_file), prefix(folder / prefix_file);
    for (std::string line; std::getline(all, line);)
        if (line.starts_with("#define ") || line.starts_with("#undef ")) {
            macros << (line.starts_with("#define __STDC__ ") ? "" : line) << '\n';
            prefix << '\n'; // lines are counted
        } else {
            prefix << line << '\n';
        }
    fs::remove(folder / "all.ii");
}

// A tool that nvcc finds beside itself.
std::string beside(const Words& nvcc, const std::string& tool) {
    return tool.find('/') == tool.npos ? fs::path(nvcc[0]).parent_path() / tool : fs::path(tool);
}

Words device_compiler(const fs::path& folder, const Plan& plan, const Words& nvcc) {
    preprocess(folder, plan.device_preprocessor);
    Words fatbinary = plan.fatbinary;
    fatbinary[0] = beside(nvcc, fatbinary[0]);
    keep_words(folder / fatbinary_file, fatbinary);
    Words command = plan.cicc;
    replace_ending(command, ".cpp1.ii", "main.ii");
    for (const auto& [option, file] : {std::pair{"-o", "out.ptx"},
                                       {"--gen_c_file_name", "out.c"},
                                       {"--stub_file_name", "out.stub.c"},
                                       {"--gen_device_file_name", "out.gpu"},
                                       {"--include_file_name", "out.fatbin.c"},
                                       {"--module_id_file_name", "module_id"}})
        if (!replace(command, option, file))
            throw std::runtime_error(std::string("cicc without ") + option);
    return command;
}

Words host_compiler(const fs::path& folder, const Plan& plan) {
    preprocess(folder, plan.host_preprocessor);
    Words object = plan.host_compiler;
    replace_ending(object, ".cudafe1.cpp", "INPUT");
    if (!replace(object, "-o", "OUTPUT") || !replace(object, "-x", "c++"))
        throw std::runtime_error("the host's compiler is called otherwise");
    keep_words(folder / object_file, object);
    Words command = plan.cudafe;
    drop(command, "--gen_module_id_file", 1);
    replace_ending(command, ".cpp4.ii", "main.ii");
    for (const auto& [option, file] : {std::pair{"--gen_c_file_name", "out.cpp"},
                                       {"--stub_file_name", "out.stub.c"},
                                       {"--module_id_file_name", "module_id"}})
        if (!replace(command, option, file))
            throw std::runtime_error(std::string("cudafe++ without ") + option);
    return command;
}

int precompile(const Server& server) {
    const fs::path& folder = server.folder;
    write_file(folder / "empty.ii", "");
    if (ask(server, folder / "empty.ii", folder / "messages", {{"cpp", folder / "empty.cpp"}}, 60) != 0)
        return 1;
    const std::string all = read_file(folder / "empty.cpp");
    write_file(folder / precompiled_file, all.substr(0, behind_headers(all)));
    Words command = kept_words(folder / object_file);
    replace(command, "-x", "c++-header");
    std::ranges::replace(command, "INPUT", precompiled_file);
    std::ranges::replace(command, "OUTPUT", "new.gch");
    if (const int status = run(command, folder, folder / "messages"))
        return status;
    fs::rename(folder / "new.gch", folder / precompiled_gch);
    return 0;
}

void listen_here(const fs::path& folder) {
    const int server = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (chdir(folder.c_str()) != 0)
        throw std::runtime_error("cannot enter the folder");
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", "socket.new"); // relative: long paths do not fit
    if (server < 0 || bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(server, 32) != 0 || dup2(server, listening) < 0)
        throw std::runtime_error("no socket");
    if (server != listening)
        close(server);
    fs::rename("socket.new", socket_name);
}

} // namespace

int serve(const fs::path& folder, Kind kind, const Words& nvcc, const fs::path& stop) try {
    if (kind == Kind::precompiled)
        return precompile(nvcc[0] == "-" ? Server{folder} : server_named(nvcc[0]));
    fs::copy_file(folder / headers_file, folder / "kernel.cu", fs::copy_options::overwrite_existing);
    write_file(folder / "module_id", module_id);
    const Plan steps = plan(nvcc, folder / "kernel.cu");
    Words command = kind == Kind::device ? device_compiler(folder, steps, nvcc) : host_compiler(folder, steps);
    command[0] = beside(nvcc, command[0]);
    write_file(folder / "main.ii", std::string("#include \"") + prefix_file + "\"\n#include \"rest.ii\"\n");
    for (const char* name : {"rest.ii", "out.c", "out.cpp", "out.gpu", "out.ptx", "out.stub.c"})
        write_file(folder / name, ""); // compilers look whether what they open is an ordinary file
    if (!std::getenv(confined_variable))
        listen_here(folder);
    setenv("LD_PRELOAD", stop.c_str(), 1);
    const rlimit most{rlim_t{6} << 30, rlim_t{6} << 30};
    setrlimit(RLIMIT_DATA, &most);
    std::vector<char*> arguments;
    for (auto& word : command)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    throw std::runtime_error("cannot start " + command[0]);
} catch (const std::exception& problem) {
    write_file(folder / trouble_file, problem.what());
    return 1;
}

} // namespace servers
