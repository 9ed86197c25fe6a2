// The device behind the program under test, on a thread of its own, and a record of the program's requests.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "check/device.h"
#include "check/device_server.h"
#include "check/recording.h"
#include "sim/cuda/device/service.h"
#include "sim/timeline/recording.h"

namespace check {

class Server : public DeviceServer, sim::cuda::ServiceListener {
  public:
    /// How much of the program's requests to keep: nothing; the data of copies, in the trace; or everything, to repeat
    /// it.
    enum class Keep : uint8_t { nothing, copies, all };
    /// A simulated device. With `repeated`, nothing is served: the requests come from there. `shared`: memory that has
    /// been made for it. `estimate`: the timing model's, when it judges.
    explicit Server(sim::machine::Options options, Keep keep = Keep::nothing,
                    std::shared_ptr<const Recording> repeated = {},
                    std::optional<sim::cuda::SharedMemory::Descriptor> shared = {}, bool estimate = false);
    /// Opens another device, which abandons its work when `interrupt` is set.
    using Open = std::function<std::unique_ptr<Device>(std::atomic<bool>* interrupt)>;
    explicit Server(const Open& open);
    ~Server() override;

    void start(int fd, std::string ptx) override;
    void join() override;
    Recorded take_recording() override;
    int shared_memory() override { return lock().device.shared().fd(); }

    uint64_t allocate(size_t bytes) override { return step().device.allocate(bytes); }
    void write(uint64_t address, std::span<const std::byte> contents) override {
        step().device.write(address, contents);
    }
    void begin_call() override;
    void returned() override;
    Trace finish_call() override;
    void follow(sim::provenance::Followed followed) override;
    bool strayed() override { return strayed_; }

    std::vector<std::byte> read(uint64_t address, size_t bytes) override { return lock().device.read(address, bytes); }
    bool written_by_kernel(uint64_t address, size_t bytes) override {
        return lock().device.written_by_kernel(address, bytes);
    }
    std::vector<bool> elements_written(uint64_t address, size_t size, size_t count) override;
    Condition condition() override;
    Judged judged() override;

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
    bool repeat_the_rest() override;
    bool busy() override { return busy_; }
    bool told_architecture() override { return told_architecture_; }
    uint64_t newest_stream() override { return newest_stream_; }
    bool interrupt(std::chrono::milliseconds patience) override;

  private:
    void serve();
    sim::cuda::Reply answer(sim::cuda::wire::Request& request); ///< under the lock
    sim::cuda::Reply carry_out(const sim::cuda::wire::Request& request);
    void repeat(size_t until);
    std::optional<sim::timeline::Estimate> estimate(sim::Device& gpu) const;
    void record(const sim::cuda::Header& header, std::span<const std::byte> body);
    void reads_host(std::span<std::byte> memory, bool copy) override;
    void wrote_host(std::span<const std::byte> memory, uint64_t device) override;
    void launched(const sim::machine::Kernel&, const sim::machine::LaunchConfig&, sim::machine::OperationId,
                  const sim::machine::Statistics&) override;
    void lost(uint32_t error, const sim::machine::Outcome&) override;

    std::atomic<bool> interrupt_ = false;
    std::mutex mutex_;
    sim::timeline::Recording timeline_; ///< empty unless there is to be an estimate
    sim::Device* gpu_ = nullptr;
    std::unique_ptr<Device> device_;
    Trace trace_;
    /// What the launch function leaves behind when it returns belongs to the call, too, until the device is idle. What
    /// the program asks for at other times belongs to no call.
    enum class Stage : uint8_t { outside, running, returned } stage_ = Stage::outside;
    Keep keep_ = Keep::nothing;
    Recording recording_;
    std::shared_ptr<const Recording> repeated_;
    size_t request_ = 0, step_ = 0, host_memory_ = 0; ///< of those repeated: how many are done
    int64_t pending_launches_ = 0; ///< that are not complete; less than 0 while one runs as it is issued
    std::string ptx_;
    int fd_ = -1;
    std::thread thread_;
    std::atomic<bool> busy_ = false, told_architecture_ = false;
    std::atomic<bool> strayed_ = false; ///< outside a call, a kernel was launched, or device memory was copied
    std::atomic<uint64_t> newest_stream_ = 0;
};

void add(sim::machine::Statistics& sum, const sim::machine::Statistics& more);

} // namespace check
