// combine ARCH TABLE OUT.cu MADE                  one source file that includes both programs of each hazard rule, each
//                                                 in a namespace of its own
// combine ARCH TABLE OUT.cu MADE FOLDER DEPFILE   the same for the programs of FOLDER
//
// Only programs for ARCH, compute_90a or compute_100a (needs_blackwell in sources.h), are among them.
// What is not stored whole is written to MADE first. DEPFILE lists the files and folders that it was made from, so that
// an added program is noticed.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/changes.h"
#include "base/files.h"
#include "base/problem.h"
#include "sim/rules/rule.h"
#include "sources.h"

namespace {

namespace fs = std::filesystem;

// Leaves files alone that would not change, so that nothing is compiled again for them.
void write(const fs::path& file, std::string_view text) {
    if (fs::exists(file) && base::read_file(file) == text)
        return;
    fs::create_directories(file.parent_path());
    base::write_file(file, text);
}

std::vector<Source> examples(const fs::path& made) {
    std::vector<Source> all;
    for (const auto* rule : sim::hazards::rules())
        for (const bool wrong : {true, false}) {
            const std::string name = std::string(rule->name) + (wrong ? ".wrong" : ".right");
            all.push_back({name, fs::weakly_canonical(made) / (name + ".cu"),
                           wrong ? std::string(rule->wrong) : rule->right(), false, true});
        }
    return all;
}

void write_depfile(const fs::path& depfile, const fs::path& out, const fs::path& folder,
                   const std::vector<Source>& programs) {
    std::string text = out.string() + ":";
    for (const char* kind : {"clean", "wrong"})
        text += " " + (folder / kind).string();
    for (const Source& program : programs)
        if (program.stored)
            text += " " + program.file.string();
    base::write_file(depfile, text + "\n");
}

// System headers first: inside the namespaces their include guards make them empty.
std::string combined(std::string_view table_name, const std::vector<Source>& programs) {
    std::set<std::string_view> headers;
    for (const Source& program : programs)
        for (const std::string_view line : base::lines_of(program.text))
            if (line.starts_with("#include <"))
                headers.insert(line);
    std::string out = "#include \"program.h\"\n", table;
    for (const auto header : headers)
        out += std::string(header) + "\n";
    for (const Source& program : programs) {
        std::string space = program.name;
        std::ranges::replace_if(
            space, [](unsigned char c) { return !std::isalnum(c); }, '_');
        out +=
            "namespace " + space + " {\n#define main run\n#include \"" + program.file.string() + "\"\n#undef main\n}\n";
        table += "    {\"" + program.name + "\", " + space + "::run},\n";
    }
    return out + "const Program " + std::string(table_name) + "[] = {\n" + table + "    {nullptr, nullptr}};\n";
}

} // namespace

int main(int argc, char** argv) try {
    if (argc != 5 && argc != 7) {
        std::cerr << "usage: combine ARCH TABLE OUT.cu MADE [FOLDER DEPFILE]\n";
        return 2;
    }
    const bool blackwell = std::string_view(argv[1]) == "compute_100a";
    ++argv;
    const fs::path made = argv[3];
    auto programs = argc == 5 ? examples(made) : sources(argv[4], made);
    std::erase_if(programs, [&](const Source& program) { return needs_blackwell(program.text) != blackwell; });
    for (const Source& program : programs)
        if (!program.stored)
            write(program.file, program.text);
    if (argc == 7)
        write_depfile(argv[5], argv[2], fs::weakly_canonical(argv[4]), programs);
    fs::remove(argv[2]); // new even if only a program differs: compile.py looks at all of them
    write(argv[2], combined(argv[1], programs));
    return 0;
} catch (const base::Problem& problem) {
    std::cerr << "error: " << problem.what << "\n";
    return 1;
} catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
}
