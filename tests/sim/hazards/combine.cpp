// combine TABLE OUT.cu FOLDER FILE…       one source file that includes all FILEs, each in a namespace of its own
// combine TABLE OUT.cu FOLDER --examples  the same for the examples of the hazard rules, which are written to FOLDER
// first
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/rules/rule.h"

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Leaves files alone that would not change, so that nothing is compiled again for them.
void write(const fs::path& file, std::string_view text) {
    if (fs::exists(file) && contents(file) == text)
        return;
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (!out)
        throw std::runtime_error("cannot write " + file.string());
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::cerr << "usage: combine TABLE OUT.cu FOLDER (--examples | FILE…)\n";
        return 2;
    }
    const fs::path folder = argv[3];
    std::vector<std::pair<std::string, fs::path>> programs;
    if (argc > 4 && std::string_view(argv[4]) == "--examples") {
        fs::create_directories(folder);
        for (const auto* rule : sim::hazards::rules())
            for (const bool wrong : {true, false}) {
                const std::string name = std::string(rule->name) + (wrong ? ".wrong" : ".right");
                if (rule->wrong.empty())
                    continue; // a test says so
                write(folder / (name + ".cu"), wrong ? rule->wrong : rule->right);
                programs.emplace_back(name, fs::weakly_canonical(folder / (name + ".cu")));
            }
    } else {
        for (int i = 4; i < argc; ++i) {
            const fs::path file = fs::weakly_canonical(argv[i]);
            programs.emplace_back(file.lexically_relative(fs::weakly_canonical(folder)).replace_extension().string(),
                                  file);
        }
    }

    // System headers first: inside the namespaces their include guards make them empty.
    std::set<std::string> headers;
    for (const auto& [name, file] : programs) {
        std::istringstream lines(contents(file));
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("#include <"))
                headers.insert(line);
    }
    std::string out = "#include \"program.h\"\n";
    for (const auto& header : headers)
        out += header + "\n";
    std::string table;
    for (size_t i = 0; i < programs.size(); ++i) {
        std::string space = programs[i].first;
        std::replace_if(
            space.begin(), space.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
        out += "namespace " + space + " {\n#define main run\n#include \"" + programs[i].second.string() +
               "\"\n#undef main\n}\n";
        table += "    {\"" + programs[i].first + "\", " + space + "::run},\n";
    }
    out += "const Program " + std::string(argv[1]) + "[] = {\n" + table + "    {nullptr, nullptr}};\n";
    fs::remove(argv[2]); // new even if only an example differs: compile.py looks at all of them
    write(argv[2], out);
    return 0;
}
