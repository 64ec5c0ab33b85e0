// What loading a bellman key costs: from its .params file and from its key cache, with the files in the page cache and without.
//
//   bench_key_load KEY.params SCRATCH.cuzk-key [RUNS]     (default 3)
//
// "ready": the key can be proved with. "all pages": every page of its points was touched as well, which a first proof does, and
// which the .params reader has done by then.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "field/cpu.hpp"
#include "formats/key_cache_writer.hpp"

namespace {

using namespace cuzk;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Takes a file out of the page cache; its pages must be clean and mapped by nobody.
void make_cold(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
}

template <class G>
u64 touch(AffineView<G> points) {
    std::atomic<u64> sum{0};
    const std::size_t bytes = points.size() * sizeof(Affine<G>);
    parallel_ranges(0, (bytes + 4095) / 4096, 256, [&](std::size_t first, std::size_t last) {
        u64 s = 0;
        for (std::size_t page = first; page < last; ++page) s += points.data()[page * 4096];
        sum += s;
    });
    return sum;
}

u64 touch_all(const ProvingKey<Bls12_381>& key) {
    return touch(key.h) + touch(key.l) + touch(key.a) + touch(key.b_g1) + touch(key.b_g2);
}

struct Times {
    double ready = 1e300, all_pages = 1e300;
};

template <class Load>
Times fastest(const std::string& path, bool cold, int runs, const Load& load) {
    Times best;
    u64 sum = 0;
    for (int i = 0; i < runs; ++i) {
        if (cold) make_cold(path);
        const auto start = Clock::now();
        const ProvingKey<Bls12_381> key = load(path);
        const double ready = seconds_since(start);
        sum += touch_all(key);
        best.ready = std::min(best.ready, ready);
        best.all_pages = std::min(best.all_pages, seconds_since(start));
    }
    if (sum == 0) std::printf("an empty key\n");
    return best;
}

int run(const std::string& params, const std::string& cache, int runs) {
    std::printf("%zu threads, code path %s, fastest of %d runs\n", thread_count(),
                std::string(isa_name(active_isa())).c_str(), runs);
    auto start = Clock::now();
    write_key_cache(params, "bench", cache);
    const double writing = seconds_since(start);
    const KeyCacheFile file(ByteSource::open(cache));
    const double gib = static_cast<double>(file.source().bytes.size()) / (u64{1} << 30);
    std::printf("key cache of %.2f GiB, domain 2^%u: written and synced in %.2f s\n", gib, file.log_domain(),
                writing);
    start = Clock::now();
    file.check_digests();
    const double digests = seconds_since(start);
    std::printf("its digests checked in %.2f s, %.2f GiB/s\n\n", digests, gib / digests);

    std::printf("| page cache | from | ready, s | all pages, s | GiB/s |\n|---|---|---|---|---|\n");
    for (const bool cold : {false, true}) {
        const Times from_params = fastest(params, cold, runs, [](const std::string& path) {
            return read_params(ByteSource::open(path), {PointChecks::kNone, nullptr});
        });
        const Times from_cache = fastest(cache, cold, runs, [](const std::string& path) {
            return KeyCacheFile(ByteSource::open(path)).proving_key();
        });
        const auto row = [&](const char* from, const Times& t) {
            std::printf("| %s | %s | %.4f | %.3f | %.2f |\n", cold ? "cold" : "warm", from, t.ready,
                        t.all_pages, gib / t.all_pages);
        };
        row(".params", from_params);
        row("key cache", from_cache);
        std::printf("| %s | ratio | %.0f | %.1f | |\n", cold ? "cold" : "warm",
                    from_params.ready / from_cache.ready, from_params.all_pages / from_cache.all_pages);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4) {
        std::fprintf(stderr, "usage: %s KEY.params SCRATCH.cuzk-key [RUNS]\n", argv[0]);
        return 2;
    }
    try {
        return run(argv[1], argv[2], argc == 4 ? std::max(1, std::atoi(argv[3])) : 3);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return exit_code(error.kind());
    }
}
