#include <csignal>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "runner/command.h"
#include "runner/keys.h"
#include "runner/names.h"
#include "runner/progress.h"
#include "runner/saved_file.h"

namespace runner::watch_command {

using base::Problem, base::shown;
namespace {

/// One `lab-runner COMMAND LAB …` at a time, in a process group that can be ended as a whole.
class Program {
  public:
    ~Program() { stop(); }
    bool running() const { return child_ > 0; }
    void start(const std::vector<std::string>& arguments) {
        stop();
        std::fflush(stdout);
        child_ = fork();
        if (child_ != 0)
            return;
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        if (!std::freopen("/dev/null", "r", stdin))
            _exit(127);
        std::vector<const char*> argv{"lab-runner"};
        for (const auto& argument : arguments)
            argv.push_back(argument.c_str());
        argv.push_back(nullptr);
        execv("/proc/self/exe", const_cast<char* const*>(argv.data()));
        _exit(127);
    }
    void stop() {
        if (!running())
            return;
        setpgid(child_, child_); // it may not have come to it
        kill(-child_, SIGTERM);
        for (int i = 0; i < 200 && running(); ++i) {
            usleep(1000);
            reap();
        }
        if (running()) {
            kill(-child_, SIGKILL);
            waitpid(child_, nullptr, 0);
            child_ = 0;
        }
    }
    /// The exit status, once it has ended.
    std::optional<int> reap() {
        int status = 0;
        if (!running() || waitpid(child_, &status, WNOHANG) != child_)
            return {};
        child_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

  private:
    pid_t child_ = 0;
};

class Watch {
  public:
    Watch(Context& context, const check::ListedLab* lab, std::string file, std::string format)
        : context_(context), lab_(lab), file_(std::move(file)), format_(std::move(format)) {}

    void run() {
        sigset_t signals;
        sigemptyset(&signals);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD})
            sigaddset(&signals, signal);
        sigprocmask(SIG_BLOCK, &signals, nullptr);
        const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
        const Keys keys;
        look_at(lab_);
        check();
        for (bool on = true; on;) {
            pollfd ready[] = {
                {file_saved_.descriptor(), POLLIN, 0}, {signal_fd, POLLIN, 0}, {keys.there() ? 0 : -1, POLLIN, 0}};
            if (poll(ready, 3, -1) < 0)
                continue;
            if (ready[0].revents && file_saved_.saved())
                check();
            if (ready[1].revents)
                on = signalled(signal_fd);
            if (ready[2].revents)
                on = on && key();
        }
        close(signal_fd);
        sigprocmask(SIG_UNBLOCK, &signals, nullptr);
    }

  private:
    fs::path source() const { return file_.empty() ? context_.paths.source(lab_->name) : fs::path(file_); }

    // Behind a drill or hunt, the next one that is open, and at last the lab itself; behind a lab, the next one.
    const check::ListedLab* behind() const {
        if (lab_->is_exercise()) {
            const Progress progress(context_.paths);
            const std::string_view lab = lab_of(lab_->name);
            const bool drill = lab_->name.find("/drills/") != lab_->name.npos;
            if (const auto* next = next_exercise(progress, exercises_of(lab, drill ? "drills" : "hunts"), lab_->name))
                return next;
            return &find_whole_lab(lab);
        }
        const auto& labs = check::labs();
        const auto here = std::ranges::find(labs, lab_->name, &check::ListedLab::name);
        return here + 1 == labs.end() ? nullptr : &*(here + 1);
    }

    void look_at(const check::ListedLab* lab) {
        lab_ = lab;
        file_saved_.look_at(source());
    }

    void check() {
        if (isatty(1))
            fmt::print("\033[2J\033[H");
        fmt::print("{}: checking …\n", lab_->name);
        std::vector<std::string> arguments{"check", number_of(lab_->name)};
        if (!file_.empty())
            arguments.insert(arguments.end(), {"--file", file_});
        if (!format_.empty())
            arguments.insert(arguments.end(), {"--format", format_});
        command_.start(arguments);
        checking_ = true;
    }

