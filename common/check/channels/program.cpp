#include "check/channels/program.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "check/verdict.h"
#include "sim/cuda/device/shared_memory.h"

namespace check {
namespace {

const char* describe_code(char code) {
    switch (code) {
    case 'p':
        return "a pointer";
    case 'i':
        return "a 4-byte integer";
    case 'l':
        return "an 8-byte integer";
    case 'f':
        return "a float";
    case 'd':
        return "a double";
    case '1':
        return "a 1-byte integer";
    case '2':
        return "a 2-byte integer";
    default:
        return "something else";
    }
}

} // namespace

void check_device(DeviceServer& server, bool hazards) {
    const auto [errors, lost] = server.condition();
    if (hazards && errors)
        throw Failed{Verdict::hazard, {}};
    using enum sim::machine::Fault;
    if (lost.fault == not_implemented)
        throw Failed{Verdict::not_supported, lost.message};
    if (lost.fault == runaway)
        throw Failed{Verdict::timeout, lost.message, true};
    if (lost.fault == deadlock)
        throw Failed{Verdict::hazard, lost.message};
    if (lost.fault != none)
        throw Failed{Verdict::cuda_error, lost.message};
}

Program::Program(const RunConfig& config, process::Spawn spawn, DeviceServer* server)
    : spawn_(std::move(spawn)), ptx_(config.ptx.empty() ? std::string() : base::read_file(config.ptx)),
      timeout_(config.timeout), deadline_(std::chrono::steady_clock::now() + config.timeout), server_(server) {
    waited_before_ = kept_waiting();
    spawn_.arguments = config.under;
    spawn_.arguments.push_back(config.program.string());
    if (!ptx_.empty())
        spawn_.environment["ASYNCLAB_PTX"] = "device"; // so the program need not unpack its own
    spawn_.environment.insert(config.environment.begin(), config.environment.end());
}

Program::~Program() {
    kill(); // closes the program's end, which ends the server's thread
    if (control_ >= 0)
        close(control_);
}

void Program::kill() {
    if (process_)
        process_->kill();
}

void Program::start() {
    int device[2], control[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, device) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0)
        throw Failed{Verdict::internal, fmt::format("no socket for the program: {}", std::strerror(errno))};
    spawn_.environment["ASYNCLAB_CHECKER"] = "fd:4";
    spawn_.descriptors = {{3, device[1]}, {4, control[1]}};
    process_.emplace(spawn_);
    close(device[1]);
    close(control[1]);
    control_ = control[0];
    if (server_) {
        shared_fd_ = server_->shared_memory();
        server_->start(device[0], std::move(ptx_));
    } else {
        close(device[0]);
    }
    signature_ = receive(nullptr).text;
}

void Program::hear_out() {
    const int patience = server_ ? 2'500 : 20'000; // a tool has yet to say what it has seen
    for (int i = 0; i < patience / 5 && process_->output_fd() >= 0 && !process_->ended(); ++i) {
        pollfd waiting{process_->output_fd(), POLLIN, 0};
        poll(&waiting, 1, 5);
        process_->drain();
    }
    process_->drain();
}

void Program::gone() {
    if (!server_)
        hear_out();
    for (int i = 0; i < 200 && !process_->ended(); ++i)
        usleep(1000);
    process_->drain();
    if (!process_->ended())
        throw Failed{Verdict::crash, "the program no longer answers the checker"};
    if (server_)
        check_device(*server_); // a fault of the device may be why it left
    const int status = process_->status();
    if (WIFEXITED(status))
        throw Failed{
            WEXITSTATUS(status) == sim::cuda::exit_not_supported ? Verdict::not_supported : Verdict::crash,
            fmt::format("the program left with {} before the checker was done", process::describe_status(status))};
    throw Failed{Verdict::crash,
                 fmt::format("the program died: {}{}", process::describe_status(status),
                             WTERMSIG(status) == SIGSEGV ? " in host code. Does the host touch device memory?" : "")};
}

void Program::out_of_time() {
    const auto limit = std::chrono::duration<double>(timeout_).count();
    if (!server_ || !server_->busy())
        throw Failed{Verdict::timeout,
                     fmt::format("host code was still running after {:g} s: does one of its loops not end?", limit)};
    if (server_->interrupt(std::chrono::seconds(2)))
        check_device(*server_);
    throw Failed{Verdict::timeout,
                 fmt::format("a kernel was still running after {:g} s: does one of its loops not end?", limit), true};
}

std::chrono::nanoseconds Program::kept_waiting() const {
    auto sum = process::kept_waiting(getpid(), true);
    if (server_)
        sum += server_->kept_waiting();
    if (process_)
        sum += process::kept_waiting(process_->id(), true);
    return sum;
}

// A machine on which others take the processors is no fault of this program.
std::chrono::milliseconds Program::time_left() const {
    using namespace std::chrono;
    const auto left = duration_cast<milliseconds>(deadline_ - steady_clock::now());
    if (left.count() > 0)
        return left;
    const auto waited = duration_cast<milliseconds>(kept_waiting() - waited_before_);
    return left + std::min(waited, longest_delay * timeout_);
}

