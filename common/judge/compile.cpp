#include "judge/compile.h"

#include <algorithm>
#include <future>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/paths.h"
#include "base/problem.h"
#include "compile/dependencies/flags.h"
#include "judge/compiler_parts.h"
#include "judge/host_side.h"
#include "warm/plan.h"
#include "warm/server.h"

namespace judge {

using base::Hash, base::Paths, base::Problem, base::read_file, base::shown;

using check::Target;
using process::Process;

namespace {

std::string stamp(const fs::path& file) {
    std::error_code problem;
    return fmt::format("{} {} {}", file.string(), fs::file_size(file, problem),
                       fs::last_write_time(file, problem).time_since_epoch().count());
}

// The linker's list is a rule of make: "program: \\\n  file \\\n  file".
void read_by_linker(compile::Watched& watched, const fs::path& list, const std::vector<std::string>& flags) {
    std::istringstream lines(read_file(list));
    for (std::string line; std::getline(lines, line) && !line.empty();) {
        const size_t begin = line.find_first_not_of(' ');
        if (begin == line.npos || !line.starts_with(' '))
            continue;
        line = line.substr(begin, line.ends_with(" \\") ? line.size() - 2 - begin : line.npos);
        if (fs::path(line).parent_path() != list.parent_path())
            watched.read(fs::absolute(line));
    }
    fs::remove(list);
    for (const auto& folder : flags)
        for (const auto& name : flags)
            if (folder.starts_with("-L") && name.starts_with("-l"))
                for (const char* ending : {".so", ".a"})
                    watched.missed(fs::absolute(fs::path(folder.substr(2)) / ("lib" + name.substr(2) + ending)));
}

// Folders in which nvcc's preprocessor looks for headers: it lists them when it is called with -v. None: unknown.
std::vector<fs::path> searched_folders(const std::vector<std::string>& nvcc, const fs::path& source) try {
    for (warm::Words command : warm::steps(nvcc, source)) {
        if (std::ranges::find(command, "-E") == command.end())
            continue;
        while (std::ranges::find(command, "-include") != command.end())
            warm::drop(command, "-include", 2);
        warm::drop(command, "-o", 2);
        const auto input = std::ranges::find_if(
            command, [&](const auto& word) { return word.ends_with(source.filename().string()); });
        if (input == command.end())
            return {};
        *input = "/dev/null";
        command.insert(command.end(), {"-v", "-o", "/dev/null"});
        Process process({.arguments = command});
        if (!process.finish() || process.status() != 0)
            return {};
        auto folders = compile::search_folders(process.output());
        folders.push_back(source.parent_path()); // for #include "…"
        return folders;
    }
    return {};
} catch (const std::exception&) {
    return {};
}

// Flags without paths, which mean something else in another folder.
bool names_no_files(const std::vector<std::string>& flags) {
    return std::ranges::none_of(flags, [](const std::string& flag) {
        for (const char* word : {"=-I", "=-i", ",-I", ",-i", "@"})
            if (flag.find(word) != flag.npos)
                return true;
        return flag.starts_with("-I") || flag.starts_with("-i") || flag.starts_with("--") || flag.starts_with("-opt");
    });
}

} // namespace

Compiler::Compiler(const Paths& paths, isolation::Box box)
    : paths_(paths), box_(std::move(box)), chain_(find_toolchain(paths)), cache_(paths.cache_folder()),
      servers_(paths) {}

process::Limits Compiler::limits() const {
    process::Limits limits;
    limits.wall = 5 * time_;
    limits.processor_seconds = static_cast<uint32_t>(time_.count());
    limits.data_bytes = uint64_t{6} << 30;
    limits.file_bytes = uint64_t{512} << 20;
    limits.output_bytes = 8 << 20;
    return limits;
}

// A tool that reads `source` and writes into `folder`.
Process Compiler::start(std::vector<std::string> command, const fs::path& source, const fs::path& folder,
                        const Connections& servers) const {
    process::Spawn spawn{.arguments = std::move(command),
                         .environment = {{"TMPDIR", folder.string()}},
                         .descriptors = servers.descriptors(),
                         .limits = limits()};
    if (box_.own_environment) { // strangers' files, several at a time; nvcc needs 300 MiB
        spawn.limits.data_bytes = uint64_t{2} << 30;
        spawn.directory = folder; // compilers look into it, and another user may not be allowed to where we are
    }
    spawn.box = box_;
    spawn.box->compiler = true;
    spawn.box->readable.push_back(source.parent_path());
    for (const auto& path : chain_.folders())
        spawn.box->readable.push_back(path);
    for (const auto& path : servers.folders())
        spawn.box->readable.push_back(path);
    spawn.box->writable.push_back(folder);
    if (box_.user && chown(folder.c_str(), box_.user, box_.user) != 0)
        throw Problem{"cannot give " + folder.string() + " to another user", "choose a weaker --isolation"};
    return Process(spawn);
}

// Whoever ran the compiler has no say any more in what it made, nor in what we read or write by a name in there.
void Compiler::take_back(const fs::path& folder) const {
    std::vector<fs::path> made;
    for (const auto& entry : fs::directory_iterator(folder))
        made.push_back(entry.path());
    for (const auto& path : made)
        if (!fs::is_regular_file(fs::symlink_status(path)))
            fs::remove_all(path);
        else if (box_.user && lchown(path.c_str(), 0, 0) != 0)
            throw Problem{"cannot take back " + path.string(), "choose a weaker --isolation"};
    if (box_.user && chown(folder.c_str(), 0, 0) != 0)
        throw Problem{"cannot take back " + folder.string(), "choose a weaker --isolation"};
}

// `flags`: the user's. nvcc warns of a second -std, and theirs counts.
std::vector<std::string> Compiler::nvcc(bool lab, const std::vector<std::string>& flags) const {
    std::vector<std::string> command{chain_.nvcc};
    command.insert(command.end(), chain_.flags.begin(), chain_.flags.end());
    // nvcc hands -O on to the host's compiler alone; the host side of a lab does little. -g1 names the host's lines.
    // A call that is optimised into a jump gets its caller's line; only labs give up that optimisation.
    if (lab)
        command.insert(command.end(), {"-O0", "-Xcompiler", "-g1,-fno-optimize-sibling-calls"});
    else
        command.insert(command.end(), {"-O3", "-Xcompiler", "-g1"});
    command.insert(command.end(), {"-lineinfo", "-I" + paths_.student_include().string()});
    if (std::ranges::none_of(flags,
                             [](const auto& flag) { return flag.starts_with("-std") || flag.starts_with("--std"); }))
        command.push_back("-std=c++20");
    command.insert(command.end(), flags.begin(), flags.end());
    return command;
}

std::string Compiler::key(std::string_view kind, std::string_view text, const std::vector<std::string>& flags) const {
    Hash hash;
    hash.add("4").add(kind).add(chain_.nvcc).add(chain_.version).add(text);
    for (const auto& flag : chain_.flags)
        hash.add(flag);
    hash.add(compile::environment_of_compilers());
    for (const auto& flag : flags)
        hash.add(flag);
    return fmt::format("{}-{}", kind, hash.text());
}

compile::Watched Compiler::watch(const fs::path& source) const {
    auto folders = chain_.folders();
    folders.push_back(paths_.student_include());
    if (const fs::path compiler = chain_.host_compiler; compiler.is_absolute() && compiler.parent_path() != "/usr/bin")
        folders.push_back(compiler.parent_path().parent_path()); // its own headers lie there
    return {source, folders};
}

void Compiler::keep_trace(std::vector<std::string>& nvcc, const fs::path& folder) {
    fs::create_directory(folder / "trace");
    nvcc.insert(nvcc.end(), {"--keep", "--keep-dir", (folder / "trace").string()});
}

std::optional<compile::Dependencies> Compiler::traced(compile::Watched& watched, const fs::path& folder,
                                                      const std::vector<fs::path>& search) {
    bool any = false;
    for (const auto& file : fs::directory_iterator(folder / "trace"))
        if (file.path().extension() == ".ii") {
            watched.preprocessed(file.path(), fs::current_path());
            any = true;
        }
    watched.searched(search);
    fs::remove_all(folder / "trace");
    return any && !search.empty() ? watched.dependencies() : std::nullopt;
}

Compiler::Job Compiler::ptx_job(const fs::path& source, const Target& target, const fs::path& folder) const {
    auto command = nvcc(true);
    for (const std::string& argument :
         {std::string("-ptx"), "-arch=" + target.arch(), source.string(), std::string("-o"), ptx_of(folder).string()})
        command.push_back(argument);
    if (!box_.own_environment) // nothing of strangers is kept
        keep_trace(command, folder);
    auto watched = watch(source);
    return {folder, std::move(watched), start(command, source, folder)};
}

Compiler::Job Compiler::host_job(const fs::path& source, const Target& target, const fs::path& folder) const {
    auto command = nvcc(true);
    for (const std::string& argument : // its PTX is never used
         {std::string("-c"), std::string("-gencode"), fmt::format("arch={0},code={0}", target.arch()), source.string(),
          std::string("-o"), (folder / "kernel.o").string()})
        command.push_back(argument);
    if (!box_.own_environment) // nothing of strangers is kept
        keep_trace(command, folder);
    auto watched = watch(source);
    return {folder, std::move(watched), start(command, source, folder)};
}

std::string Compiler::link(const fs::path& object, bool with_stub, const fs::path& program,
                           const std::vector<std::string>& flags, compile::Watched* watched) const {
    std::vector<std::string> command{chain_.host_compiler, object.string()};
    if (with_stub) // sections that ask the linker's plugin for a compiler would be a student's own
        command.insert(command.end(), {"-fno-use-linker-plugin", paths_.stub().string()});
    command.insert(command.end(), flags.begin(), flags.end());
    for (const std::string& argument :
         {(paths_.cudart() / ("libcudart.so." + chain_.version.substr(0, chain_.version.find('.')))).string(),
          (paths_.cudart() / "libcuda.so.1").string(), std::string("-lpthread"), std::string("-ldl"),
          std::string("-lm"), std::string("-o")})
        command.push_back(argument);
    command.push_back(program.string());
    const fs::path list = program.string() + ".d";
    if (watched && !flags.empty())
        command.push_back("-Wl,--dependency-file=" + list.string());
    Process process = start(command, object, object.parent_path());
    if (!process.finish() || process.status() != 0) {
        // nvcc's own files, whose names differ each time, are the student's kernel.cu.
        static const std::regex own(R"((/\S*/)?tmpxft_[0-9a-f_-]+_(\w+)\.cudafe1\.cpp)");
        const std::string said = std::regex_replace(process.output().substr(0, 8000), own, "$2.cu");
        if (said.find("`main'") != std::string::npos && said.find("multiple") != std::string::npos)
            return "kernel.cu defines main(): a lab has none, the checker calls its launch function";
        if (said.find("undefined reference to `lab_entry'") != std::string::npos)
            return "kernel.cu has no LAB_ENTRY(function): it belongs at the end of the file";
        return "linking failed:\n" + said.substr(0, 2000);
    }
    if (watched && !flags.empty())
        read_by_linker(*watched, list, flags);
    return {};
}

// Everything that is not at hand is started at once.
Compiler::Parts Compiler::begin(const fs::path& source, const std::vector<Target>& targets, const Ticker& ticker,
                                Compiled& result) const {
    Parts parts;
    std::vector<Target> missing;
    const std::string text = read_file(source);
    const fs::path beside = source.parent_path();
    for (const Target& target : targets) {
        const std::string key = this->key("ptx", text, {source.string(), target.arch()});
        parts.keys[target.arch()] = key;
        if (const auto entry = cache_.find(key, beside))
            result.ptx[target.arch()] = ptx_of(entry->path);
        else
            missing.push_back(target);
    }
    const Target& oldest = targets.front(); // the devices of all targets take a program made for it
    parts.origin = {source, text};
    parts.host_key = key("program", host_text(text), {oldest.arch(), stamp(paths_.stub())});
    parts.whole_key = key("program", text, {oldest.arch(), stamp(paths_.stub()), "whole"});
    for (const auto* key : {&parts.host_key, &parts.whole_key})
        if (auto entry = cache_.find(*key, beside); entry && !parts.host_entry)
            parts.host_entry = entry->path;
    if (begin_with_servers(parts, source, missing, targets, ticker, result))
        return parts;
    for (auto at = result.ptx.begin(); at != result.ptx.end();) // internal names of servers are not those of nvcc
        at = ptx_interface(read_file(at->second)).find(warm::module_id) == std::string::npos ? std::next(at)
                                                                                             : result.ptx.erase(at);
    parts.search = std::async(std::launch::async, searched_folders, nvcc(true), source);
    for (const Target& target : targets)
        if (!result.ptx.contains(target.arch()))
            parts.ptx.emplace_back(target, ptx_job(source, target, cache_.workspace()));
    if (!parts.host_entry)
        parts.host.emplace(host_job(source, oldest, cache_.workspace()));
    return parts;
}

void Compiler::finish_ptx(Parts& parts, const fs::path& source, const Ticker& ticker, Compiled& result) const {
    for (auto& [target, job] : parts.ptx) {
        result.errors = after(job.process, source, ticker, "for " + target.arch());
        if (result.errors.empty())
            result.errors = ptxas(ptx_of(job.folder), target, source);
        if (!result.errors.empty())
            return;
        if (result.warnings.empty())
            result.warnings = shorten_errors(job.process.output(), source);
        result.ptx[target.arch()] = ptx_of(cache_.keep(job.folder, parts.keys[target.arch()],
                                                       traced(job.watched, job.folder, parts.search.get())));
    }
}

void Compiler::finish_host(Parts& parts, const fs::path& source, const Target& target, const Ticker& ticker,
                           Compiled& result) const {
    const std::string interface = ptx_interface(read_file(result.ptx.at(target.arch())));
    if (parts.host_entry && read_file(*parts.host_entry / "interface") != interface) {
        parts.host_entry.reset();
        parts.host.emplace(host_job(source, target, cache_.workspace()));
    }
    if (parts.host) {
        const fs::path& folder = parts.host->folder;
        result.errors = after(parts.host->process, source, ticker, "the host's side");
        if (result.errors.empty())
            result.errors = link(folder / "kernel.o", true, folder / "program", {});
        if (!result.errors.empty())
            return;
        fs::remove(folder / "kernel.o");
        parts.keep_program(cache_, folder, interface, traced(parts.host->watched, folder, parts.search.get()));
    }
    parts.tell_program(result);
}

Compiled Compiler::lab(const fs::path& source, const std::vector<Target>& targets, const Ticker& ticker) const {
    if (box_.own_environment)
        return at_once(source, targets, ticker);
    const auto began = std::chrono::steady_clock::now();
    Compiled result;
    Parts parts = begin(source, targets, ticker, result);
    if (result)
        finish_ptx(parts, source, ticker, result); // errors of these fast jobs do not wait for the host pass
    if (result)
        finish_host(parts, source, targets.front(), ticker, result);
    if (!result)
        parts.give_up();
    result.seconds = since(began);
    return result;
}

Compiled Compiler::program(const fs::path& source, const std::string& arch, const std::vector<std::string>& flags,
                           const Ticker& ticker, const std::string& code, bool lab) const {
    const auto began = std::chrono::steady_clock::now();
    Compiled result;
    std::vector<std::string> link_flags;
    for (const auto& flag : flags)
        if (flag.starts_with("-L") || flag.starts_with("-l"))
            link_flags.push_back(flag);
    std::vector<std::string> parts = flags;
    parts.push_back(arch);
    parts.push_back(code);
    parts.push_back(lab ? stamp(paths_.stub()) : "");
    parts.push_back(fs::current_path().string());
    parts.push_back(source.string());
    parts.push_back(compile::contents_named(flags));
    const std::string key = this->key("run", read_file(source), parts);
    if (const auto entry = cache_.find(key, source.parent_path())) {
        result.program = entry->path / "program";
        result.own_files = entry->dependencies.own_files(source.parent_path());
        result.seconds = since(began);
        return result;
    }
    const fs::path folder = cache_.workspace();
    auto command = nvcc(false, flags);
    auto watched = watch(source);
    std::optional<compile::Dependencies> dependencies;
    const bool plain = code.empty() && names_no_files(flags);
    if (const auto made = plain ? with_servers(source, command, {arch}, true, folder, ticker) : std::nullopt) {
        result.errors = made->errors;
        result.warnings = made->warnings;
        result.out_of_time = made->out_of_time;
        dependencies = made->dependencies;
    } else {
        const bool trace = compile::leave_a_trace(flags);
        auto search = std::async(std::launch::async, searched_folders, command, source);
        for (const std::string& argument :
             {std::string("-c"), std::string("-gencode"),
              fmt::format("arch={0},code=[{0}{1}{2}]", arch, code.empty() ? "" : ",", code), source.string(),
              std::string("-o"), (folder / "kernel.o").string()})
            command.push_back(argument);
        if (trace)
            keep_trace(command, folder);
        Process process({.arguments = command, .environment = {{"TMPDIR", folder.string()}}, .limits = limits()});
        result.errors = after(process, source, ticker, "for " + arch);
        result.out_of_time = out_of_time(process);
        result.warnings = result.errors.empty() ? shorten_errors(process.output(), source) : "";
        if (result.errors.empty() && trace)
            dependencies = traced(watched, folder, search.get());
    }
    if (result.errors.empty()) {
        auto linked = watch(source);
        result.errors = link(folder / "kernel.o", lab, folder / "program", link_flags, &linked);
        const auto more = linked.dependencies();
        if (dependencies && more)
            dependencies->join(*more);
        else
            dependencies.reset();
    }
    if (result.errors.empty()) {
        fs::remove(folder / "kernel.o");
        result.program = cache_.keep(folder, key, dependencies) / "program";
        if (dependencies)
            result.own_files = dependencies->own_files(source.parent_path());
    } else {
        fs::remove_all(folder);
    }
    result.seconds = since(began);
    return result;
}

Compiled Compiler::ptx(const fs::path& source, const Target& target, const Ticker& ticker) const {
    Compiled result;
    Job job = ptx_job(source, target, cache_.workspace());
    result.errors = after(job.process, source, ticker, "for " + target.arch());
    if (result.errors.empty())
        result.ptx[target.arch()] = ptx_of(job.folder);
    return result;
}

isolation::Box box_for_own_files() {
    isolation::Box box{.readable = {"/"}};
    if (isolation::why_not(isolation::Level::landlock).empty())
        box.level = isolation::Level::landlock;
    return box;
}

std::string shorten_errors(std::string_view text, const fs::path& source) {
    std::string out;
    size_t lines = 0, dropped = 0;
    const std::string whole = source.string(), brief = shown(source);
    std::istringstream in{std::string(text)};
    // ptxas's advisories are about other GPUs ("should be used on .target 'sm_90a/sm_100a/…'").
    static const std::regex noise(
        R"(errors? detected in the compilation of|compilation terminated|^Remark: |warning : Advisory|^\s*$)");
    for (std::string line; std::getline(in, line);) {
        if (std::regex_search(line, noise))
            continue;
        for (size_t at; brief != whole && (at = line.find(whole)) != std::string::npos;)
            line.replace(at, whole.size(), brief);
        // file(41): error: … -> file:41: error: …, which terminals and editors can open
        line = std::regex_replace(line, std::regex(R"(^(\S+)\((\d+)\): )"), "$1:$2: ");
        if (++lines > 24)
            ++dropped;
        else
            out += line.substr(0, 400) + "\n";
    }
    if (dropped)
        out += fmt::format("… and {} more lines\n", dropped);
    return out;
}

} // namespace judge
