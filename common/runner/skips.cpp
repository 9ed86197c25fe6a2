#include "runner/skips.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/problem.h"
#include "judge/removal.h"

namespace runner {

using base::Problem, base::read_file, compile::Compiled, compile::Compiler, judge::Skip, judge::removables;

Skip skip_named(const check::ListedLab& lab, const std::string& name) {
    const size_t colon = name.find(':');
    for (const auto& target : lab.lab->targets)
        if (target.arch() == name.substr(0, colon) && colon != std::string::npos)
            return {target.arch(), {std::strtoul(name.c_str() + colon + 1, nullptr, 10)}};
    throw Problem{"there is no instruction " + name, "list them: --list-skips"};
}

nlohmann::json skips(const Compiler& compiler, const check::ListedLab& lab, const fs::path& source) {
    nlohmann::json all = nlohmann::json::array();
    const Compiled compiled = compiler.lab(source, lab.lab->targets);
    if (!compiled)
        throw Problem{"it does not compile:\n" + compiled.errors, "correct it first"};
    for (const auto& target : lab.lab->targets) {
        size_t index = 0;
        for (const auto& item : removables(read_file(compiled.ptx.at(target.arch()))))
            all.push_back({{"id", fmt::format("{}:{}", target.arch(), index++)},
                           {"mnemonic", item.mnemonic},
                           {"file", fs::path(item.file).filename().string()},
                           {"line", item.line}});
    }
    return all;
}

} // namespace runner
