#include "filecoin/cs/witness.hpp"

namespace cuzk::filecoin {

void WitnessBuilder::clear() {
    witness_.inputs.clear();
    witness_.bits.clear();
    witness_.nums.clear();
}

void WitnessBuilder::append(std::span<const WitnessBuilder> parts, std::size_t expected) {
    u64 bits = 0;
    std::vector<std::size_t> starts;  // of each part's numbers
    std::size_t end = witness_.nums.size();
    for (const WitnessBuilder& part : parts) {
        starts.push_back(end);
        end += part.witness_.nums.size();
        bits += part.witness_.bits.size();
    }
    // Parts are mostly alike: with the first of them, the size of all is known.
    const auto for_all = [&](u64 size) { return (size * expected + parts.size() - 1) / parts.size(); };
    if (witness_.nums.capacity() < end)
        witness_.nums.reserve(witness_.nums.size() + for_all(end - witness_.nums.size()));
    witness_.bits.reserve(witness_.bits.size() + for_all(bits));

    constexpr std::size_t kWorthThreads = std::size_t{1} << 16;
    const std::size_t grain = end - witness_.nums.size() < kWorthThreads ? parts.size() : 1;
    witness_.nums.resize(end);
    parallel_for(
        0, parts.size(),
        [&](std::size_t i) {
            const auto& nums = parts[i].witness_.nums;
            std::copy(nums.begin(), nums.end(), witness_.nums.data() + starts[i]);
        },
        grain);
    for (const WitnessBuilder& part : parts) {
        witness_.bits.append(part.witness_.bits);
        witness_.inputs.insert(witness_.inputs.end(), part.witness_.inputs.begin(),
                               part.witness_.inputs.end());
    }
}

}  // namespace cuzk::filecoin
