#include "compile/ways/submission.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/files.h"
#include "compile/host_side.h"
#include "compile/servers/grader_servers.h"

namespace compile {

using base::read_file;
using process::Process;

namespace {

// They distinguish a waiting compiler's file from the whole one.
bool names_its_reader(std::string_view source) {
    return std::ranges::any_of(std::array<std::string_view, 2>{"__COUNTER__", "__BASE_FILE__"},
                               [&](const auto name) { return source.find(name) != source.npos; });
}

void keep_only(const fs::path& folder, const Made& made) {
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const bool wanted = made.errors.empty() && (entry.path().extension() == ".ptx" ||
                                                    (made.program && entry.path() == made.program->file));
        if (!wanted)
            left.push_back(entry.path());
    }
    for (const auto& path : left)
        fs::remove(path);
}

Answer leave_to_nvcc(std::string why) {
    return {.why_not = std::move(why)};
}

} // namespace

Answer PreparedForSubmission::make(const Order& order) const {
    const fs::path folder = work_.workspace();
    Answer answer = make_in(folder, order);
    if (answer.made)
        keep_only(folder, *answer.made);
    else
        fs::remove_all(folder);
    return answer;
}

Answer PreparedForSubmission::make_in(const fs::path& folder, const Order& order) const {
    const std::string text = read_file(order.source), host = host_text(text);
    if (names_its_reader(text))
        return leave_to_nvcc("the file asks how it is compiled");
    const auto program = std::ranges::find(prepared_.programs, host, &HostProgram::host_text);
    const bool needs_host = program == prepared_.programs.end();
    std::vector<std::string> archs = order.archs;
    if (needs_host)
        archs.push_back(servers::host_of(archs.front()));
    const auto seconds = static_cast<uint32_t>(tools_.time().count()) + 1;
    servers::Connections connections;
    for (const auto& server : servers::family(prepared_.servers, text, archs))
        if (!connections.add(server, {seconds, uint64_t{2} << 30, uint64_t{64} << 20}, group_))
            return leave_to_nvcc("a waiting compiler is gone");
    if (connections.folders().empty())
        return leave_to_nvcc("no compiler waits behind these headers");
    std::vector<std::string> command{tools_.paths().build / "common/compile/servers/compile_server",
                                     "compile",
                                     order.source,
                                     folder,
                                     std::to_string(seconds),
                                     needs_host ? servers::named(connections.server(order.archs.size())) : ""};
    Made made;
    for (size_t i = 0; i < order.archs.size(); ++i) {
        const std::string name = "kernel." + archs[i] + ".ptx";
        command.insert(command.end(), {servers::named(connections.server(i)), name});
        made.ptx[archs[i]] = folder / name;
    }
    Process process = tools_.start(command, order.source, folder, connections);
    connections.close_all(); // when the client dies, the servers see it
    made.errors = finish(process, order.source, order.ticker, "for all targets").errors;
    tools_.take_back(folder);
    for (const auto& arch : order.archs)
        if (made.errors.empty())
            made.errors = ptxas(tools_, made.ptx.at(arch), arch, order.source);
    if (made.errors.empty() && needs_host)
        made.errors = link(tools_, {folder / "kernel.o", folder / "program", true, {}});
    tools_.take_back(folder);
    if (!made.errors.empty())
        return leave_to_nvcc("there is an error, which nvcc is to name");
    if (needs_host)
        made.program = Program{.file = folder / "program"};
    else if (ptx_interface(read_file(made.ptx.at(archs.front()))) != program->interface)
        return leave_to_nvcc("the kernels do not fit the program of the lab's own file");
    else
        made.program = Program{.file = program->program, .origin = program->origin};
    return {made};
}

Answer NvccForSubmission::make(const Order& order) const {
    const fs::path folder = work_.workspace(), object = folder / "kernel.o", program = folder / "program";
    auto command = tools_.nvcc(true);
    for (const std::string& argument :
         {std::string("-c"), std::string("--keep"), std::string("--keep-dir"), folder.string()})
        command.push_back(argument);
    for (const auto& arch : order.archs)
        command.insert(command.end(), {"-gencode", fmt::format("arch={0},code={0}", arch)});
    command.insert(command.end(), {order.source.string(), "-o", object.string()});
    Process process = tools_.start(command, order.source, folder);
    const Ended ended = finish(process, order.source, order.ticker, "for all targets");
    Made made{.errors = ended.errors};
    tools_.take_back(folder);
    for (const auto& arch : order.archs) {
        const fs::path ptx = folder / (order.archs.size() == 1 ? "kernel.ptx" : "kernel." + arch + ".ptx");
        if (made.errors.empty())
            made.errors = ptxas(tools_, ptx, arch, order.source);
        made.ptx[arch] = ptx;
    }
    if (made.errors.empty())
        made.errors = link(tools_, {object, program, true, {}});
    tools_.take_back(folder);
    made.program = Program{.file = program};
    keep_only(folder, made);
    return {made};
}

} // namespace compile
