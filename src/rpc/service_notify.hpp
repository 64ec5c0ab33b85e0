// Tells the service manager (systemd) how the daemon is doing: the sd_notify protocol, one datagram a message.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace cuzk::rpc {

class ServiceNotify {
public:
    // Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID; without them every call does nothing.
    ServiceNotify();

    void ready(const std::string& status) const { send("READY=1\nSTATUS=" + status); }
    void status(const std::string& status) const { send("STATUS=" + status); }
    void stopping() const { send("STOPPING=1"); }
    void alive() const { send("WATCHDOG=1"); }
    // How often alive() has to be said: half of what the manager waits. Null: it does not watch.
    std::optional<std::chrono::milliseconds> watchdog_interval() const { return watchdog_; }

private:
    // Failures are ignored: a manager that is gone must not take the daemon with it.
    void send(const std::string& message) const;

    std::string path_;  // starts with NUL for an abstract socket
    std::optional<std::chrono::milliseconds> watchdog_;
};

}  // namespace cuzk::rpc
