#include <fmt/format.h>

#include "base/files.h"
#include "compile/dependencies/flags.h"
#include "judge/compiler_parts.h"
#include "judge/host_side.h"
#include "warm/request.h"

namespace judge {

using check::Target;

std::optional<Compiler::Made> Compiler::with_servers(const fs::path& source, const std::vector<std::string>& nvcc,
                                                     const std::vector<std::string>& archs, bool host,
                                                     const fs::path& folder, const Ticker& ticker) const {
    const auto family = compile::environment_of_compilers().empty() ? servers_.family(source, nvcc, archs, host)
                                                                    : std::nullopt;
    if (!family)
        return {};
    auto watched = watch(source);
    const auto seconds = static_cast<uint32_t>(time_.count());
    process::Limits limits;
    limits.wall = 5 * time_;
    process::Process process(
        {.arguments = servers_.compile(*family, source, folder, archs, seconds), .limits = limits});
    Made made{after(process, source, ticker, "for " + archs.front()), {}, out_of_time(process), {}};
    if (process.ended() && process::exit_code(process.status()) == warm::let_nvcc_do_it)
        return {};
    if (made.errors.empty())
        made.warnings = shorten_errors(process.output(), source);
    if (made.errors.empty() && Servers::read(*family, watched)) {
        for (const auto& file : fs::directory_iterator(folder))
            if (file.path().extension() == ".ii")
                watched.preprocessed(file.path(), fs::current_path());
        watched.searched({source.parent_path()});
        made.dependencies = watched.dependencies();
    }
    return made;
}

// False: nvcc has to do it.
bool Compiler::begin_with_servers(Parts& parts, const fs::path& source, const std::vector<Target>& missing,
                                  const std::vector<Target>& targets, const Ticker& ticker, Compiled& result) const {
    const bool host = !parts.host_entry;
    if (missing.empty() && !host)
        return true;
    const fs::path folder = cache_.workspace();
    const auto give_up = [&](bool done) {
        fs::remove_all(folder);
        return done;
    };
    std::vector<std::string> archs;
    if (host) // it needs what the first target's compiler says of the kernels
        archs.push_back(targets.front().arch());
    for (const Target& target : missing)
        if (!host || target != targets.front())
            archs.push_back(target.arch());
    const auto made = with_servers(source, nvcc(true), archs, host, folder, ticker);
    if (!made)
        return give_up(false);
    result.errors = made->errors;
    result.warnings = made->warnings;
    for (const Target& target : missing) {
        const fs::path ptx = folder / fmt::format("kernel.{}.ptx", target.arch());
        if (result.errors.empty())
            result.errors = ptxas(ptx, target, source);
        if (!result.errors.empty())
            return give_up(true);
        const fs::path entry = cache_.workspace();
        fs::rename(ptx, ptx_of(entry));
        result.ptx[target.arch()] = ptx_of(cache_.keep(entry, parts.keys[target.arch()], made->dependencies));
    }
    const std::string interface = ptx_interface(base::read_file(result.ptx.at(targets.front().arch())));
    if (!host && base::read_file(*parts.host_entry / "interface") != interface) {
        parts.host_entry.reset();
        return give_up(begin_with_servers(parts, source, {}, targets, ticker, result));
    }
    if (host && result.errors.empty()) {
        result.errors = link(folder / "kernel.o", true, folder / "program", {});
        if (result.errors.empty()) {
            const fs::path entry = cache_.workspace();
            fs::rename(folder / "program", entry / "program");
            parts.keep_program(cache_, entry, interface, made->dependencies);
        }
    }
    return give_up(true);
}

} // namespace judge
