#include "compile/ways/waiting_compiler.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "compile/dependencies/flags.h"
#include "compile/host_side.h"
#include "compile/servers/request.h"

namespace compile {

struct WaitingCompiler::Work {
    fs::path folder; ///< where kernel.ARCH.ptx and kernel.o are
    std::optional<Dependencies> dependencies;
};

namespace {

// Flags without paths, which mean something else in another folder.
bool names_no_files(const std::vector<std::string>& flags) {
    return std::ranges::none_of(flags, [](const std::string& flag) {
        for (const char* word : {"=-I", "=-i", ",-I", ",-i", "@"})
            if (flag.find(word) != flag.npos)
                return true;
        return flag.starts_with("-I") || flag.starts_with("-i") || flag.starts_with("--") || flag.starts_with("-opt");
    });
}

// The host's object needs the first target's list of kernels.
std::vector<std::string> archs(const Order& order) {
    std::vector<std::string> archs;
    for (const auto& arch : order.archs)
        if (order.missing.contains(arch) || (order.program && arch == order.archs.front()))
            archs.push_back(arch);
    return archs;
}

std::optional<Dependencies> dependencies(Watched& watched, const fs::path& folder, const fs::path& source) {
    for (const auto& file : fs::directory_iterator(folder))
        if (file.path().extension() == ".ii")
            watched.preprocessed(file.path(), fs::current_path());
    watched.searched({source.parent_path()});
    return watched.dependencies();
}

} // namespace

Answer WaitingCompiler::make(const Order& order) const {
    if (!order.code.empty() || !names_no_files(order.flags))
        return {.why_not = "the flags want something that it does not do"};
    if (!environment_of_compilers().empty())
        return {.why_not = "variables of the environment change what compilers read"};
    const auto family = servers_.family(order.source, tools_.nvcc(order.lab, order.flags), archs(order), order.program);
    if (!family)
        return {.why_not = "no compiler waits behind these headers"};
    Work work{cached_.workspace(), {}};
    Watched watched = tools_.watch(order.source);
    process::Limits limits;
    limits.wall = 5 * tools_.time();
    process::Process process({.arguments = servers_.compile(*family, order.source, work.folder, archs(order),
                                                            static_cast<unsigned>(tools_.time().count())),
                              .limits = limits});
    Ended ended = finish(process, order.source, order.ticker, "for " + order.archs.front());
    if (process.ended() && process::exit_code(process.status()) == servers::let_nvcc_do_it) {
        fs::remove_all(work.folder);
        return {.why_not = "it has left the file to nvcc"};
    }
    Made made{.errors = ended.errors, .out_of_time = ended.out_of_time};
    if (made.errors.empty()) {
        made.warnings = shorten_errors(process.output(), order.source);
        if (servers::OwnServers::read(*family, watched))
            work.dependencies = dependencies(watched, work.folder, order.source);
        collect(order, work, made);
    }
    fs::remove_all(work.folder);
    return {made};
}

// Puts the results into the cache.
void WaitingCompiler::collect(const Order& order, const Work& work, Made& made) const {
    std::string interface;
    for (const auto& arch : order.missing) {
        const fs::path ptx = work.folder / fmt::format("kernel.{}.ptx", arch), entry = cached_.workspace();
        made.errors = ptxas(tools_, ptx, arch, order.source);
        if (!made.errors.empty())
            return;
        if (arch == order.archs.front())
            interface = ptx_interface(base::read_file(ptx));
        fs::rename(ptx, entry / "kernel.ptx");
        made.ptx[arch] = cached_.keep_ptx(order, arch, entry, work.dependencies);
    }
    if (!order.program)
        return;
    if (order.lab && interface.empty())
        interface = ptx_interface(base::read_file(order.ptx.at(order.archs.front())));
    const fs::path entry = cached_.workspace();
    Watched linked = tools_.watch(order.source);
    made.errors =
        link(tools_, {work.folder / "kernel.o", work.folder / "program", order.stub, link_flags(order.flags)}, &linked);
    if (made.errors.empty()) {
        fs::rename(work.folder / "program", entry / "program");
        made.program = cached_.keep_program(order, entry, interface, both(work.dependencies, linked.dependencies()));
    }
}

} // namespace compile
