// Which targets count as one: those whose PTX differs in nothing but the line that names the target.
#include <filesystem>

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/files.h"
#include "judge/alike.h"

namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::temp_directory_path() / ("alike_test." + std::to_string(getpid()));

/// PTX for each of the targets, made from `texts`, in which "sm_*" is the target.
std::vector<size_t> next(const std::vector<std::string>& texts) {
    const std::vector<check::Target> all{check::sm_80, check::sm_90, check::sm_90a};
    fs::create_directories(folder);
    compile::Compiled compiled;
    std::vector<check::Target> targets;
    for (size_t i = 0; i < texts.size(); ++i) {
        std::string text = texts[i];
        if (const size_t at = text.find("sm_*"); at != text.npos)
            text.replace(at, 4, "sm_" + all[i].arch().substr(8));
        targets.push_back(all[i]);
        const fs::path file = folder / std::to_string(i);
        base::write_file(file, text);
        compiled.ptx[all[i].arch()] = file;
    }
    const auto found = judge::next_alike(compiled, targets);
    fs::remove_all(folder);
    return found;
}

const std::string one = ".version 9.0\n.target sm_*\n.address_size 64\n\nret;\n";
const std::string other = ".version 9.0\n.target sm_*\n.address_size 64\n\nexit;\n";

} // namespace

TEST_CASE("the target's name is no difference") {
    CHECK(next({one, one}) == std::vector<size_t>{1, 1});
    CHECK(next({one, one, one}) == std::vector<size_t>{1, 2, 2});
}

TEST_CASE("any other line is") {
    CHECK(next({one, other}) == std::vector<size_t>{0, 1});
    CHECK(next({one, other, one}) == std::vector<size_t>{2, 1, 2});
    CHECK(next({one, one + "// sm_90\n"}) == std::vector<size_t>{0, 1});
    CHECK(next({".version 8.0" + one.substr(12), one}) == std::vector<size_t>{0, 1});
}
