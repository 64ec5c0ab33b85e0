// Mapped input, the bounds-checked reader, and output that appears whole or not at all.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/byte_reader.hpp"
#include "base/byte_source.hpp"
#include "base/mapped_file.hpp"
#include "base/output_file.hpp"

namespace cuzk {
namespace {

class Files : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "cuzk-test-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string path(const char* name) const { return (folder_ / name).string(); }
    std::size_t count() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                      std::filesystem::directory_iterator()));
    }
    static std::string content(const std::string& path) {
        const auto source = ByteSource::open(path);
        return {source.bytes.begin(), source.bytes.end()};
    }

    std::filesystem::path folder_;
};

template <class Action>
std::string message_of(const Action& action, ErrorKind kind) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
}

TEST_F(Files, AppearWholeOrNotAtAll) {
    write_file(path("a"), "old");
    {
        OutputFile file(path("a"));
        file.write("half of the new");
    }
    EXPECT_EQ(content(path("a")), "old");
    EXPECT_EQ(count(), 1u);
    write_file(path("a"), "new");
    EXPECT_EQ(content(path("a")), "new");
    EXPECT_EQ(count(), 1u);
}

TEST_F(Files, KeepPermissionsAndLinks) {
    write_file(path("a"), "one");
    ASSERT_EQ(chmod(path("a").c_str(), 0640), 0);
    std::filesystem::create_symlink(path("a"), path("link"));
    write_file(path("link"), "two");
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
    EXPECT_EQ(content(path("a")), "two");
    struct stat info {};
    ASSERT_EQ(stat(path("a").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(Files, LargerThanTheBufferArriveInOrder) {
    std::vector<u8> bytes((std::size_t{3} << 20) + 17);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<u8>(i * 31 >> 3);
    OutputFile file(path("a"));
    file.write(std::span<const u8>(bytes).first(5));
    file.write(std::span<const u8>(bytes).subspan(5));
    file.write_u32_le(0x01020304);
    file.write_u32_be(0x01020304);
    file.write_u64_le(0x0102030405060708);
    EXPECT_EQ(file.position(), bytes.size() + 16);
    file.commit();
    const auto source = ByteSource::open(path("a"));
    ASSERT_EQ(source.bytes.size(), bytes.size() + 16);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), source.bytes.begin()));
    ByteReader reader("a", "", source.bytes.subspan(bytes.size()));
    EXPECT_EQ(reader.read_u32_le(""), 0x01020304u);
    EXPECT_EQ(reader.read_u32_be(""), 0x01020304u);
    EXPECT_EQ(reader.read_u64_le(""), 0x0102030405060708u);
}

TEST_F(Files, ErrorsNameThePath) {
    EXPECT_NE(
        message_of([] { write_file("/nonexistent/x", "y"); }, ErrorKind::kEnvironment).find("/nonexistent/x"),
        std::string::npos);
    message_of([&] { OutputFile{folder_.string()}; }, ErrorKind::kEnvironment);
    message_of([&] { ByteSource::open(folder_.string()); }, ErrorKind::kEnvironment);
    message_of([&] { ByteSource::open("/dev/null"); }, ErrorKind::kEnvironment);
    EXPECT_NO_THROW(write_file("/dev/null", "gone"));
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    message_of([&] { ByteSource::open(path("pipe")); }, ErrorKind::kEnvironment);
}

TEST_F(Files, FullDevicesAreErrors) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
    message_of([] { write_file("/dev/full", "x"); }, ErrorKind::kEnvironment);
}

TEST_F(Files, EmptyFilesMap) {
    write_file(path("a"), "");
    EXPECT_TRUE(ByteSource::open(path("a")).bytes.empty());
}

TEST_F(Files, SourcesOutliveTheirFirstCopy) {
    write_file(path("a"), "content");
    std::span<const u8> bytes;
    std::shared_ptr<const void> owner;
    {
        const auto source = ByteSource::open(path("a"));
        bytes = source.bytes;
        owner = source.owner;
    }
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "content");
}

TEST(ByteReaderTest, NamesFileSectionOffsetAndReason) {
    const std::vector<u8> bytes(10);
    ByteReader reader("f.bin", "section 3 (points)", bytes, 0x100);
    reader.skip(8, "start");
    const std::string message = message_of([&] { reader.read_u32_le("a count"); }, ErrorKind::kMalformed);
    EXPECT_EQ(message, "f.bin: section 3 (points), offset 0x108: a count needs 4 bytes, 2 are left");
    EXPECT_EQ(reader.remaining(), 2u);  // a failed read takes nothing
    message_of([&] { reader.expect_end("x"); }, ErrorKind::kMalformed);
}

TEST(ByteReaderTest, CountsThatWouldOverflowAreRefused) {
    const std::vector<u8> bytes(64);
    ByteReader reader("f", "s", bytes);
    message_of([&] { reader.take_items(~u64{0}, 96, "points"); }, ErrorKind::kMalformed);
    message_of([&] { reader.take_items((u64{1} << 61) + 1, 8, "numbers"); }, ErrorKind::kMalformed);
    message_of([&] { reader.take(~u64{0}, "bytes"); }, ErrorKind::kMalformed);
    EXPECT_EQ(reader.take_items(2, 32, "values").size(), 64u);
    EXPECT_TRUE(reader.at_end());
}

// What is released must read the same again: from the file where it is mapped, untouched where it is not.
TEST_F(Files, ReleasedPartsStayReadable) {
    const std::string text(40'000, 'x');
    write_file(path("large"), text);
    const auto mapped = ByteSource::open(path("large"));
    mapped.release(mapped.bytes);
    mapped.release(mapped.bytes.subspan(5, 10));
    EXPECT_EQ(std::string(mapped.bytes.begin(), mapped.bytes.end()), text);

    const auto owned = ByteSource::from_vector("owned", {mapped.bytes.begin(), mapped.bytes.end()});
    owned.release(owned.bytes);
    MappedFile::release(owned.bytes);
    EXPECT_EQ(std::string(owned.bytes.begin(), owned.bytes.end()), text);
}

}  // namespace
}  // namespace cuzk
