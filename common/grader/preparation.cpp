#include "grader/preparation.h"

#include <cstdlib>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/fields.h"
#include "base/files.h"
#include "compile/compiler.h"
#include "compile/servers/own_servers.h"
#include "grader/job.h"
#include "isolation/landlock.h"

template <>
inline constexpr auto base::fields<servers::GivenServer> = std::tuple{
    Field{"folder", &servers::GivenServer::folder},
    Field{"arch", &servers::GivenServer::arch},
    Field{"control", &servers::GivenServer::control},
};
template <>
inline constexpr auto base::fields<compile::Origin> = std::tuple{
    Field{"file", &compile::Origin::file},
    Field{"text", &compile::Origin::text},
};
template <>
inline constexpr auto base::fields<compile::HostProgram> = std::tuple{
    Field{"program", &compile::HostProgram::program},
    Field{"origin", &compile::HostProgram::origin},
    Field{"host_text", &compile::HostProgram::host_text},
    Field{"interface", &compile::HostProgram::interface},
};
template <>
inline constexpr auto base::fields<compile::Prepared> = std::tuple{
    Field{"servers", &compile::Prepared::servers},
    Field{"programs", &compile::Prepared::programs},
};
template <>
inline constexpr auto base::fields<grader::Prepared> = std::tuple{
    Field{"kit", &grader::Prepared::kit},
    Field{"run", &grader::Prepared::run},
};

namespace grader {
namespace {

constexpr size_t few = 4;
constexpr int first_control = 100; ///< in the process of a submission
constexpr const char* file_variable = "LAB_GRADE_PREPARED";

} // namespace

Preparation::Preparation(const base::Paths& tree, const GradeOptions& options, const fs::path& folder,
                         const std::map<std::string, size_t>& kernels)
    : file_(folder / "prepared.json") {
    if (kernels.empty())
        return;
    prepared_.kit = make_kit(tree, folder).root;
    std::vector<const check::ListedLab*> labs;
    for (const auto* lab : options.labs)
        if (const auto count = kernels.find(std::string(lab->name)); count != kernels.end() && count->second >= few)
            labs.push_back(lab);
    if (!labs.empty() && servers::most_servers(1) > 0)
        start(tree, options, folder, labs);
}

void Preparation::start(const base::Paths& tree, const GradeOptions& options, const fs::path& folder,
                        const std::vector<const check::ListedLab*>& labs) {
    const Job job(tree, options.level, prepared_.kit);
    compile::Compiler compiler(job.paths(), job.box());
    fs::create_directories(folder / "servers");
    servers_.emplace(job.paths(), options.level, folder / "servers");
    for (const auto* lab : labs)
        compiler.start_servers(*servers_, tree.published(lab->name), lab->lab->targets);
    servers_->wait();
    prepared_.run.servers = servers_->given();
    compiler.use(prepared_.run, {});
    // A program can be read by those that it is not for, unless the isolation closes files.
    const bool closed = isolation::landlock_version() > 0 || options.level == isolation::Level::bubblewrap;
    for (const auto* lab : labs)
        for (const fs::path& own : {tree.published(lab->name), tree.solution(lab->name)}) {
            if (!fs::exists(own) || (!closed && own != tree.published(lab->name)))
                continue;
            const fs::path program = folder / fmt::format("programs/{}/program", prepared_.run.programs.size());
            fs::create_directories(program.parent_path());
            const fs::path source = job.put(std::string(lab->name), base::read_file(own));
            if (auto made = compiler.host_program(source, lab->lab->targets.front(), program))
                prepared_.run.programs.push_back(std::move(*made));
        }
}

void Preparation::give(process::Spawn& spawn) const {
    Prepared passed_on = prepared_;
    for (auto& server : passed_on.run.servers) {
        const int number = first_control + static_cast<int>(&server - passed_on.run.servers.data());
        spawn.descriptors[number] = server.control;
        server.control = number;
    }
    if (!fs::exists(file_)) {
        base::write_file(file_, base::to_json(passed_on).dump());
        chmod(file_.c_str(), 0600); // solutions' host code
    }
    spawn.environment[file_variable] = file_.string();
}

std::optional<Prepared> prepared() {
    const char* file = std::getenv(file_variable);
    if (!file)
        return {};
    return base::from_json<Prepared>(json::parse(base::read_file(file)));
}

} // namespace grader
