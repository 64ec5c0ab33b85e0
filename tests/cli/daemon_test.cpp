// The daemon as a process: what it tells its service manager, how it ends, what its commands say.
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "cli/command.hpp"

namespace cuzk::test {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

class DaemonTest : public CommandTest {
protected:
    void SetUp() override {
        CommandTest::SetUp();
        if (run({"serve", "--help"}).code != 0) GTEST_SKIP() << "this build has no daemon";
    }
    void TearDown() override {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
        CommandTest::TearDown();
    }

    std::string address() const { return "unix://" + out("cuzk.sock"); }

    void start(std::vector<std::string> more = {}) {
        std::vector<std::string> words = {CUZK_CLI_PATH, "serve",       "--listen",   address(),
                                          "--params",    out("params"), "--no-status"};
        words.insert(words.end(), more.begin(), more.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        const std::string log = out("log");
        pid_ = fork();
        ASSERT_GE(pid_, 0);
        if (pid_ == 0) {
            const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
            dup2(fd, STDERR_FILENO);
            execv(CUZK_CLI_PATH, argv.data());
            _exit(127);
        }
        EXPECT_TRUE(eventually([&] {
            return fs::exists(out("cuzk.sock")) && run({"status", "--addr", address()}).code == 0;
        })) << read_text(log);
    }

    // Exit code of the daemon, or -1 if it does not end.
    int wait_for_end() {
        int status = -1;
        if (!eventually([&] { return waitpid(pid_, &status, WNOHANG) == pid_; })) return -1;
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    template <class Condition>
    static bool eventually(const Condition& condition) {
        const auto deadline = Clock::now() + 30s;
        while (!condition()) {
            if (Clock::now() > deadline) return false;
            std::this_thread::sleep_for(10ms);
        }
        return true;
    }

    Outcome ask(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--addr", address()});
        return run(arguments);
    }

    // A request of a small circuit, and its parameters.
    void make_request() const {
        EXPECT_EQ(run({"filecoin", "simulate", "--proof", "window-post", "--sector-size", "2KiB", "-o",
                       out("request.json")})
                      .code,
                  0);
        EXPECT_EQ(run({"filecoin", "params", "generate", "--circuit", "window-post", "--sector-size", "2KiB",
                       "--params", out("params")})
                      .code,
                  0);
    }

    pid_t pid_ = 0;
};

// The other end of NOTIFY_SOCKET.
class Manager {
public:
    explicit Manager(const std::string& path) : fd_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        std::memcpy(name.sun_path, path.data(), path.size());
        EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
        timeval patience{30, 0};
        setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    ~Manager() { close(fd_); }
    Manager(const Manager&) = delete;
    Manager& operator=(const Manager&) = delete;
    std::string receive() const {
        std::string text(1000, '\0');
        const ssize_t n = recv(fd_, text.data(), text.size(), 0);
        text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        return text;
    }

private:
    int fd_;
};

TEST_F(DaemonTest, TellsTheServiceManager) {
    const Manager manager(out("notify"));
    setenv("NOTIFY_SOCKET", out("notify").c_str(), 1);
    setenv("WATCHDOG_USEC", "1500000", 1);
    start();
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    const std::string ready = manager.receive();
    EXPECT_EQ(ready.rfind("READY=1\n", 0), 0u) << ready;
    EXPECT_NE(ready.find("STATUS=serving on unix:"), std::string::npos) << ready;
    EXPECT_EQ(manager.receive(), "WATCHDOG=1");
    EXPECT_EQ(manager.receive(), "WATCHDOG=1") << "again and again";
    kill(pid_, SIGTERM);
    std::string last = manager.receive();
    while (last == "WATCHDOG=1") last = manager.receive();
    EXPECT_EQ(last, "STOPPING=1");
    EXPECT_EQ(wait_for_end(), 0);
    EXPECT_FALSE(fs::exists(out("cuzk.sock")));
}

TEST_F(DaemonTest, ProvesThroughItsCommands) {
    make_request();
    start();
    const Outcome submitted = ask({"submit", out("request.json"), "-o", out("proof.bin"), "--json"});
    ASSERT_EQ(submitted.code, 0) << submitted.errors;
    const json result = json::parse(submitted.output);
    EXPECT_EQ(result["state"], "completed");
    EXPECT_EQ(result["proof_bytes"], 192);
    EXPECT_EQ(
        run({"filecoin", "verify", out("request.json"), out("proof.bin"), "--params", out("params")}).code,
        0);

    const std::string id = result["job_id"];
    EXPECT_EQ(ask({"await", id, "-o", out("again.bin")}).code, 0);
    EXPECT_EQ(read_text(out("again.bin")), read_text(out("proof.bin")));
    EXPECT_EQ(ask({"cancel", id}).code, 1) << "it has ended";
    EXPECT_EQ(ask({"await", "nobody"}).code, 2);

    EXPECT_EQ(json::parse(ask({"status", "--json"}).output)["total_completed"], 1);
    EXPECT_NE(ask({"status", "--metrics"}).output.find("cuzk_proofs_completed_total 1"), std::string::npos);
    EXPECT_EQ(json::parse(ask({"jobs", "--json"}).output)[0]["job_id"], id);
    EXPECT_TRUE(json::parse(ask({"preload", "wpost-2k", "--json"}).output)["already_loaded"]);
    EXPECT_TRUE(json::parse(ask({"evict", "wpost-2k", "--json"}).output)["was_loaded"]);
    EXPECT_EQ(ask({"preload", "wpost-3k"}).code, 4);

    const Outcome load =
        run({"bench", "serve", out("request.json"), "--mode", "batch", "--count", "4", "--concurrency", "2",
             "--params", out("params"), "--addr", address(), "--json"});
    ASSERT_EQ(load.code, 0) << load.errors;
    EXPECT_TRUE(json::parse(load.output)["all_verified"]);
    EXPECT_EQ(json::parse(load.output)["requests"][0]["proofs"], 4);

    const Outcome probe =
        run({"bench", "serve", out("request.json"), out("request.json"), "--mode", "probe", "--count", "2",
             "--concurrency", "2", "--params", out("params"), "--addr", address(), "--json"});
    ASSERT_EQ(probe.code, 0) << probe.errors;
    const json probed = json::parse(probe.output);
    EXPECT_TRUE(probed["all_verified"]);
    ASSERT_EQ(probed["requests"].size(), 3u) << "the probe alone, the probe under load, the load";
    EXPECT_EQ(probed["requests"][0]["proofs"], 2);
    EXPECT_EQ(probed["requests"][1]["proofs"], 2);
    EXPECT_GE(probed["requests"][2]["proofs"], 1) << "a loader may come late to a probe that is soon over";
    EXPECT_EQ(probed["probe"]["probes"], 2);
    EXPECT_GT(probed["probe"]["bound_s"], probed["probe"]["alone_p50_s"]);
    EXPECT_EQ(run({"bench", "serve", out("request.json"), "--mode", "probe", "--params", out("params"),
                   "--addr", address()})
                  .code,
              2)
        << "there is no load";

    EXPECT_EQ(json::parse(ask({"drain", "--json"}).output)["unfinished_jobs"], 0);
    const Outcome late = ask({"submit", out("request.json"), "--request-id", "late"});
    EXPECT_EQ(late.code, 4);
    EXPECT_NE(late.errors.find("no daemon takes the call"), std::string::npos) << late.errors;
}

TEST_F(DaemonTest, AJobThatIsAcceptedIsFinishedBeforeTheEnd) {
    make_request();
    start();
    ASSERT_EQ(ask({"submit", out("request.json"), "--no-wait"}).code, 0);
    kill(pid_, SIGTERM);
    EXPECT_EQ(wait_for_end(), 0);
    const std::string log = read_text(out("log"));
    EXPECT_NE(log.find("window-post completed after"), std::string::npos) << log;
}

TEST_F(DaemonTest, KillLosesNoAcceptedJob) {
    make_request();
    write_text(out("c.toml"), "[daemon]\njournal = \"" + out("journal") + "\"\n");
    start({"--config", out("c.toml")});
    for (const char* id : {"a", "b", "c"})
        ASSERT_EQ(ask({"submit", out("request.json"), "--no-wait", "--request-id", id}).code, 0);
    kill(pid_, SIGKILL);
    EXPECT_EQ(wait_for_end(), 128 + SIGKILL);
    start({"--config", out("c.toml")});
    for (const std::string id : {"a", "b", "c"}) {
        EXPECT_EQ(ask({"await", id, "-o", out(id)}).code, 0) << id;
        EXPECT_EQ(run({"filecoin", "verify", out("request.json"), out(id), "--params", out("params")}).code,
                  0)
            << id;
    }
    kill(pid_, SIGTERM);
    EXPECT_EQ(wait_for_end(), 0);
}

TEST_F(DaemonTest, ProvesRegisteredCircuits) {
    const std::string bits = data("bits-bn128/"), merkle = data("mimc_merkle-bls12381/");
    write_text(out("c.toml"), "[[circuits]]\nid = \"bits\"\nkey = \"" + bits +
                                  "circuit.zkey\"\npreload = true\n" +
                                  "[[circuits]]\nid = \"merkle\"\nkey = \"" + merkle +
                                  "circuit.zkey\"\nr1cs = \"" + merkle + "circuit.r1cs\"\n");
    EXPECT_EQ(run({"config", "check", out("c.toml")}).code, 0);
    start({"--config", out("c.toml")});
    for (const auto& [id, folder] : {std::pair("bits", bits), {"merkle", merkle}}) {
        const Outcome submitted = ask({"submit", "--circuit", id, folder + "witness.wtns", "-o",
                                       out("proof.json"), "--public", out("public.json"), "--json"});
        ASSERT_EQ(submitted.code, 0) << submitted.errors;
        EXPECT_EQ(run({"verify", folder + "vkey.json", out("public.json"), out("proof.json")}).output,
                  "valid\n");
        const json result = json::parse(submitted.output);
        EXPECT_EQ(result["state"], "completed");
        const std::string job = result["job_id"];
        EXPECT_EQ(ask({"await", job, "-o", out("again.json"), "--public", out("public2.json")}).code, 0);
        EXPECT_EQ(read_text(out("again.json")), read_text(out("proof.json")));
        EXPECT_EQ(read_text(out("public2.json")), read_text(out("public.json")));
        EXPECT_EQ(ask({"await", job, "-o", out("bytes")}).code, 0) << "the plain interface has the bytes";
        EXPECT_EQ(read_text(out("bytes")).size(), result["proof_bytes"].get<std::size_t>());
    }
    const json circuits = json::parse(ask({"status", "--json"}).output)["circuits"];
    ASSERT_EQ(circuits.size(), 2u);
    EXPECT_EQ(circuits[0]["circuit_id"], "bits");
    EXPECT_TRUE(circuits[0]["loaded"]);
    EXPECT_EQ(circuits[1]["constraints"], 489);
    EXPECT_NE(ask({"status"}).output.find("merkle"), std::string::npos);
    EXPECT_EQ(json::parse(ask({"jobs", "--json"}).output)[0]["circuit_id"], "merkle");

    // What is wrong with a witness decides the exit code.
    std::string broken = read_text(merkle + "witness.wtns");
    broken[broken.size() - 32] ^= 1;
    write_text(out("broken.wtns"), broken);
    const auto refused = [&](std::vector<std::string> arguments, int code, const std::string& why) {
        arguments.insert(arguments.begin(), "submit");
        arguments.insert(arguments.end(), {"--addr", address()});
        expect_failure(arguments, code, why);
    };
    refused({"--circuit", "merkle", out("broken.wtns"), "-o", out("bad.json")}, 1, "constraint");
    refused({"--circuit", "merkle", bits + "witness.wtns"}, 3, "is over bn128, the circuit over bls12381");
    refused({"--circuit", "nobody", bits + "witness.wtns"}, 2, "there are: bits, merkle");
    refused({"--circuit", "bits", bits + "public.json"}, 3, "this is not a");
    refused({bits + "witness.wtns", "--public", out("bad.json")}, 2, "they need --circuit");
    EXPECT_FALSE(fs::exists(out("bad.json")));
}

TEST_F(DaemonTest, KillLosesNoWitness) {
    const std::string merkle = data("mimc_merkle-bn128/");
    write_text(out("c.toml"), "[daemon]\njournal = \"" + out("journal") +
                                  "\"\n[[circuits]]\nid = \"merkle\"\nkey = \"" + merkle +
                                  "circuit.zkey\"\n");
    start({"--config", out("c.toml")});
    for (const char* id : {"a", "b", "c"})
        ASSERT_EQ(
            ask({"submit", "--circuit", "merkle", merkle + "witness.wtns", "--no-wait", "--request-id", id})
                .code,
            0);
    kill(pid_, SIGKILL);
    EXPECT_EQ(wait_for_end(), 128 + SIGKILL);
    start({"--config", out("c.toml")});
    for (const std::string id : {"a", "b", "c"}) {
        EXPECT_EQ(ask({"await", id, "-o", out("proof.json"), "--public", out("public.json")}).code, 0) << id;
        EXPECT_EQ(run({"verify", merkle + "vkey.json", out("public.json"), out("proof.json")}).code, 0) << id;
    }
    kill(pid_, SIGTERM);
    EXPECT_EQ(wait_for_end(), 0);
}

TEST_F(DaemonTest, AStaleSocketMakesWayALiveOneDoesNot) {
    start();
    const Outcome second = run({"serve", "--listen", address(), "--no-status", "--params", out("params")});
    EXPECT_EQ(second.code, 4);
    EXPECT_NE(second.errors.find("another server is listening"), std::string::npos) << second.errors;
    kill(pid_, SIGKILL);
    EXPECT_EQ(wait_for_end(), 128 + SIGKILL);
    EXPECT_TRUE(fs::exists(out("cuzk.sock")));
    start();
    kill(pid_, SIGINT);
    EXPECT_EQ(wait_for_end(), 0);
}

TEST_F(DaemonTest, LogsAsJson) {
    write_text(out("c.toml"), "[logging]\nformat = \"json\"\n");
    start({"--config", out("c.toml")});
    kill(pid_, SIGTERM);
    EXPECT_EQ(wait_for_end(), 0);
    std::istringstream lines(read_text(out("log")));
    std::string line;
    int count = 0;
    for (; std::getline(lines, line); ++count) {
        const json entry = json::parse(line);
        EXPECT_TRUE(std::regex_match(entry["time"].get<std::string>(),
                                     std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)")))
            << line;
        EXPECT_TRUE(entry.contains("level") && entry.contains("message"));
    }
    EXPECT_GE(count, 3);
}

TEST_F(DaemonTest, ConfigurationMistakesKeepItFromStarting) {
    write_text(out("bad.toml"), "[daemon]\nlsiten = \"x\"\n");
    expect_failure({"serve", "--config", out("bad.toml")}, 3,
                   "bad.toml:2: unknown key 'daemon.lsiten'; did you mean");
    expect_failure({"config", "check", out("bad.toml")}, 3, "did you mean 'daemon.listen'?");
    expect_failure({"config", "check", out("none.toml")}, 4, "none.toml");
    write_text(out("bad.toml"), "\n[[circuits]]\nid = \"a\"\nkey = \"" + data("bits-bn128/vkey.json") +
                                    "\"\n[[circuits]]\nid = \"porep-2k\"\nkey = \"" +
                                    data("bits-bn128/circuit.zkey") + "\"\n");
    for (const char* command : {"check", "serve"}) {
        const std::vector<std::string> words = command == std::string("serve")
                                                   ? std::vector<std::string>{"serve", "--config"}
                                                   : std::vector<std::string>{"config", "check"};
        for (const char* why :
             {"bad.toml:2: circuit 'a': ", "bad.toml:5: circuit 'porep-2k': 'porep-2k' is the name"})
            expect_failure({words[0], words[1], out("bad.toml")}, 3, why);
    }
    expect_failure({"serve", "--listen", "0.0.0.0:0", "--no-status"}, 2, "allow_insecure");
    expect_failure({"serve", "--listen", "nonsense"}, 2, "the port is missing");
    const Outcome shown = run({"config", "show"});
    ASSERT_EQ(shown.code, 0);
    write_text(out("good.toml"), shown.output);
    EXPECT_EQ(run({"config", "check", out("good.toml")}).code, 0);
    EXPECT_EQ(run({"config", "show", "--config", out("good.toml")}).output, shown.output);
}

TEST_F(DaemonTest, CommandsWithoutADaemonSaySo) {
    expect_failure({"status", "--addr", address()}, 4, "no daemon takes the call");
    expect_failure({"submit", out("none.json"), "--addr", address()}, 4, "none.json");
    expect_failure({"top", "--once", "--status-addr", "127.0.0.1:1"}, 4, "no daemon answers");
    expect_failure({"status", "--addr", "nonsense"}, 2, "the port is missing");
    const Outcome doctor = run({"doctor", "--params", out("nowhere"), "--json"});
    EXPECT_EQ(doctor.code, 4);
    bool told = false;
    for (const json& finding : json::parse(doctor.output))
        told = told || (finding["subject"] == "parameters" && finding["verdict"] == "BAD" &&
                        !finding["advice"].empty());
    EXPECT_TRUE(told) << doctor.output;
}

}  // namespace
}  // namespace cuzk::test