    void run_command(const std::string& what) {
        checking_ = false;
        std::vector<std::string> arguments{what, number_of(lab_->name)};
        if (what == "trace" && !file_.empty())
            arguments.insert(arguments.end(), {"--file", file_});
        command_.start(arguments);
    }

    bool signalled(int fd) {
        signalfd_siginfo signal{};
        if (read(fd, &signal, sizeof signal) != sizeof signal)
            return true;
        if (signal.ssi_signo != SIGCHLD) {
            command_.stop();
            context_.exit_code = 128 + int(signal.ssi_signo);
            return false;
        }
        const auto ended = command_.reap();
        if (ended && (checking_ || isatty(1)))
            fmt::print("\nwatching {}{}\n", shown(source()),
                       isatty(0) ? "   h hint, t timeline, n next, l list, c check again, q quit" : "");
        if (ended == 0 && checking_ && lab_->is_exercise() && file_.empty())
            pass_on();
        std::fflush(stdout);
        return true;
    }

    bool key() {
        char pressed = 0;
        if (read(0, &pressed, 1) != 1)
            return false;
        switch (pressed) {
        case 'h':
            run_command("hint");
            break;
        case 't':
            run_command("trace");
            break;
        case 'l':
            checking_ = false;
            command_.start({"list"});
            break;
        case 'n':
            next();
            break;
        case 'c':
        case '\n':
        case ' ':
            check();
            break;
        case 'q':
        case 4: // Ctrl-D
            command_.stop();
            return false;
        }
        return true;
    }

    // An exercise that passes is behind the learner: at a terminal after a key, so that the report can be read.
    void pass_on() {
        if (isatty(0))
            fmt::print("{} passes. n goes on to {}.\n", number_of(lab_->name), number_of(behind()->name));
        else
            next();
    }

    void next() {
        const auto* following = behind();
        if (!file_.empty() || !following) {
            fmt::print("{}\n", file_.empty() ? "That was the last lab." : "There is no next lab for --file.");
            return;
        }
        look_at(following);
        check();
        if (lab_->is_exercise())
            fmt::print("edit {}\n", shown(source()));
        else
            fmt::print("read {}\n", shown(context_.paths.lab(lab_->name) / "README.md"));
        std::fflush(stdout);
    }

    Context& context_;
    const check::ListedLab* lab_;
    std::string file_, format_;
    Program command_;
    SavedFile file_saved_;
    bool checking_ = false;
};

const check::ListedLab& lab_to_watch(const Context& context) {
    const auto* lab = next_lab(Progress(context.paths));
    return lab ? *lab : check::labs().back();
}

void add(CLI::App& command, Context& context) {
    auto name = std::make_shared<std::string>(), file = std::make_shared<std::string>(),
         format = std::make_shared<std::string>();
    command.add_option("LAB", *name, which_lab_or_next);
    command.add_option("--file", *file, "Another file instead of labs/…/kernel.cu")->type_name("PATH");
    command
        .add_option("--format", *format,
                    "gcc: places as compilers print them, so that an editor can mark them (docs/editor.md)")
        ->check(CLI::IsMember({"text", "gcc"}));
    command.callback([&context, name, file, format] {
        if (!file->empty() && name->empty())
            throw Problem{"--file needs the lab that the file is for", "./lab watch 03 --file " + *file};
        if (!file->empty() && !fs::is_regular_file(*file))
            throw Problem{"there is no file " + *file, "check the path after --file"};
        if (file->empty())
            *file = other_file(context.paths, *name);
        if (!file->empty())
            *file = fs::canonical(*file); // now: editors that keep a backup take it away for a moment
        Watch(context, name->empty() ? &lab_to_watch(context) : &find_lab(*name), *file, *format).run();
    });
}

} // namespace

LAB_COMMAND = {
    .name = "watch",
    .help = "Check a lab again each time you save its kernel.cu",
    .add = add,
    .completion = Completion::labs,
};

} // namespace runner::watch_command
