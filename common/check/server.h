// The device behind the program under test, on a thread of its own, and a record of the program's requests.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "check/device.h"
#include "check/record.h"
#include "check/recording.h"
#include "sim/cuda/device/service.h"

namespace check {

class Server : sim::cuda::ServiceListener {
  public:
    /// How much of the program's requests to keep: nothing; the data of copies, in the trace; or everything, to repeat
    /// it.
    enum class Keep : uint8_t { nothing, copies, all };
    /// A simulated device. With `repeated`, nothing is served: the requests come from there.
    explicit Server(sim::machine::Options options, Keep keep = Keep::nothing, const Recording* repeated = nullptr);
    /// Opens another device, which abandons its work when `interrupt` is set.
    using Open = std::function<std::unique_ptr<Device>(std::atomic<bool>* interrupt)>;
    explicit Server(const Open& open);
    ~Server();

    /// Serves `fd` until the program closes it; takes the descriptor. PTX that the program loads is replaced by `ptx`
    /// unless that is empty.
    void start(int fd, std::string ptx);
    /// Waits until the program has closed its end.
    void join();
    /// The program's requests, and the steps between, with Keep::all; read it after join().
    Recording take_recording() { return std::move(recording_); }

    /// Exclusive use of the device while it lives.
    struct Lock {
        std::unique_lock<std::mutex> lock;
        Device& device;
        Trace& trace;
        sim::Device* gpu; ///< the simulated device's; nullptr on a real one
    };
    Lock lock() { return {std::unique_lock(mutex_), *device_, trace_, gpu_}; }
    /// The same, to change something on the device. When requests are repeated, those before this step come first.
    Lock step();
    /// The requests after the last step. False if there were more steps than now.
    bool repeat_the_rest();
    bool busy() const { return busy_; }
    /// Has the program asked which architecture it runs on?
    bool told_architecture() const { return told_architecture_; }
    /// The stream that the program has made most recently.
    uint64_t newest_stream() const { return newest_stream_; }
    /// Ends the running kernel and all that are launched from now on. False if the device is still busy after
    /// `patience`.
    bool interrupt(std::chrono::milliseconds patience);

  private:
    void serve();
    sim::cuda::Reply answer(sim::cuda::wire::Request& request); ///< under the lock
    sim::cuda::Reply carry_out(const sim::cuda::wire::Request& request);
    void repeat(size_t until);
    void record(const sim::cuda::Header& header, std::span<const std::byte> body);
    void reads_host(std::span<std::byte> memory, bool copy) override;
    void wrote_host(std::span<const std::byte> memory, uint64_t device) override;
    void launched(const sim::machine::Kernel&, const sim::machine::LaunchConfig&, sim::machine::OperationId,
                  const sim::machine::Statistics&) override;
    void lost(uint32_t error, const sim::machine::Outcome&) override;

    std::atomic<bool> interrupt_ = false;
    std::mutex mutex_;
    sim::Device* gpu_ = nullptr;
    std::unique_ptr<Device> device_;
    Trace trace_;
    Keep keep_ = Keep::nothing;
    Recording recording_;
    const Recording* repeated_ = nullptr;
    size_t request_ = 0, step_ = 0, host_memory_ = 0; ///< of those repeated: how many are done
    std::string ptx_;
    int fd_ = -1;
    std::thread thread_;
    std::atomic<bool> busy_ = false, told_architecture_ = false;
    std::atomic<uint64_t> newest_stream_ = 0;
};

void add(sim::machine::Statistics& sum, const sim::machine::Statistics& more);

} // namespace check