void Program::wait_for_answer() {
    for (;;) {
        pollfd waiting[] = {{control_, POLLIN, 0}, {process_->output_fd(), POLLIN, 0}};
        const auto left = time_left();
        if (left.count() <= 0)
            out_of_time();
        poll(waiting, 2, static_cast<int>(std::min<int64_t>(left.count(), 50)));
        if (server_)
            server_->check_alive();
        // Pages that host and device share count for neither of them.
        if (shared_fd_ >= 0 && sim::cuda::SharedMemory::used(shared_fd_) > most_pinned_bytes)
            throw Failed{Verdict::crash, "the program takes more than 2 GiB of pinned memory"};
        if (waiting[1].revents && !process_->drain())
            throw Failed{Verdict::crash, "the program prints without end"};
        if (waiting[0].revents)
            return;
    }
}

wire::Reply Program::receive(std::vector<std::byte>* answer) {
    wait_for_answer();
    static std::byte data[wire::max_data];
    wire::Reply reply;
    iovec parts[] = {{&reply, sizeof reply}, {data, sizeof data}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t got = recvmsg(control_, &message, 0);
    if (got < static_cast<ssize_t>(sizeof reply))
        gone();
    if (reply.magic != wire::Reply{}.magic)
        throw Failed{Verdict::crash, "the program's main function is not the checker's"};
    reply.text[sizeof reply.text - 1] = '\0';
    if (answer)
        answer->assign(data, data + (static_cast<size_t>(got) - sizeof reply));
    return reply;
}

wire::Reply Program::ask(const wire::Request& request, std::span<const std::byte> data,
                         std::vector<std::byte>* answer) {
    if (!process_)
        start();
    iovec parts[] = {{const_cast<wire::Request*>(&request), sizeof request},
                     {const_cast<std::byte*>(data.data()), data.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    if (sendmsg(control_, &message, MSG_NOSIGNAL) < 0)
        gone();
    return receive(answer);
}

void Program::check_signature(const std::vector<detail::Slot>& slots) {
    if (!process_)
        start();
    std::string expected, actual;
    for (const auto& slot : slots)
        expected += slot.code;
    for (const char code : signature_)
        if (code != 's')
            actual += code;
    if (actual.size() != expected.size())
        throw Failed{Verdict::wrong, fmt::format("the launch function takes {} arguments besides the stream, the lab "
                                                 "passes {}: its parameters must stay as they were",
                                                 actual.size(), expected.size())};
    for (size_t i = 0; i < expected.size(); ++i)
        if (actual[i] != expected[i])
            throw Failed{Verdict::wrong,
                         fmt::format("parameter {} of the launch function is {}, the lab passes {}: its parameters "
                                     "must stay as they were",
                                     i + 1, describe_code(actual[i]), describe_code(expected[i]))};
    open_stream(0);
}

void Program::open_stream(uint32_t stream) {
    if (stream < streams_.size() || signature_.find('s') == std::string::npos)
        return;
    const wire::Reply reply = ask({.ask = wire::Ask::open_stream, .stream = stream});
    if (reply.code)
        throw Failed{Verdict::cuda_error, fmt::format("the checker cannot make a stream: {}", reply.text)};
    streams_.push_back(server_ ? server_->newest_stream() : 0);
}

wire::Reply Program::launch(const std::vector<detail::Slot>& slots, uint32_t stream) {
    open_stream(stream);
    wire::Request request{.ask = wire::Ask::call, .slot_count = static_cast<uint32_t>(slots.size()), .stream = stream};
    for (size_t i = 0; i < slots.size(); ++i)
        request.slots[i] = slots[i].bits;
    return ask(request);
}

wire::Reply Program::synchronise() {
    return ask({.ask = wire::Ask::synchronise});
}

uint64_t Program::allocate(wire::Ask kind, size_t bytes) {
    const wire::Reply reply = ask({.ask = kind, .slot_count = 1, .slots = {bytes}});
    return reply.code ? 0 : reply.value;
}

std::vector<std::byte> Program::read(uint64_t address, size_t bytes) {
    std::vector<std::byte> contents;
    while (contents.size() < bytes) {
        const size_t size = std::min<size_t>(bytes - contents.size(), wire::max_data);
        std::vector<std::byte> piece;
        ask({.ask = wire::Ask::read, .slot_count = 2, .slots = {address + contents.size(), size}}, {}, &piece);
        if (piece.size() != size)
            throw Failed{Verdict::crash, "the program's main function is not the checker's"};
        contents.insert(contents.end(), piece.begin(), piece.end());
    }
    return contents;
}

void Program::write(wire::Ask how, uint64_t address, std::span<const std::byte> contents) {
    for (size_t done = 0; done < contents.size();) {
        const size_t size = std::min<size_t>(contents.size() - done, wire::max_data);
        const wire::Reply reply =
            ask({.ask = how, .slot_count = 2, .slots = {address + done, size}}, contents.subspan(done, size));
        if (reply.code)
            throw Failed{Verdict::cuda_error, fmt::format("writing the input: {}", reply.text)};
        done += size;
    }
}

bool Program::leave() {
    if (!process_)
        return false;
    ask({.ask = wire::Ask::leave});
    hear_out();
    return true;
}

std::string Program::output() {
    if (!process_)
        return {};
    process_->drain();
    return process_->output();
}

} // namespace check
