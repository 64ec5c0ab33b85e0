// Counters, gauges and histograms with labels. Others render them (Prometheus text is rpc's).
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace cuzk::engine {

enum class MetricType { kCounter, kGauge, kHistogram };

// In the order in which they were given; names as in Prometheus: [a-zA-Z_][a-zA-Z0-9_]*.
using Labels = std::vector<std::pair<std::string, std::string>>;

struct MetricSample {
    Labels labels;
    double value = 0;  // counters, gauges

    // Histograms: cumulative[i] = observations <= bounds[i] of the family; `count` is the +Inf bucket.
    std::vector<u64> cumulative;
    u64 count = 0;
    double sum = 0;
};

struct MetricFamily {
    std::string name;
    std::string help;
    MetricType type = MetricType::kCounter;
    std::vector<double> bounds;  // histograms: upper bounds, ascending
    std::vector<MetricSample> samples;
};

// Thread-safe. A family is declared before its first use (an undeclared name is Error(kInternal)); counters only grow.
class MetricsRegistry {
public:
    void declare(const std::string& name, MetricType type, const std::string& help,
                 std::vector<double> bounds = {});

    void add(const std::string& counter, const Labels& labels = {}, double amount = 1);
    void set(const std::string& gauge, const Labels& labels, double value);
    void observe(const std::string& histogram, const Labels& labels, double value);

    // 0 where nothing was counted: for tests and for status.
    double value(const std::string& name, const Labels& labels = {}) const;
    // Sum over all label sets.
    double total(const std::string& name) const;

    // In order of declaration.
    std::vector<MetricFamily> snapshot() const;

private:
    struct Family {
        MetricFamily description;
        std::map<Labels, MetricSample> samples;
    };
    Family& family(const std::string& name, MetricType type);

    mutable std::mutex mutex_;
    std::vector<std::string> order_;
    std::map<std::string, Family> families_;
};

// Seconds from 1 ms to 10 minutes, for durations of stages and jobs.
std::span<const double> duration_bounds();

}  // namespace cuzk::engine
