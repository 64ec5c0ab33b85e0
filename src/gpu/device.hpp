// Handles that belong to one device. Nothing here is global: an object made under a
// device stays with it, and several devices can be used side by side.
#pragma once

#include <cuda_runtime_api.h>

#include "gpu/devices.hpp"

namespace cuzk::gpu {

// Makes a device the calling thread's current one while it lives. The outermost one of a thread leaves it current afterwards: making
// another device current would take memory there, be it that nobody uses it, and can fail.
class CurrentDevice {
public:
    explicit CurrentDevice(int index);
    ~CurrentDevice();
    CurrentDevice(const CurrentDevice&) = delete;
    CurrentDevice& operator=(const CurrentDevice&) = delete;

private:
    int previous_ = 0;
    bool restores_ = false;
};

// A queue of work on the current device. It does not wait for the legacy default stream.
class Stream {
public:
    Stream();
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    cudaStream_t get() const { return stream_; }
    // Waits for all work in the queue; reports the failure of any of it.
    void synchronize() const;

private:
    cudaStream_t stream_ = nullptr;
};

// A point in a stream, with its time.
class Event {
public:
    Event();
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record(const Stream& stream);
    void synchronize() const;
    // Work that is queued on `stream` from now on waits for this event.
    void block(const Stream& stream) const;
    // Milliseconds from `earlier` to this one; both have happened.
    float milliseconds_since(const Event& earlier) const;

private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace cuzk::gpu
