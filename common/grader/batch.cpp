#include "grader/batch.h"

#include <charconv>
#include <csignal>
#include <cstring>
#include <list>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/problem.h"
#include "base/utf8.h"
#include "grader/accounting.h"
#include "grader/collect.h"
#include "grader/job.h"
#include "grader/preparation.h"
#include "grader/progress.h"
#include "grader/reading.h"
#include "grader/reports.h"
#include "process/process.h"

namespace grader {
namespace {

using base::Problem;
using namespace std::chrono;

volatile std::sig_atomic_t interrupted = 0;

std::vector<std::string> lab_names(const BatchOptions& options) {
    std::vector<std::string> names;
    for (const auto* lab : options.grade.labs)
        names.emplace_back(lab->name);
    return names;
}

Submission understood(const Found& found, const Reading& reading, const BatchOptions& options) {
    Submission result = submission(reading, lab_names(options));
    result.late = found.late;
    result.problems.insert(result.problems.begin(), found.remarks.begin(), found.remarks.end());
    return result;
}

unsigned jobs_of(const BatchOptions& options) {
    return options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
}

fs::path result_file(const BatchOptions& options, const std::string& id) {
    return options.out / "results" / (id + ".json");
}

Course with_time(Course course, const Found& found) {
    if (found.submitted)
        course.submitted.try_emplace(found.id, *found.submitted);
    return course;
}

// The student id that seeds a lab's variant constants: from course.toml, from the platform, or the folder's name.
GradeOptions with_student(GradeOptions options, const Course& course, const Found& found) {
    const auto called = course.variants.called.find(found.id);
    options.student = called != course.variants.called.end()                     ? called->second
                      : !found.students.empty() && !found.students[0].id.empty() ? found.students[0].id
                                                                                 : found.id;
    return options;
}

bool is_done(const Found& found, const Submission& submission, const BatchOptions& options) {
    try {
        const Result result = read_result(result_file(options, found.id));
        return (!options.grade.chosen_repeat_seed || result.repeat_seed == options.grade.repeat_seed) &&
               result.inputs == inputs_hash(found.id, submission, with_time(options.course, found),
                                            with_student(options.grade, options.course, found));
    } catch (const Problem&) { // there is none, or none of ours
    }
    return false;
}

// The same secret when a run is taken up again, and for all shards, whichever begins first.
uint64_t kept_seed(const fs::path& out, const std::string& name, uint64_t fresh) {
    const fs::path file = out / name, mine = out / fmt::format("{}.{}.part", name, getpid());
    if (!fs::exists(file)) {
        base::write_file(mine, std::to_string(fresh) + "\n");
        chmod(mine.c_str(), 0600);
        std::error_code there_is_one;
        fs::create_hard_link(mine, file, there_is_one);
        fs::remove(mine);
    }
    const std::string text = base::read_file(file);
    uint64_t seed = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), seed).ec != std::errc())
        throw Problem{file.string() + " is damaged", "remove it and what was graded with it, and grade again"};
    return seed;
}

// Is there still room? If not, nothing that follows could be kept either.
void check_space(const fs::path& folder) {
    const fs::path file = folder / fmt::format("space.{}.part", getpid());
    base::write_file(file, std::string(1 << 20, ' '));
    fs::remove(file);
}

process::Spawn one(const base::Paths& paths, const Found& found, const BatchOptions& options, const fs::path& scratch) {
    std::string labs;
    for (const auto& name : lab_names(options))
        labs += (labs.empty() ? "" : ",") + name;
    process::Spawn spawn;
    spawn.arguments = {fs::read_symlink("/proc/self/exe").string(),
                       "grade",
                       "one",
                       "--found",
                       "--out",
                       result_file(options, found.id).string(),
                       "--labs",
                       labs,
                       "--isolation",
                       std::string(isolation::name(options.grade.level)),
                       "--seed-policy",
                       options.grade.secret_seed ? "secret" : std::to_string(options.grade.seed),
                       "--schedules",
                       std::to_string(options.grade.schedules),
                       "--timeout",
                       fmt::format("{}", options.grade.timeout),
                       "--compile-timeout",
                       std::to_string(options.grade.compile_timeout),
                       "--lab-seconds",
                       fmt::format("{}", options.grade.budget.wall),
                       "--lab-processor-seconds",
                       fmt::format("{}", options.grade.budget.processor)};
    if (!options.course_file.empty())
        spawn.arguments.insert(spawn.arguments.end(), {"--course", options.course_file});
    if (options.grade.strict)
        spawn.arguments.emplace_back("--strict");
    // Not on the command line, which is bounded, and for all to read.
    const auto text = bytes_of(found);
    const int fd = memfd_create("submission", MFD_CLOEXEC);
    if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || lseek(fd, 0, SEEK_SET))
        throw Problem{std::string("no memory file: ") + std::strerror(errno), "free some memory"};
    spawn.descriptors[0] = fd;
    spawn.environment = {{"LAB_ROOT", paths.root.string()},
                         {"TMPDIR", scratch.string()},
                         {repeat_seed_variable, std::to_string(options.grade.repeat_seed)}};
    if (options.grade.secret_seed)
        spawn.environment[seed_variable] = std::to_string(options.grade.seed);
    spawn.limits.wall = minutes(30) * std::max<size_t>(options.grade.labs.size(), 1);
    return spawn;
}

