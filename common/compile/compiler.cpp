#include "compile/compiler.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/files.h"
#include "compile/cache.h"
#include "compile/host_side.h"
#include "compile/servers/headers.h"
#include "compile/ways/cached.h"
#include "compile/ways/nvcc.h"
#include "compile/ways/submission.h"
#include "compile/ways/waiting_compiler.h"

namespace compile {

using base::read_file;
using check::Target;

namespace {

std::vector<std::string> names(const std::vector<Target>& targets) {
    std::vector<std::string> archs;
    for (const Target& target : targets)
        archs.push_back(target.arch());
    return archs;
}

// Is everything that the order asks for compiled?
bool is_complete(const Order& order) {
    return order.missing.empty() && !order.program;
}

// A program fits the PTX of its first target, or it was made for other kernels and is missing again. True: it was.
bool drop_misfit(Order& order, std::optional<Program>& program) {
    const auto ptx = order.ptx.find(order.archs.front());
    if (!program || program->interface.empty() || ptx == order.ptx.end() ||
        ptx_interface(read_file(ptx->second)) == program->interface)
        return false;
    program.reset();
    order.program = true;
    return true;
}

void explain(const Way& way, const Order& order, const Answer& answer) {
    static const bool wanted = std::getenv("ASYNCLAB_WAYS") != nullptr;
    if (!wanted)
        return;
    std::string what = answer.why_not;
    if (answer.made) {
        for (const auto& [arch, ptx] : answer.made->ptx)
            what += (what.empty() ? "" : ", ") + arch;
        if (answer.made->program)
            what += what.empty() ? "the program" : ", the program";
        if (!answer.made->errors.empty())
            what = "errors";
    }
    fmt::print(stderr, "lab: {}: {}{}: {}\n", base::shown(order.source), way.name(), answer.made ? "" : ": no", what);
}

} // namespace

Compiler::Compiler(const base::Paths& paths, isolation::Box box)
    : tools_(paths, std::move(box)), work_(std::make_unique<Cache>(paths.cache_folder())) {
    if (tools_.for_strangers()) {
        ways_.push_back(std::make_unique<NvccForSubmission>(tools_, *work_));
        return;
    }
    auto cached = std::make_unique<Cached>(tools_, *work_);
    auto waiting = std::make_unique<WaitingCompiler>(tools_, *cached);
    auto nvcc = std::make_unique<Nvcc>(tools_, *cached);
    ways_.push_back(std::move(cached));
    ways_.push_back(std::move(waiting));
    ways_.push_back(std::move(nvcc));
}

Compiler::~Compiler() = default;

void Compiler::use(const Prepared& prepared, fs::path group) {
    ways_.insert(ways_.begin(), std::make_unique<PreparedForSubmission>(tools_, *work_, prepared, std::move(group)));
}

// Each way makes what it can of the parts that the ways before it have left.
Compiled Compiler::make(Order order) const {
    const auto began = std::chrono::steady_clock::now();
    Compiled result;
    std::optional<Program> program;
    for (size_t i = 0; i < ways_.size() && result && !is_complete(order);) {
        Answer answer = ways_[i]->make(order);
        explain(*ways_[i], order, answer);
        if (answer.made) {
            Made& made = *answer.made;
            result.errors = made.errors;
            result.out_of_time = made.out_of_time;
            result.warnings += made.warnings;
            for (const auto& [arch, ptx] : made.ptx) {
                order.ptx[arch] = ptx;
                order.missing.erase(arch);
            }
            if (made.program) {
                program = std::move(made.program);
                order.program = false;
            }
        }
        const bool again = result && drop_misfit(order, program) && i > 0; // the cache would find the same program
        i += !again;
    }
    result.ptx = order.ptx;
    if (program) {
        result.program = program->file;
        result.origin = program->origin;
        result.own_files = program->own_files;
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return result;
}

Compiled Compiler::lab(const fs::path& source, const std::vector<Target>& targets, const Ticker& ticker) const {
    const auto archs = names(targets);
    return make({.source = source,
                 .lab = true,
                 .archs = archs,
                 .flags = {},
                 .code = {},
                 .stub = true,
                 .ticker = ticker,
                 .missing = {archs.begin(), archs.end()}});
}

Compiled Compiler::program(const fs::path& source, const std::string& arch, const std::vector<std::string>& flags,
                           const Ticker& ticker, const std::string& code, bool lab) const {
    return make({.source = source,
                 .archs = {arch},
                 .flags = flags,
                 .code = code,
                 .stub = lab,
                 .ticker = ticker,
                 .missing = {}});
}

Compiled Compiler::ptx(const fs::path& source, const Target& target, const Ticker& ticker) const {
    return make({.source = source,
                 .lab = true,
                 .archs = {target.arch()},
                 .flags = {},
                 .code = {},
                 .ticker = ticker,
                 .missing = {target.arch()},
                 .program = false});
}

std::string Compiler::try_ptx(const fs::path& source, const Target& target) const {
    const fs::path folder = work_->workspace();
    auto command = tools_.nvcc(true);
    for (const std::string& argument : {std::string("-ptx"), "-arch=" + target.arch(), source.string(),
                                        std::string("-o"), (folder / "kernel.ptx").string()})
        command.push_back(argument);
    process::Process process = tools_.start(command, source, folder);
    return finish(process, source, {}, "for " + target.arch()).errors;
}

void Compiler::start_servers(servers::GraderServers& servers, const fs::path& source,
                             const std::vector<Target>& targets) const {
    servers.start(servers::split(read_file(source)).headers, tools_.nvcc(true), names(targets),
                  tools_.toolchain().folders());
}

std::optional<HostProgram> Compiler::host_program(const fs::path& source, const Target& oldest,
                                                  const fs::path& program) const {
    const Compiled compiled = lab(source, {oldest});
    if (!compiled)
        return {};
    fs::copy_file(compiled.program, program);
    const std::string text = read_file(source);
    return HostProgram{
        program, {source, text}, host_text(text), ptx_interface(read_file(compiled.ptx.at(oldest.arch())))};
}

isolation::Box box_for_own_files() {
    isolation::Box box{.readable = {"/"}};
    if (isolation::why_not(isolation::Level::landlock).empty())
        box.level = isolation::Level::landlock;
    return box;
}

} // namespace compile
