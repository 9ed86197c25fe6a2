#include "compile/ways/nvcc.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "compile/dependencies/flags.h"
#include "compile/host_side.h"
#include "compile/servers/plan.h"
#include "compile/servers/waiting.h"

namespace compile {

using base::read_file;
using process::Process;

namespace {

// Has nvcc keep what its preprocessors write in `folder`.
void keep_trace(std::vector<std::string>& nvcc, const fs::path& folder) {
    fs::create_directory(folder / "trace");
    nvcc.insert(nvcc.end(), {"--keep", "--keep-dir", (folder / "trace").string()});
}

std::optional<Dependencies> traced(Watched& watched, const fs::path& folder, const std::vector<fs::path>& search) {
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

} // namespace

/// One nvcc, running.
struct Nvcc::Job {
    fs::path folder;
    Watched watched;
    Process process;
    bool kept = false;
    Job(fs::path where, Watched seen, Process started)
        : folder(std::move(where)), watched(std::move(seen)), process(std::move(started)) {}
    Job(Job&& other) noexcept
        : folder(std::exchange(other.folder, {})), watched(std::move(other.watched)),
          process(std::move(other.process)) {}
    ~Job() {
        if (folder.empty() || kept)
            return;
        process.kill();
        fs::remove_all(folder);
    }
};

Nvcc::Job Nvcc::ptx_job(const Order& order, const std::string& arch) const {
    const fs::path folder = cached_.workspace();
    auto command = tools_.nvcc(true);
    for (const std::string& argument : {std::string("-ptx"), "-arch=" + arch, order.source.string(), std::string("-o"),
                                        (folder / "kernel.ptx").string()})
        command.push_back(argument);
    keep_trace(command, folder);
    Watched watched = tools_.watch(order.source);
    return {folder, std::move(watched), tools_.start(command, order.source, folder)};
}

Nvcc::Job Nvcc::host_job(const Order& order) const {
    const fs::path folder = cached_.workspace();
    auto command = tools_.nvcc(true);
    for (const std::string& argument : // its PTX is never used
         {std::string("-c"), std::string("-gencode"), fmt::format("arch={0},code={0}", order.archs.front()),
          order.source.string(), std::string("-o"), (folder / "kernel.o").string()})
        command.push_back(argument);
    keep_trace(command, folder);
    Watched watched = tools_.watch(order.source);
    return {folder, std::move(watched), tools_.start(command, order.source, folder)};
}

// Everything that is missing is started at once. The host's job makes the first target's PTX on its way; it ends last,
// so that errors of the others do not wait for it.
Made Nvcc::lab(const Order& order) const {
    const auto& oldest = order.archs.front();
    std::vector<std::pair<std::string, Job>> jobs;
    bool of_the_host = false; // the first target's PTX
    for (const auto& arch : order.archs) {
        const auto there = order.ptx.find(arch);
        const bool of_a_server = there != order.ptx.end() && // whose internal names are not those of nvcc
                                 ptx_interface(read_file(there->second)).find(servers::module_id) != std::string::npos;
        if (!order.missing.contains(arch) && !of_a_server)
            continue;
        if (order.program && arch == oldest)
            of_the_host = true;
        else
            jobs.emplace_back(arch, ptx_job(order, arch));
    }
    std::optional<Job> host;
    if (order.program)
        host.emplace(host_job(order));
    const auto search = cached_.search_path(tools_.nvcc(true), order.source);
    Made made;
    const auto refuse = [&](const std::string& arch, const fs::path& ptx) { // nvcc names lines of the PTX
        if (const std::string why = fs::exists(ptx) ? ptxas(tools_, ptx, arch, order.source) : ""; !why.empty())
            made.errors = why;
    };
    for (auto& [arch, job] : jobs) {
        made.errors = finish(job.process, order.source, order.ticker, "for " + arch).errors;
        refuse(arch, job.folder / "kernel.ptx");
        if (!made.errors.empty())
            return made;
        if (made.warnings.empty())
            made.warnings = shorten_errors(job.process.output(), order.source);
        made.ptx[arch] = cached_.keep_ptx(order, arch, job.folder, traced(job.watched, job.folder, search));
        job.kept = true;
    }
    if (!host)
        return made;
    const fs::path& folder = host->folder;
    made.errors = finish(host->process, order.source, order.ticker, "the host's side").errors;
    const fs::path ptx = folder / "trace" / order.source.filename().replace_extension(".ptx");
    if (of_the_host)
        refuse(oldest, ptx);
    if (made.errors.empty())
        made.errors = link(tools_, {folder / "kernel.o", folder / "program", order.stub, {}});
    if (!made.errors.empty())
        return made;
    fs::remove(folder / "kernel.o");
    fs::path entry; // of the PTX
    if (of_the_host)
        fs::rename(ptx, (entry = cached_.workspace()) / "kernel.ptx");
    const auto dependencies = traced(host->watched, folder, search); // removes what nvcc has kept
    if (of_the_host) {
        if (made.warnings.empty())
            made.warnings = shorten_errors(host->process.output(), order.source);
        made.ptx[oldest] = cached_.keep_ptx(order, oldest, entry, dependencies);
    }
    const std::string interface =
        ptx_interface(read_file(made.ptx.contains(oldest) ? made.ptx.at(oldest) : order.ptx.at(oldest)));
    made.program = cached_.keep_program(order, folder, interface, dependencies);
    host->kept = true;
    return made;
}

Made Nvcc::program(const Order& order) const {
    const fs::path folder = cached_.workspace();
    auto command = tools_.nvcc(false, order.flags);
    const auto compilers = command;
    for (const std::string& argument :
         {std::string("-c"), std::string("-gencode"),
          fmt::format("arch={0},code=[{0}{1}{2}]", order.archs.front(), order.code.empty() ? "" : ",", order.code),
          order.source.string(), std::string("-o"), (folder / "kernel.o").string()})
        command.push_back(argument);
    const bool trace = leave_a_trace(order.flags);
    if (trace)
        keep_trace(command, folder);
    Watched watched = tools_.watch(order.source);
    Process process({.arguments = command, .environment = Tools::environment(folder), .limits = tools_.limits()});
    // Not in a thread: a process that ends takes every child with it that is not known yet.
    const auto search = trace ? cached_.search_path(compilers, order.source) : std::vector<fs::path>();
    const Ended ended = finish(process, order.source, order.ticker, "for " + order.archs.front());
    Made made{.errors = ended.errors, .out_of_time = ended.out_of_time};
    std::optional<Dependencies> dependencies;
    if (made.errors.empty()) {
        made.warnings = shorten_errors(process.output(), order.source);
        if (trace)
            dependencies = traced(watched, folder, search);
        Watched linked = tools_.watch(order.source);
        made.errors =
            link(tools_, {folder / "kernel.o", folder / "program", order.stub, link_flags(order.flags)}, &linked);
        dependencies = both(dependencies, linked.dependencies());
    }
    if (!made.errors.empty()) {
        fs::remove_all(folder);
        return made;
    }
    fs::remove(folder / "kernel.o");
    made.program = cached_.keep_program(order, folder, "", dependencies);
    return made;
}

} // namespace compile
