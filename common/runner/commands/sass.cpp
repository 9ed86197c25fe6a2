#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "compile/compiler.h"
#include "runner/command.h"
#include "runner/names.h"
#include "runner/sass.h"

namespace runner::sass_command {

using base::Problem, base::read_file, base::shown, base::write_file;
using compile::Compiled, compile::Compiler, compile::Toolchain;
namespace {

struct SassArguments {
    std::string lab, file, arch, json;
    bool solutions = false, all = false;
};

fs::path disassembler(const Context& context, const Toolchain& chain) {
    fs::path found = chain.tool("nvdisasm");
    for (const char* folder : {"cu13", "cuda_nvdisasm"})
        if (const fs::path own = context.paths.state / "nvdisasm/nvidia" / folder / "bin/nvdisasm"; fs::exists(own))
            found = own;
    if (found.empty())
        throw Problem{"nvdisasm is missing; it is part of the CUDA toolkit, and of PyPI",
                      fmt::format("python3 -m pip install --no-deps --target {} nvidia-cuda-nvdisasm",
                                  base::shown(context.paths.state / "nvdisasm"))};
    return found;
}

struct Scratch { // a folder that goes with it
    fs::path path = fs::temp_directory_path() / fmt::format("asynclab-sass-{}", getpid());
    Scratch() { fs::create_directories(path); }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    Scratch(const Scratch&) = delete;
};

std::string output_of(std::vector<std::string> command) {
    process::Process process({.arguments = std::move(command), .limits = {.wall = std::chrono::seconds(60)}});
    if (!process.finish() || process.status() != 0)
        throw Problem{"this failed: " + process.output().substr(0, 2000), "./lab doctor checks the installation"};
    return process.output();
}

void print_sass(const std::vector<SassLine>& lines, const std::string& source, bool all) {
    std::vector<std::string> text;
    std::istringstream in(source);
    for (std::string line; std::getline(in, line);)
        text.push_back(line);
    std::string kernel;
    uint32_t shown_line = 0;
    std::set<std::string_view> said;
    for (const SassLine& one : lines) {
        const std::string_view meaning = sass_meaning(one.name);
        if (meaning.empty() && !all)
            continue;
        if (one.kernel != kernel)
            fmt::print("\n{}\n", one.kernel);
        if (one.kernel != kernel || one.line != shown_line) {
            const std::string code = one.line && one.line <= text.size() ? text[one.line - 1] : "(no line)";
            fmt::print("{:5} | {}\n", one.line, code);
        }
        kernel = one.kernel;
        shown_line = one.line;
        const std::string count = one.count > 1 ? fmt::format(" × {}", one.count) : "";
        fmt::print("          {:<42}{}\n", one.name + count, said.insert(meaning).second ? meaning : "");
    }
    if (said.empty())
        fmt::print("\nIt has no asynchronous copies and no synchronisation (--all shows every instruction).\n");
}

void run_sass(Context& context, const SassArguments& arguments) {
    const auto& lab = find_lab(arguments.lab);
    const fs::path source = !arguments.file.empty() ? fs::path(arguments.file)
                            : arguments.solutions   ? context.paths.solution(lab.name)
                                                    : context.paths.source(lab.name);
    if (!fs::is_regular_file(source))
        throw Problem{"there is no file " + shown(source), "check the path"};
    const check::Target made_for = target_of(lab, arguments.arch);
    const Compiler compiler(context.paths);
    const fs::path nvdisasm = disassembler(context, compiler.toolchain()), ptxas = compiler.toolchain().tool("ptxas");
    if (ptxas.empty())
        throw Problem{"ptxas, which comes with nvcc, is missing", "./lab doctor checks the installation"};
    std::vector<SassLine> lines;
    const fs::path file = fs::canonical(source);
    {
        StatusLine status(number_of(lab.name));
        const Compiled compiled = compiler.ptx(file, made_for, [&](std::string_view what) { status.show(what); });
        if (!compiled)
            throw Problem{shown(source) + " does not compile:\n" + compiled.errors, "correct it first", 1};
        const std::string arch = "sm_" + made_for.arch().substr(std::string_view("compute_").size());
        const Scratch folder;
        const fs::path cubin = folder.path / "kernel.cubin";
        output_of({ptxas.string(), "-arch=" + arch, "-lineinfo", compiled.ptx.begin()->second.string(), "-o",
                   cubin.string()});
        lines = sass_lines(output_of({nvdisasm.string(), "-gi", "-c", cubin.string()}), file.string());
    }
    if (arguments.json.empty()) {
        fmt::print("{}, made for {}\n", shown(file), made_for.arch());
        print_sass(lines, read_file(file), arguments.all);
        return;
    }
    nlohmann::json all = nlohmann::json::array();
    for (const SassLine& one : lines)
        if (arguments.all || !sass_meaning(one.name).empty())
            all.push_back({{"kernel", one.kernel},
                           {"line", one.line},
                           {"instruction", one.name},
                           {"count", one.count},
                           {"meaning", sass_meaning(one.name)}});
    const std::string text = nlohmann::json{{"lab", lab.name}, {"target", made_for.arch()}, {"lines", all}}.dump(2);
    if (arguments.json == "-")
        fmt::print("{}\n", text);
    else
        write_file(arguments.json, text + "\n");
}

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<SassArguments>();
    command.add_option("LAB", arguments->lab, which_lab)->required();
    command.add_flag("--solutions", arguments->solutions, "The reference solution instead of your file");
    command.add_option("--file", arguments->file, "Another file instead of labs/…/kernel.cu")->type_name("PATH");
    command.add_option("--arch", arguments->arch, "Which of the lab's targets; without it, the newest");
    command.add_flag("--all", arguments->all, "Every instruction");
    add_json(command, arguments->json, "The lines");
    command.callback([&context, arguments] { run_sass(context, *arguments); });
}

} // namespace

LAB_COMMAND = {
    .name = "sass",
    .help = "Show what the lab's key lines became on the GPU",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::sass_command