struct Running {
    const Found* found;
    process::Process process;
    steady_clock::time_point began;
    fs::path group{}; ///< to be ended with it
};

const std::vector<std::string> list_header{"submission", "from", "student", "student id", "taken", "not taken"};

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (size_t i = 0; i < std::min<size_t>(names.size(), 10); ++i)
        text += (i ? ", " : "") + base::plain(base::valid_utf8(names[i]));
    return text + (names.size() > 10 ? fmt::format(" and {} more", names.size() - 10) : "");
}

// Which files of a submission are graded, and which are not: a line for each file, at least one.
std::string listed(const Found& found, const Submission& submission) {
    std::string names, ids, text;
    for (const auto& student : found.students) {
        names += (names.empty() ? "" : "; ") + student.name;
        ids += (ids.empty() ? "" : "; ") + student.id;
    }
    auto line = [&](const std::string& taken, const std::string& not_taken) {
        text += base::csv_line(
            {found.id, base::valid_utf8(found.from), names, ids, base::valid_utf8(taken), base::valid_utf8(not_taken)});
    };
    for (const auto& [lab, kernel] : submission.kernels)
        line(fmt::format("{}: {}", lab, kernel.path), "");
    for (const auto& problem : submission.problems)
        line("", problem);
    if (text.empty())
        line("", "nothing that could be graded");
    return text;
}

// Names results of other submissions in the same folder, and submission times for submissions that are not there.
void mention_other_results(const Collection& all, const BatchOptions& options) {
    std::set<std::string> ids;
    for (const auto& found : all.found)
        ids.insert(found.id);
    std::vector<std::string> older, unknown;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(options.out / "results", problem))
        if (entry.path().extension() == ".json" && !ids.contains(entry.path().stem().string()))
            older.push_back(entry.path().stem().string());
    for (const auto& [name, when] : options.course.submitted)
        if (!ids.contains(name))
            unknown.push_back(name);
    std::sort(older.begin(), older.end());
    if (!older.empty())
        fmt::print("the folder also holds earlier results of submissions that were not given this time: {}\n",
                   listed(older));
    if (!unknown.empty())
        fmt::print("{}: [submitted] lists students with no submission: {}\n", options.course_file, listed(unknown));
}

struct ToGrade {
    std::vector<Found> mine;
    std::map<std::string, size_t> kernels; ///< by lab
};

/// The submissions to grade, once every file is listed.
ToGrade survey(const Collection& all, const BatchOptions& options) {
    ToGrade work;
    std::vector<std::string> empty;
    std::string list = base::csv_line(list_header);
    struct Seen {
        std::string listed;
        bool empty, to_grade;
        std::vector<std::string> labs;
    };
    std::vector<Seen> seen(all.found.size());
    std::vector<const std::vector<Part>*> parts;
    for (const auto& found : all.found)
        parts.push_back(&found.parts);
    read_each(parts, jobs_of(options), [&](size_t i, const Reading& reading) {
        const Submission submission = understood(all.found[i], reading, options);
        seen[i] = {listed(all.found[i], submission),
                   submission.kernels.empty(),
                   i % options.shards == options.shard - 1 && !is_done(all.found[i], submission, options),
                   {}};
        for (const auto& [lab, kernel] : submission.kernels)
            seen[i].labs.push_back(lab);
    });
    for (size_t i = 0; i < all.found.size(); ++i) {
        list += seen[i].listed;
        if (seen[i].empty)
            empty.push_back(all.found[i].from);
        if (!seen[i].to_grade)
            continue;
        work.mine.push_back(all.found[i]);
        for (const auto& lab : seen[i].labs)
            ++work.kernels[lab];
    }
    std::vector<std::string> ignored;
    for (const auto& [path, why] : all.ignored) {
        ignored.push_back(path + ": " + why);
        list += base::csv_line({"", "", "", "", "", base::valid_utf8(ignored.back())});
    }
    base::write_file(options.out / "submissions.csv", list);
    for (const auto& layout : all.layouts)
        fmt::print("{}\n", base::plain(base::valid_utf8(layout)));
    fmt::print("{} submissions, {} to grade; isolation: {}\n", all.found.size(), work.mine.size(),
               isolation::name(options.grade.level));
    if (!empty.empty())
        fmt::print("nothing that could be graded in {}: {}\n", empty.size(), listed(empty));
    if (!all.ignored.empty())
        fmt::print("belong to no submission: {}\n", listed(ignored));
    if (!empty.empty() || !all.ignored.empty())
        fmt::print("which file was graded, and why others were not: {}\n", (options.out / "submissions.csv").string());
    mention_other_results(all, options);
    return work;
}

/// Grades several submissions at a time, until all are graded or the user interrupts.
class Queue {
  public:
    Queue(const base::Paths& paths, const BatchOptions& options, const ToGrade& work)
        : paths_(paths), options_(options), mine_(work.mine), progress_(mine_.size()),
          preparation_(paths, options.grade, scratch_.path(), work.kernels),
          longest_(minutes(30) * std::max<size_t>(options.grade.labs.size(), 1)) {}

