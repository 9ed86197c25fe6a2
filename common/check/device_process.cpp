#include "check/device_process.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/problem.h"
#include "check/boxed/device.h"
#include "check/verdict.h"
#include "sim/cuda/wire/socket.h"

namespace check {

using message::Ask, message::Header;

namespace {

// A process that has used so much is replaced before the next run.
constexpr double stale_seconds = boxed::processor_seconds / 2.0;

process::Spawn spawn(const std::filesystem::path& program, int control, int shared) {
    process::Spawn spawn;
    spawn.arguments = {program.string()};
    if (const char* libraries = std::getenv("LD_LIBRARY_PATH"))
        spawn.environment["LD_LIBRARY_PATH"] = libraries;
    spawn.descriptors = {{boxed::control, control}, {boxed::shared, shared}};
    spawn.directory = "/";
    spawn.capture = false;
    spawn.quiet = true;
    spawn.box = {.level = isolation::Level::limits,
                 .own_environment = true}; // it locks itself in, see boxed/device.cpp
    return spawn;
}

} // namespace

DeviceProcess::DeviceProcess(std::filesystem::path program) : program_(std::move(program)) {}

DeviceProcess::~DeviceProcess() {
    end();
}

void DeviceProcess::start() {
    if (!shared_)
        shared_ = std::make_unique<sim::cuda::SharedMemory>();
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        throw Failed{Verdict::internal, fmt::format("no socket for the device: {}", std::strerror(errno))};
    process_.emplace(spawn(program_, pair[1], shared_->fd()));
    close(pair[1]);
    control_ = pair[0];
    const timeval patience{.tv_sec = 0, .tv_usec = 200'000}; // between two looks at the shared memory
    setsockopt(control_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    uint64_t bytes = 0;
    std::string refused;
    if (!receive(&bytes, sizeof bytes))
        gone();
    refused.resize(std::min<uint64_t>(bytes, message::most_greeting));
    if (!refused.empty()) {
        receive(refused.data(), refused.size());
        end();
        throw base::Problem{"the simulated device's process cannot be locked in: " + refused,
                            "the kernel must allow seccomp filters: ./lab doctor"};
    }
}

void DeviceProcess::end() {
    process_.reset();
    if (control_ >= 0)
        close(control_);
    control_ = -1;
}

void DeviceProcess::fail(const std::string& why) {
    end();
    throw Failed{Verdict::internal,
                 "the simulated device itself failed (" + why + "); this is a bug in asynclab, not in your code"};
}

void DeviceProcess::gone() {
    for (int i = 0; process_ && !process_->ended() && i < 2000; ++i)
        usleep(1000);
    const bool ended = process_ && process_->ended();
    const int status = ended ? process_->status() : 0;
    if (!ended)
        fail("it no longer answers");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != boxed::out_of_memory)
        fail(process::describe_status(status));
    end();
    gaps_ = {
        {fmt::format("to run this, the simulated device needs more than {} GiB of memory", boxed::data_bytes >> 30),
         "use less memory and fewer registers, and print less"}};
    throw Failed{Verdict::incomplete, gaps_[0].what + "\nnext: " + gaps_[0].next};
}

void DeviceProcess::check_alive() {
    pollfd state{control_, 0, 0};
    if (!process_)
        throw Failed{Verdict::internal, "the simulated device has ended"};
    if (poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR)) != 0)
        gone();
}

