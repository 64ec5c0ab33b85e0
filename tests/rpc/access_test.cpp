#include "rpc/access.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "base/error.hpp"
#include "rpc/listen.hpp"
#include "rpc/temp_folder.hpp"

namespace cuzk::rpc {
namespace {

using test::TempFolder;

template <class F>
void expect_error(ErrorKind kind, const std::string& part, F&& f) {
    try {
        f();
        ADD_FAILURE() << "no error; wanted: " << part;
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

// A server's socket; listening as long as the object lives, its file staying behind.
class Listener {
public:
    explicit Listener(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        std::memcpy(name.sun_path, path.data(), path.size());
        EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
        EXPECT_EQ(listen(fd_, 1), 0);
    }
    ~Listener() { close(fd_); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

private:
    int fd_;
};

TEST(Address, Parses) {
    EXPECT_EQ(parse_address("unix:///run/c.sock").path, "/run/c.sock");
    EXPECT_EQ(parse_address("unix:c.sock").path, "c.sock");
    EXPECT_EQ(parse_address("127.0.0.1:9820").text(), "127.0.0.1:9820");
    EXPECT_EQ(parse_address("http://127.0.0.1:9820").text(), "127.0.0.1:9820");
    EXPECT_EQ(parse_address("dns:///node:9820").text(), "node:9820");
    EXPECT_EQ(parse_address("[::1]:9820").text(), "[::1]:9820");
    EXPECT_EQ(parse_address(":9820").text(), "0.0.0.0:9820");
    for (const char* bad :
         {"", "127.0.0.1", "host:", "host:x", "host:65536", "host:-1", "::1:9820", "unix:", "a/b:1"})
        expect_error(ErrorKind::kUsage, bad, [&] { parse_address(bad); });
}

TEST(Address, KnowsWhatLeavesTheMachine) {
    for (const char* local : {"unix:///x", "127.0.0.1:1", "127.8.8.8:1", "[::1]:1", "localhost:1"})
        EXPECT_TRUE(parse_address(local).is_local()) << local;
    for (const char* remote :
         {"0.0.0.0:1", ":1", "[::]:1", "10.0.0.1:1", "example.org:1", "127.0.0.1.example.org:1"})
        EXPECT_FALSE(parse_address(remote).is_local()) << remote;
}

TEST(Socket, AStaleOneMakesWayALiveOneDoesNot) {
    const TempFolder folder;
    const std::string path = folder.file("deep/er/c.sock");
    prepare_socket(path);  // creates the folders
    EXPECT_TRUE(std::filesystem::is_directory(folder.file("deep/er")));
    {
        const Listener live(path);
        expect_error(ErrorKind::kEnvironment, "another server", [&] { prepare_socket(path); });
        EXPECT_TRUE(std::filesystem::exists(path));
    }
    EXPECT_TRUE(std::filesystem::exists(path));
    prepare_socket(path);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Socket, AnythingElseIsLeftAlone) {
    const TempFolder folder;
    const std::string path = folder.write("c.sock", "precious");
    expect_error(ErrorKind::kEnvironment, "is no socket", [&] { prepare_socket(path); });
    EXPECT_TRUE(std::filesystem::exists(path));
    expect_error(ErrorKind::kEnvironment, "can not be made", [&] { prepare_socket(path + "/x/c.sock"); });
}

TEST(Tokens, NameTheirClients) {
    const TempFolder folder;
    const TokenList tokens = TokenList::load(
        folder.write("t", "# who may\n\nminer-1 0123456789abcdef0\n  miner-2   fedcba9876543210f  \n"));
    EXPECT_EQ(tokens.client_of("Bearer 0123456789abcdef0"), "miner-1");
    EXPECT_EQ(tokens.client_of("Bearer fedcba9876543210f"), "miner-2");
    for (const char* bad : {"", "Bearer ", "Bearer 0123456789abcdef1", "Bearer 0123456789abcdef",
                            "0123456789abcdef0", "bearer 0123456789abcdef0", "Bearer 0123456789abcdef0 "})
        EXPECT_EQ(tokens.client_of(bad), std::nullopt) << bad;
    EXPECT_EQ(TokenList().client_of("Bearer "), std::nullopt);
}

TEST(Tokens, BadFilesAreRefused) {
    const TempFolder folder;
    const auto load = [&](const std::string& text) {
        return [&, text] { TokenList::load(folder.write("t", text)); };
    };
    expect_error(ErrorKind::kMalformed, "t:2: the form of a line", load("# x\nlonely\n"));
    expect_error(ErrorKind::kMalformed, "t:1: the form of a line", load("a 0123456789abcdef more\n"));
    expect_error(ErrorKind::kMalformed, "at least 16", load("a short\n"));
    expect_error(ErrorKind::kMalformed, "given twice", load("a 0123456789abcdef\na 1123456789abcdef\n"));
    expect_error(ErrorKind::kMalformed, "the same token", load("a 0123456789abcdef\nb 0123456789abcdef\n"));
    expect_error(ErrorKind::kMalformed, "no token", load("\n"));
    expect_error(ErrorKind::kEnvironment, "can not be read", [&] { TokenList::load(folder.file("none")); });
    const std::string open = folder.write("open", "a 0123456789abcdef\n");
    std::filesystem::permissions(open, std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
    expect_error(ErrorKind::kEnvironment, "chmod o-r", [&] { TokenList::load(open); });
}

TEST(ByteQuota, HoldsEachClientToItsBytes) {
    std::set<std::string> over;
    ByteQuota quota(100, [&](const std::string& job) { return over.contains(job); });
    EXPECT_EQ(quota.refusal("a", 100), std::nullopt);
    EXPECT_NE(quota.refusal("a", 101), std::nullopt);
    quota.add("a", "j1", 60);
    quota.add("a", "j1", 60);  // joined: counted once
    EXPECT_EQ(quota.refusal("a", 40), std::nullopt);
    const auto refusal = quota.refusal("a", 41);
    ASSERT_NE(refusal, std::nullopt);
    EXPECT_NE(refusal->find("60 bytes"), std::string::npos) << *refusal;
    EXPECT_EQ(quota.refusal("b", 100), std::nullopt);
    over.insert("j1");
    EXPECT_EQ(quota.refusal("a", 100), std::nullopt);
    EXPECT_NE(quota.refusal("a", ~u64{0}), std::nullopt);
}

}  // namespace
}  // namespace cuzk::rpc