    /// How many failed.
    size_t run() {
        const size_t jobs = jobs_of(options_);
        while (!interrupted && (next_ < mine_.size() || !running_.empty())) {
            while (running_.size() < jobs && next_ < mine_.size())
                start(mine_[next_++]);
            std::vector<pollfd> waiting;
            for (const auto& item : running_)
                waiting.push_back({item.process.output_fd(), POLLIN, 0});
            poll(waiting.data(), waiting.size(), 50);
            for (auto it = running_.begin(); it != running_.end();)
                it = has_ended(*it) ? running_.erase(it) : std::next(it);
        }
        running_.clear();
        return failed_;
    }

  private:
    void start(const Found& found) {
        process::Spawn spawn = one(paths_, found, options_, scratch_.path());
        const fs::path group = groups_.add(std::to_string(next_));
        preparation_.give(spawn);
        spawn.environment[accounting_variable] = accounting(groups_, group);
        running_.push_back({&found, process::Process(spawn), steady_clock::now(), group});
        close(spawn.descriptors.at(0));
    }

    bool has_ended(Running& item) {
        item.process.drain();
        const bool late = steady_clock::now() - item.began > longest_;
        if (!late && !item.process.ended())
            return false;
        item.process.drain();
        const bool good = !late && item.process.status() == 0;
        failed_ += !good;
        item.process.kill(); // also if it took too long
        if (std::getenv("ASYNCLAB_WAYS"))
            fmt::print(stderr, "{}", item.process.output());
        isolation::ControlGroups::end(item.group);
        if (!good) {
            check_space(options_.out);
            check_space(scratch_.path());
        }
        progress_.graded(item.found->id,
                         good ? outcome(result_file(options_, item.found->id))
                              : "not graded: " + base::plain(late ? "it took too long" : item.process.output()),
                         duration<double>(steady_clock::now() - item.began).count());
        return true;
    }

    const base::Paths& paths_;
    const BatchOptions& options_;
    const std::vector<Found>& mine_;
    Progress progress_;
    const Scratch scratch_;
    const Preparation preparation_;
    isolation::ControlGroups groups_;
    minutes longest_;
    std::list<Running> running_;
    size_t next_ = 0, failed_ = 0;
};

} // namespace

Result grade_one(const base::Paths& paths, const Found& found, const BatchOptions& options,
                 const std::function<void(std::string_view)>& progress) {
    const Accounting accounting;
    const auto ready = prepared();
    GradeOptions mine = with_student(options.grade, options.course, found);
    mine.prepared = ready ? &*ready : nullptr;
    mine.group = accounting.group();
    Result result = grade(paths, found.id, understood(found, read_safely(found.parts), options),
                          with_time(options.course, found), mine, progress);
    result.students = found.students;
    accounting.write(result);
    return result;
}

int grade_all(const base::Paths& paths, BatchOptions options) {
    std::error_code problem;
    if (const fs::path whole = fs::weakly_canonical(options.out, problem); !problem)
        options.out = whole;
    const Collection all = collect(options.submissions, lab_names(options), options.out, options.platform);
    if (all.found.empty())
        throw Problem{all.ignored.empty()
                          ? "there are no submissions"
                          : "there are no submissions; " + all.ignored[0].path + ": " + all.ignored[0].why,
                      "a submission is a folder, a .cu file or an archive"};
    fs::create_directories(options.out / "results", problem);
    if (problem)
        throw Problem{fmt::format("cannot make {}: {}", options.out.string(), problem.message()),
                      "choose another folder: --out"};
    chmod(options.out.c_str(), 0700); // other people's grades
    if (options.grade.secret_seed)
        options.grade.seed = kept_seed(options.out, "seed", options.grade.seed);
    if (!options.grade.chosen_repeat_seed)
        options.grade.repeat_seed = kept_seed(options.out, "repeat-seed", options.grade.repeat_seed);
    keep_ids(all, options.out);
    const ToGrade work = survey(all, options);
    if (!work.mine.empty())
        try_compiler(paths, options.grade);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        std::signal(signal, [](int) { interrupted = 1; });
    const size_t failed = Queue(paths, options, work).run();
    if (interrupted) {
        fmt::print(stderr, "lab: interrupted; the same command continues from here\n");
        return 130;
    }
    const bool recognised = merge(paths, options.out, options.similarity);
    const auto unassigned = std::ranges::count_if(all.ignored, &Ignored::is_kernel);
    if (unassigned)
        fmt::print(stderr,
                   "lab: error: {} of the files that were handed in belong to no submission; {} lists them\n"
                   "     next: give each the name or the folder of its student, and grade again\n",
                   unassigned, (options.out / "submissions.csv").string());
    if (failed)
        fmt::print(stderr, "lab: error: {} submissions could not be graded; the same command tries them again\n",
                   failed);
    return failed ? 1 : recognised && !unassigned ? 0 : exit_not_recognised;
}

} // namespace grader
