#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "base/files.h"
#include "base/problem.h"
#include "runner/command.h"
#include "runner/course.h"
#include "runner/exercises.h"
#include "runner/keys.h"
#include "runner/language.h"
#include "runner/markdown.h"
#include "runner/names.h"
#include "runner/saved_file.h"
#include "runner/translation.h"

namespace runner::learn_command {

using base::Problem, base::shown;
namespace {

using Kind = Step::Kind;

/// Runs a program that has the terminal meanwhile. Returns its exit code.
int in_foreground(const std::vector<std::string>& words, bool ourselves) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        std::vector<const char*> argv;
        for (const auto& word : words)
            argv.push_back(word.c_str());
        argv.push_back(nullptr);
        if (ourselves)
            execv("/proc/self/exe", const_cast<char* const*>(argv.data()));
        else
            execvp(argv[0], const_cast<char* const*>(argv.data()));
        _exit(127);
    }
    int status = 0;
    while (child < 0 || waitpid(child, &status, 0) < 0)
        if (child < 0 || errno != EINTR)
            return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class Learn {
  public:
    Learn(Context& context, const std::string& name)
        : context_(context), steps_(course(context.paths)), bookmark_(context.paths) {
        const std::string wanted = name.empty() ? "" : number_of(find_lab(name).name);
        const auto chosen = std::ranges::find_if(steps_, [&](const Step& step) {
            return step.id() == wanted + (step.kind == Kind::chapter ? " chapter" : "");
        });
        at_ = wanted.empty() || chosen == steps_.end() ? place_in(steps_, bookmark_, Progress(context.paths))
                                                       : size_t(chosen - steps_.begin());
    }

    /// Without a terminal: says where the user is, after so many steps on or back.
    void tell(int on) {
        go(on);
        fmt::print("{}\n{}\n", heading(), task());
        if (step().kind != Kind::chapter)
            fmt::print("{}\n", said("  then     {}", fmt::format("./lab {}", fmt::join(command(), " "))));
        fmt::print("{}\n", said("  go on    ./lab learn --next"));
    }

    void run() {
        sigset_t signals;
        sigemptyset(&signals);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP})
            sigaddset(&signals, signal);
        sigprocmask(SIG_BLOCK, &signals, nullptr);
        const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
        look_at_file();
        show();
        while (const char key = next_key(signal_fd))
            act(key);
        close(signal_fd);
        fmt::print("\n");
    }

  private:
    const Step& step() const { return steps_[at_]; }
    std::string_view lab() const { return lab_of(step().lab->name); }
    fs::path file() const { return working_file(context_.paths, step().lab->name); }
    fs::path chapter() const {
        const fs::path docs = context_.paths.root / "docs";
        return (language().empty() ? docs : docs / language()) / "walkthrough" / (std::string(lab()) + ".md");
    }

    void go(int on) {
        at_ = size_t(std::clamp<int64_t>(int64_t(at_) + on, 0, int64_t(steps_.size()) - 1));
        bookmark_.at = step().id();
        bookmark_.save();
    }

    /// What the user does in this step.
    std::vector<std::string> command() const {
        const std::string number = number_of(step().lab->name);
        switch (step().kind) {
        case Kind::drill:
            return {"drill", number};
        case Kind::hunt:
            return {"hunt", number};
        case Kind::quiz:
            return {"quiz", number};
        default:
            return {"check", number};
        }
    }

    std::string title() const {
        switch (step().kind) {
        case Kind::chapter:
            return said("chapter");
        case Kind::quiz:
            return said("questions");
        case Kind::lab:
            return said("the lab");
        default:
            return fmt::format("{} {}: {}", said(step().kind == Kind::drill ? "drill" : "hunt"),
                               number_of(step().lab->name), task_of(context_.paths, *step().lab, language()).title);
        }
    }

    /// "05 How many groups may stay pending", and a line with a mark for each step of the lab.
    std::string heading() const {
        const Progress progress(context_.paths);
        const check::ListedLab& whole = find_whole_lab(lab());
        std::string marks, last;
        for (const Step& one : steps_) {
            if (lab_of(one.lab->name) != lab())
                continue;
            const char* name = one.kind == Kind::chapter ? "chapter"
                               : one.kind == Kind::drill ? "drills"
                               : one.kind == Kind::lab   ? "the lab"
                               : one.kind == Kind::quiz  ? "questions"
                                                         : "hunts";
            if (last != name)
                marks += fmt::format("{}{}", marks.empty() ? "" : "   ", said(name));
            last = name;
            marks += &one == &step() ? " ●" : is_done(one, bookmark_, progress) ? " ✓" : " ○";
        }
        return fmt::format("{} {}   {}\n{}\n\n{}", number_of(whole.name), said(std::string(whole.lab->title)),
                           said("step {} of {}", at_ + 1, steps_.size()), marks, title());
    }

    std::string task() const {
        switch (step().kind) {
        case Kind::chapter:
            return said("  read     {}", shown(chapter()));
        case Kind::quiz:
            return said("  Predict what the device does.");
        case Kind::lab:
            return said("  read     {}", shown(context_.paths.lab(lab()) / page_of_lab())) + "\n" +
                   said("  edit     {}", shown(file()));
        default:
            return rendered(task_of(context_.paths, *step().lab, language()).text, "  ", context_.width) +
                   said("  edit     {}", shown(file()));
        }
    }

    void show() const {
        fmt::print("\033[2J\033[H{}\n\n{}\n", heading(), task());
        show_keys();
    }

    void show_keys() const {
        const char* doing = step().kind == Kind::chapter ? "Enter read"
                            : step().kind == Kind::quiz  ? "Enter answer"
                                                         : "Enter check, e edit, h hint";
        fmt::print("\n{}   {}\n", said(doing), said("o chapter, n next, p back, q quit"));
        std::fflush(stdout);
    }

    void look_at_file() {
        if (step().has_file())
            file_saved_.look_at(file());
    }

    /// Waits for a key; a saved file is like the one that checks. 0: it is over.
    char next_key(int signal_fd) {
        const Keys keys; // a program in the foreground has the terminal as it was
        for (;;) {
            pollfd ready[] = {
                {0, POLLIN, 0}, {signal_fd, POLLIN, 0}, {step().has_file() ? file_saved_.descriptor() : -1, POLLIN, 0}};
            if (poll(ready, 3, -1) < 0)
                continue;
            if (ready[1].revents) {
                signalfd_siginfo signal{};
                if (read(signal_fd, &signal, sizeof signal) == sizeof signal)
                    context_.exit_code = signal.ssi_signo == SIGINT ? 0 : 128 + int(signal.ssi_signo);
                return 0;
            }
            if (ready[2].revents && file_saved_.saved())
                return 'c';
            char pressed = 0;
            if (ready[0].revents && (read(0, &pressed, 1) != 1 || pressed == 'q' || pressed == 4)) // Ctrl-D
                return 0;
            if (pressed)
                return pressed;
        }
    }

    void act(char key) {
        switch (key) {
        case 'c':
        case '\n':
        case ' ':
            do_it();
            break;
        case 'e':
            if (step().has_file())
                edit();
            break;
        case 'h':
            in_foreground({"lab-runner", "hint", std::string(number_of(step().lab->name)).substr(0, 2)}, true);
            show_keys();
            break;
        case 'o':
            read_chapter();
            show();
            break;
        case 'n':
            move(1);
            break;
        case 'p':
            move(-1);
            break;
        }
    }

    void do_it() {
        if (step().kind == Kind::chapter) {
            read_chapter();
            done();
            return show();
        }
        fmt::print("\033[2J\033[H{}\n\n", heading());
        std::vector<std::string> words = command();
        words.insert(words.begin(), "lab-runner");
        const int code = in_foreground(words, true);
        if (step().has_file()) // what was saved meanwhile has been checked
            file_saved_.saved();
        if (code == 0 && step().kind == Kind::quiz)
            done();
        if (code == 0)
            fmt::print("\n{}\n", at_ + 1 < steps_.size() ? said("Done: n goes on.") : said("That was the last step."));
        show_keys();
    }

    void done() {
        bookmark_.done.insert(step().id());
        bookmark_.save();
    }

    void move(int on) {
        go(on);
        look_at_file();
        show();
        if (on > 0 && step().has_file() && step().kind != Kind::hunt && editor())
            edit();
    }

    static const char* editor() {
        for (const char* variable : {"VISUAL", "EDITOR"})
            if (const char* value = std::getenv(variable); value && *value)
                return value;
        return nullptr;
    }

    // Its value may have arguments, as in "code --wait".
    void edit() const {
        if (!editor())
            fmt::print("{}\n", said("Set EDITOR to have the file opened: {}", shown(file())));
        else if (in_foreground({"sh", "-c", std::string(editor()) + " \"$1\"", "sh", file().string()}, false) == 127)
            fmt::print("{}\n", said("there is no program {} in PATH", editor()));
        show_keys();
    }

    void read_chapter() const {
        const char* pager = std::getenv("PAGER");
        const std::string words = pager && *pager ? pager : "less";
        if (in_foreground({"sh", "-c", words + " \"$1\"", "sh", chapter().string()}, false) == 127)
            fmt::print("{}\n", said("  read     {}", shown(chapter())));
    }

    Context& context_;
    std::vector<Step> steps_;
    Bookmark bookmark_;
    SavedFile file_saved_;
    size_t at_ = 0;
};

void add(CLI::App& command, Context& context) {
    auto name = std::make_shared<std::string>();
    auto next = std::make_shared<bool>(), back = std::make_shared<bool>();
    command.add_option("LAB", *name,
                       "Where to begin: a lab (05), a drill (05.2) or a hunt (05.h1); by default, where you were");
    command.add_flag("--next", *next, "Without a terminal: go on to the next step");
    command.add_flag("--back", *back, "Without a terminal: go back to the step before");
    command.callback([&context, name, next, back] {
        Learn learn(context, *name);
        if (isatty(0) && isatty(1) && !*next && !*back)
            learn.run();
        else
            learn.tell(int(*next) - int(*back));
    });
}

} // namespace

LAB_COMMAND = {
    .name = "learn",
    .help = "One screen for all of it: chapter, drills, lab, questions, hunts, one after the other",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::learn_command
