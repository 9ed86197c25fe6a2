#include "check/session.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/findings.h"

namespace check {
namespace {

constexpr int64_t most_pinned_bytes = int64_t{2} << 30;

Session* the_session = nullptr;

sim::machine::Options device_options(const RunConfig& config) {
    sim::machine::Options options;
    options.properties.sm = static_cast<uint32_t>(config.target.sm);
    options.properties.sm_count = config.sms;
    options.properties.total_memory = uint64_t{1} << 30; // plenty for a lab, and the checker survives who takes it all
    options.schedule = config.schedule;
    options.max_instructions = config.max_instructions;
    options.listener = config.listener;
    return options;
}

// A real GPU if that is wanted; `gpu` is set to it.
Server::Open opener(const RunConfig& config, gpu::GpuDevice*& gpu) {
    return [&config, &gpu](std::atomic<bool>* interrupt) {
        auto device = gpu::open({config.sms, config.blocks_per_sm, interrupt});
        gpu = device.get();
        return device;
    };
}

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

Session::Session(const RunConfig& config, const Recording* repeated)
    : config_(config), random_(config.data_seed), repeats_(repeated),
      other_values_(repeated ? repeated->hash(config.data_seed) : 0),
      server_(config.gpu
                  ? Server(opener(config, gpu_))
                  : Server(device_options(config), config.repeat ? Server::Keep::all : Server::Keep::copies, repeated)),
      deadline_(std::chrono::steady_clock::now() + config.timeout) {
    the_session = this;
}

Session::~Session() {
    if (process_)
        process_->kill(); // closes the program's end, which ends the server's thread
    if (control_ >= 0)
        close(control_);
    the_session = nullptr;
}

Session& Session::current() {
    if (!the_session)
        throw Failed{Verdict::internal, "check.cpp used the device outside of a case"};
    return *the_session;
}

void Session::start() {
    int device[2], control[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, device) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0)
        throw Failed{Verdict::internal, fmt::format("no socket for the program: {}", std::strerror(errno))};
    Spawn spawn;
    spawn.arguments = config_.under;
    spawn.arguments.push_back(config_.program.string());
    spawn.environment = config_.environment;
    spawn.environment["ASYNCLAB_DEVICE"] = config_.gpu ? "gpu:3" : "fd:3";
    spawn.environment["ASYNCLAB_CHECKER"] = "fd:4";
    spawn.descriptors = {{3, device[1]}, {4, control[1]}};
    if (alone()) { // NVIDIA's runtime and tools need more room than a lab's program
        spawn.environment["ASYNCLAB_SMS"] = std::to_string(config_.sms);
        spawn.limits.kept_bytes = spawn.limits.output_bytes;
    } else {
        spawn.limits.data_bytes = uint64_t{4} << 30;
        spawn.limits.file_bytes = 64 << 20;
        spawn.limits.more_processes = 64;
        spawn.limits.output_bytes = 16 << 20;
        spawn.limits.kept_bytes = 16 << 10;
        spawn.box = config_.box;
        if (config_.box.own_environment)
            spawn.directory = "/";
        if (spawn.box->user)
            spawn.box->user = isolation::throwaway_user(); // of this worker alone
    }
    process_.emplace(spawn);
    close(device[1]);
    close(control[1]);
    control_ = control[0];
    shared_fd_ = server_.lock().device.shared().fd();
    server_.start(device[0], config_.ptx);
    signature_ = receive(nullptr).text;
}

void Session::hear_out() {
    const int patience = alone() ? 20'000 : 2'500; // what it runs under has yet to say what it has seen
    for (int i = 0; i < patience / 5 && process_->output_fd() >= 0 && !process_->ended(); ++i) {
        pollfd waiting{process_->output_fd(), POLLIN, 0};
        poll(&waiting, 1, 5);
        process_->drain();
    }
    process_->drain();
}

void Session::program_gone() {
    if (alone())
        hear_out();
    for (int i = 0; i < 200 && !process_->ended(); ++i)
        usleep(1000);
    process_->drain();
    if (!process_->ended())
        throw Failed{Verdict::crash, "the program no longer answers the checker"};
    check_device(); // a fault of the device may be why it left
    const int status = process_->status();
    if (WIFEXITED(status))
        throw Failed{WEXITSTATUS(status) == sim::cuda::exit_not_supported ? Verdict::not_supported : Verdict::crash,
                     fmt::format("the program left with {} before the checker was done", describe_status(status))};
    throw Failed{Verdict::crash,
                 fmt::format("the program died: {}{}", describe_status(status),
                             WTERMSIG(status) == SIGSEGV ? " in host code. Does the host touch device memory?" : "")};
}

wire::Reply Session::receive(std::vector<std::byte>* answer) {
    for (;;) {
        pollfd waiting[] = {{control_, POLLIN, 0}, {process_->output_fd(), POLLIN, 0}};
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            const auto limit = std::chrono::duration<double>(config_.timeout).count();
            if (!server_.busy())
                throw Failed{
                    Verdict::timeout,
                    fmt::format("host code was still running after {:g} s: does one of its loops not end?", limit)};
            if (server_.interrupt(std::chrono::seconds(2)))
                check_device();
            throw Failed{Verdict::timeout,
                         fmt::format("a kernel was still running after {:g} s: does one of its loops not end?", limit)};
        }
        poll(waiting, 2, static_cast<int>(std::min<int64_t>(left.count(), 50)));
        // Pages that host and device share count for neither of them.
        struct stat shared {};
        if (fstat(shared_fd_, &shared) == 0 && shared.st_blocks > most_pinned_bytes / 512)
            throw Failed{Verdict::crash, "the program takes more than 2 GiB of pinned memory"};
        if (waiting[1].revents && !process_->drain())
            throw Failed{Verdict::crash, "the program prints without end"};
        if (waiting[0].revents)
            break;
    }
    static std::byte data[wire::max_data];
    wire::Reply reply;
    iovec parts[] = {{&reply, sizeof reply}, {data, sizeof data}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t got = recvmsg(control_, &message, 0);
    if (got < static_cast<ssize_t>(sizeof reply))
        program_gone();
    if (reply.magic != wire::Reply{}.magic)
        throw Failed{Verdict::crash, "the program's main function is not the checker's"};
    reply.text[sizeof reply.text - 1] = '\0';
    if (answer)
        answer->assign(data, data + (static_cast<size_t>(got) - sizeof reply));
    return reply;
}

wire::Reply Session::ask(const wire::Request& request, std::span<const std::byte> data,
                         std::vector<std::byte>* answer) {
    if (!process_)
        start();
    iovec parts[] = {{const_cast<wire::Request*>(&request), sizeof request},
                     {const_cast<std::byte*>(data.data()), data.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    if (sendmsg(control_, &message, MSG_NOSIGNAL) < 0)
        program_gone();
    return receive(answer);
}

void Session::check_signature(const std::vector<detail::Slot>& slots) const {
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
}

wire::Request Session::call_request(const std::vector<detail::Slot>& slots) {
    call_ = "launch(";
    for (const auto& slot : slots)
        call_ += (&slot == &slots[0] ? "" : ", ") + slot.text;
    call_ += ")";
    if (slots.size() > wire::max_slots)
        throw Failed{Verdict::internal, "check::call has too many arguments"};
    if (!repeats_ && !process_)
        start();
    if (!repeats_)
        check_signature(slots);
    wire::Request request{wire::Ask::call, static_cast<uint32_t>(slots.size()), {}};
    for (size_t i = 0; i < slots.size(); ++i)
        request.slots[i] = slots[i].bits;
    return request;
}

void Session::call(const std::vector<detail::Slot>& slots) {
    const wire::Request request = call_request(slots);
    if (config_.calls)
        config_.calls(call_);
    {
        auto device = server_.step();
        device.trace = {};
        if (device.gpu)
            device.trace.began = device.gpu->next_operation();
        device.device.call_begins();
    }
    wire::Reply launched, done;
    if (!repeats_)
        launched = ask(request);
    {
        auto device = server_.step();
        trace_ = device.trace; // the checker's own synchronising is no operation of the student's
    }
    if (!repeats_)
        done = ask({wire::Ask::synchronise, 0, {}});
    lost_ = alone() && done.code;
    {
        auto device = server_.step();
        device.device.drain();
        trace_.launches = device.trace.launches;
        trace_.statistics = device.trace.statistics;
        trace_.uploaded = device.trace.uploaded;
        trace_.downloaded = device.trace.downloaded;
    }
    check_device();
    if (launched.code)
        throw Failed{Verdict::cuda_error,
                     fmt::format("the launch function returned {} ({})", launched.text, launched.code)};
    if (done.code)
        throw Failed{Verdict::cuda_error,
                     fmt::format("cudaDeviceSynchronize() returned {} ({})", done.text, done.code)};
}

// Errors that the device has found; the most telling first.
void Session::check_device() {
    auto device = server_.lock();
    if (device.gpu && device.gpu->reporter().errors())
        throw Failed{Verdict::hazard, {}};
    const auto& lost = device.trace.lost;
    using enum sim::machine::Fault;
    if (lost.fault == not_implemented)
        throw Failed{Verdict::not_supported, lost.message};
    if (lost.fault == runaway)
        throw Failed{Verdict::timeout, lost.message};
    if (lost.fault == deadlock)
        throw Failed{Verdict::hazard, lost.message};
    if (lost.fault != none)
        throw Failed{Verdict::cuda_error, lost.message};
}

uint64_t Session::allocate(Place place, size_t bytes) {
    if (lost_)
        throw Failed{Verdict::cuda_error, "the GPU was lost in an earlier case"};
    bytes = std::max<size_t>(bytes, 1);
    uint64_t address = 0;
    if (place == Place::device && !alone()) {
        address = server_.step().device.allocate(bytes);
    } else {
        uses_host_memory_ = true;
        wire::Request request{place == Place::device   ? wire::Ask::allocate_device
                              : place == Place::pinned ? wire::Ask::allocate_pinned
                                                       : wire::Ask::allocate_pageable,
                              1,
                              {}};
        request.slots[0] = bytes;
        const wire::Reply reply = ask(request);
        address = reply.code ? 0 : reply.value;
    }
    if (!address)
        throw Failed{Verdict::internal, fmt::format("no memory for a buffer of {} bytes", bytes)};
    return address;
}

std::vector<std::byte> Session::read(Place place, uint64_t address, size_t bytes) {
    std::vector<std::byte> contents;
    if (alone())
        return std::vector<std::byte>(bytes);
    if (place == Place::device)
        return server_.lock().device.read(address, bytes);
    while (contents.size() < bytes) {
        wire::Request request{wire::Ask::read, 2, {}};
        request.slots[0] = address + contents.size();
        request.slots[1] = std::min<size_t>(bytes - contents.size(), wire::max_data);
        std::vector<std::byte> piece;
        ask(request, {}, &piece);
        if (piece.size() != request.slots[1])
            throw Failed{Verdict::crash, "the program's main function is not the checker's"};
        contents.insert(contents.end(), piece.begin(), piece.end());
    }
    return contents;
}

void Session::write(Place place, uint64_t address, std::span<const std::byte> contents) {
    if (place == Place::device && !alone())
        return server_.step().device.write(address, contents);
    for (size_t done = 0; done < contents.size();) {
        wire::Request request{place == Place::device ? wire::Ask::upload : wire::Ask::write, 2, {}};
        request.slots[0] = address + done;
        request.slots[1] = std::min<size_t>(contents.size() - done, wire::max_data);
        const wire::Reply reply = ask(request, contents.subspan(done, request.slots[1]));
        if (reply.code)
            throw Failed{Verdict::cuda_error, fmt::format("writing the input: {}", reply.text)};
        done += request.slots[1];
    }
}

bool Session::written_by_kernel(uint64_t address, size_t bytes) {
    return bytes == 0 || alone() || server_.lock().device.written_by_kernel(address, bytes);
}

void Session::finish() {
    if (repeats_) {
        if (!server_.repeat_the_rest())
            throw Failed{Verdict::internal, "check.cpp does not do the same with other random values"};
        return check_device();
    }
    if (!process_)
        return;
    ask({wire::Ask::leave, 0, {}});
    hear_out();
    check_device();
}

std::optional<Recording> Session::recording() {
    if (process_)
        process_->kill(); // closes the program's end, which ends the server's thread
    server_.join();
    if (uses_host_memory_)
        return {};
    return server_.take_recording();
}

bool Session::device_gone() {
    return server_.busy() || (config_.gpu && !server_.lock().trace.lost);
}

void Session::describe(RunResult& result) {
    result.call = call_;
    if (process_) {
        process_->drain();
        result.output = process_->output();
    }
    if (!server_.busy() && !config_.gpu)
        result.findings = to_json(server_.lock().gpu->reporter());
    result.measured = measured_;
}

} // namespace check
