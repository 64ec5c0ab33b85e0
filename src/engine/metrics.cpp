#include "engine/metrics.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace cuzk::engine {

void MetricsRegistry::declare(const std::string& name, MetricType type, const std::string& help,
                              std::vector<double> bounds) {
    const std::lock_guard lock(mutex_);
    if (families_.contains(name)) throw Error(ErrorKind::kInternal, "metric " + name + " is declared twice");
    order_.push_back(name);
    families_[name].description = {name, help, type, std::move(bounds), {}};
}

MetricsRegistry::Family& MetricsRegistry::family(const std::string& name, MetricType type) {
    const auto it = families_.find(name);
    if (it == families_.end() || it->second.description.type != type)
        throw Error(ErrorKind::kInternal, "metric " + name + " is not declared, or of another type");
    return it->second;
}

void MetricsRegistry::add(const std::string& counter, const Labels& labels, double amount) {
    const std::lock_guard lock(mutex_);
    family(counter, MetricType::kCounter).samples[labels].value += std::max(amount, 0.0);
}

void MetricsRegistry::set(const std::string& gauge, const Labels& labels, double value) {
    const std::lock_guard lock(mutex_);
    family(gauge, MetricType::kGauge).samples[labels].value = value;
}

void MetricsRegistry::observe(const std::string& histogram, const Labels& labels, double value) {
    const std::lock_guard lock(mutex_);
    Family& f = family(histogram, MetricType::kHistogram);
    const std::vector<double>& bounds = f.description.bounds;
    MetricSample& sample = f.samples[labels];
    sample.cumulative.resize(bounds.size());
    for (std::size_t i = 0; i < bounds.size(); ++i)
        if (value <= bounds[i]) ++sample.cumulative[i];
    ++sample.count;
    sample.sum += value;
}

double MetricsRegistry::value(const std::string& name, const Labels& labels) const {
    const std::lock_guard lock(mutex_);
    const auto f = families_.find(name);
    if (f == families_.end()) return 0;
    const auto sample = f->second.samples.find(labels);
    if (sample == f->second.samples.end()) return 0;
    return f->second.description.type == MetricType::kHistogram ? static_cast<double>(sample->second.count)
                                                                : sample->second.value;
}

double MetricsRegistry::total(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto f = families_.find(name);
    double sum = 0;
    if (f == families_.end()) return sum;
    for (const auto& [labels, sample] : f->second.samples)
        sum += f->second.description.type == MetricType::kHistogram ? static_cast<double>(sample.count)
                                                                    : sample.value;
    return sum;
}

std::vector<MetricFamily> MetricsRegistry::snapshot() const {
    const std::lock_guard lock(mutex_);
    std::vector<MetricFamily> out;
    for (const std::string& name : order_) {
        const Family& f = families_.at(name);
        out.push_back(f.description);
        for (const auto& [labels, sample] : f.samples) {
            out.back().samples.push_back(sample);
            out.back().samples.back().labels = labels;
        }
    }
    return out;
}

std::span<const double> duration_bounds() {
    static constexpr double kBounds[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5,
                                         1,     2,     5,     10,   20,   50,   100, 200, 600};
    return kBounds;
}

}  // namespace cuzk::engine