// An answer may take as long as the kernels before it run; the checker's own parent watches over that.
bool DeviceProcess::receive(void* to, size_t bytes) {
    for (auto* next = static_cast<char*>(to); bytes > 0;) {
        const ssize_t got = recv(control_, next, bytes, 0);
        if (got > 0) {
            next += got;
            bytes -= static_cast<size_t>(got);
        } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            check_shared_memory();
        } else if (got == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

void DeviceProcess::check_shared_memory() {
    if (sim::cuda::SharedMemory::used(shared_->fd()) <= most_pinned_bytes)
        return;
    end();
    throw Failed{Verdict::crash, "the program takes more than 2 GiB of pinned memory"};
}

DeviceProcess::Answer DeviceProcess::ask(const Header& request, std::span<const std::byte> contents, int descriptor,
                                         uint64_t most_contents) {
    if (!process_)
        throw Failed{Verdict::internal, "the simulated device has ended"};
    Header header = request;
    header.bytes = contents.size();
    if (!message::send(control_, header, contents) ||
        (descriptor >= 0 && !sim::cuda::wire::send_descriptor(control_, descriptor)))
        gone();
    if (!message::has_answer(request.ask))
        return {};
    Header said;
    if (!receive(&said, sizeof said))
        gone();
    if (said.ask != request.ask || said.bytes > (said.failed ? message::most_excuse : most_contents))
        fail("its answer makes no sense");
    Answer answer{said.numbers[0], {}, std::vector<std::byte>(said.bytes)};
    read(answer, [&](auto&) { answer.state = message::state(said.numbers[1]); });
    if (!receive(answer.contents.data(), answer.contents.size()))
        gone();
    if (!said.failed)
        return answer;
    if (said.failed > 1 + static_cast<uint32_t>(Verdict::passed))
        fail("its answer makes no sense");
    throw Failed{static_cast<Verdict>(said.failed - 1),
                 std::string(reinterpret_cast<const char*>(answer.contents.data()), answer.contents.size())};
}

void DeviceProcess::open(const message::Open& open) {
    gaps_.clear();
    if (process_ && (process_->ended() || processor_seconds() > stale_seconds))
        end();
    if (!process_)
        start();
    shared_->clear();
    const auto packed = message::pack(open);
    ask({.ask = Ask::open}, packed);
}

double DeviceProcess::processor_seconds() const {
    clockid_t clock{};
    timespec time{};
    if (!process_ || clock_getcpuclockid(process_->id(), &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

namespace {

class BoxedServer : public DeviceServer {
  public:
    BoxedServer(DeviceProcess& process, const message::Open& open) : process_(process) { process_.open(open); }
    ~BoxedServer() override {
        try {
            if (process_.alive() && state_.busy)
                process_.end(); // nothing else stops a kernel that does not listen
            else if (process_.alive())
                process_.ask({.ask = Ask::close});
        } catch (const Failed&) { // it is gone, which is as well
        }
    }

    void start(int fd, std::string ptx) override {
        try {
            ask({.ask = Ask::start}, std::as_bytes(std::span(ptx)), fd);
            close(fd);
        } catch (...) {
            close(fd);
            throw;
        }
    }
    void join() override { ask({.ask = Ask::join}); }
    Recorded take_recording() override { return {ask({.ask = Ask::take_recording}).number != 0, {}}; }
    int shared_memory() override { return process_.shared_memory(); }

    uint64_t allocate(size_t bytes) override { return ask({.ask = Ask::allocate, .numbers = {bytes, 0}}).number; }
    void write(uint64_t address, std::span<const std::byte> contents) override {
        ask({.ask = Ask::write, .numbers = {address, 0}}, contents);
    }
    void begin_call() override { ask({.ask = Ask::begin_call}); }
    void returned() override { ask({.ask = Ask::returned}); }
    Trace finish_call() override {
        Trace trace = process_.read(ask({.ask = Ask::finish_call}), message::trace);
        condition_ = {state_.errors, trace.lost};
        return trace;
    }

    std::vector<std::byte> read(uint64_t address, size_t bytes) override {
        auto answer = process_.ask({.ask = Ask::read, .numbers = {address, bytes}}, {}, -1, bytes);
        return process_.read(answer, [&](auto&) {
            return answer.contents.size() == bytes ? std::move(answer.contents) : throw message::Malformed{};
        });
    }
    bool written_by_kernel(uint64_t address, size_t bytes) override {
        return process_.ask({.ask = Ask::written_by_kernel, .numbers = {address, bytes}}).number != 0;
    }
    std::vector<bool> elements_written(uint64_t address, size_t size, size_t count) override {
        auto answer = process_.ask({.ask = Ask::elements_written, .numbers = {address, size}},
                                   std::vector<std::byte>(count), -1, count);
        return process_.read(answer, [&](auto&) {
            if (answer.contents.size() != count)
                throw message::Malformed{};
            std::vector<bool> written;
            for (const std::byte one : answer.contents)
                written.push_back(one != std::byte{});
            return written;
        });
    }
    Condition condition() override {
        if (auto known = std::exchange(condition_, {})) // of a call that has just ended
            return *known;
        return process_.read(ask({.ask = Ask::condition}), message::condition);
    }
    Judged judged() override {
        if (!process_.alive())
            return {{}, process_.gaps(), {}};
        return process_.read(ask({.ask = Ask::judged}), message::judged);
    }
    void follow(sim::provenance::Followed followed) override { ask({.ask = Ask::follow}, message::pack(followed)); }
    bool strayed() override { return ask({.ask = Ask::newest_stream}), state_.strayed; }
    bool repeat_the_rest() override { return ask({.ask = Ask::repeat_the_rest}).number != 0; }

    bool busy() override { return process_.alive() && (ask({.ask = Ask::newest_stream}), state_.busy); }
    bool told_architecture() override { return state_.told_architecture; }
    uint64_t newest_stream() override { return ask({.ask = Ask::newest_stream}).number; }
    bool interrupt(std::chrono::milliseconds patience) override {
        return ask({.ask = Ask::interrupt, .numbers = {static_cast<uint64_t>(patience.count()), 0}}).number != 0;
    }
    std::chrono::nanoseconds kept_waiting() override { return process_.kept_waiting(); }
    void check_alive() override { process_.check_alive(); }
    bool stuck() override { return false; } // it ends with its process

  private:
    DeviceProcess::Answer ask(const Header& request, std::span<const std::byte> contents = {}, int descriptor = -1) {
        condition_.reset();
        auto answer = process_.ask(request, contents, descriptor, message::most_contents);
        if (message::has_answer(request.ask))
            state_ = answer.state;
        return answer;
    }

    DeviceProcess& process_;
    message::State state_;               ///< when it last answered
    std::optional<Condition> condition_; ///< of the call that has ended, until somebody asks
};

} // namespace

std::unique_ptr<DeviceServer> boxed_server(DeviceProcess& process, const message::Open& open) {
    return std::make_unique<BoxedServer>(process, open);
}

} // namespace check
