#include "field/cpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.hpp"

namespace cuzk {
namespace {

TEST(CpuTest, OverrideLowersThePathAndRestoresIt) {
    const Isa before = active_isa();
    {
        const IsaOverride portable(Isa::kPortable);
        EXPECT_EQ(active_isa(), Isa::kPortable);
        EXPECT_FALSE(detail::use_adx.load());
        {
            const IsaOverride ifma(Isa::kIfma);
            EXPECT_EQ(active_isa(), best_isa());
            EXPECT_EQ(detail::use_adx.load(), cpu_features().adx);
        }
        EXPECT_EQ(active_isa(), Isa::kPortable);
    }
    EXPECT_EQ(active_isa(), before);
}

TEST(CpuTest, BestPathFollowsTheFeatures) {
    const CpuFeatures& features = cpu_features();
    if (features.avx512ifma) {
        EXPECT_EQ(best_isa(), Isa::kIfma);
    } else {
        EXPECT_EQ(best_isa(), features.adx ? Isa::kAdx : Isa::kPortable);
    }
    EXPECT_EQ(isa_name(Isa::kPortable), "portable");
    EXPECT_EQ(isa_name(Isa::kAdx), "adx");
    EXPECT_EQ(isa_name(Isa::kIfma), "ifma");
}

// The environment is read once, so each word is tried in a process of its own.
class CpuEnvironmentDeathTest : public testing::Test {
protected:
    void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

// The child starts the test program again, which reads the variable before main.
void expect_in_child(const char* word, int (*code)(), int expected) {
    setenv("CUZK_ISA", word, 1);
    EXPECT_EXIT(std::_Exit(code()), testing::ExitedWithCode(expected), "");
    unsetenv("CUZK_ISA");
}

TEST_F(CpuEnvironmentDeathTest, KnownWordsChoose) {
    for (Isa isa : {Isa::kPortable, Isa::kAdx, Isa::kIfma}) {
        expect_in_child(
            std::string(isa_name(isa)).c_str(), [] { return static_cast<int>(active_isa()); },
            static_cast<int>(std::min(isa, best_isa())));
    }
}

TEST_F(CpuEnvironmentDeathTest, UnknownWordIsAnError) {
    const auto code = [] {
        try {
            active_isa();
        } catch (const Error& error) {
            return error.kind() == ErrorKind::kUsage ? 7 : 8;
        }
        return 9;
    };
    expect_in_child("sse9", code, 7);
}

}  // namespace
}  // namespace cuzk
