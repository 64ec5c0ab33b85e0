// Writing a simulated sector's C1 JSON, with every field that the network's own readers expect.
#pragma once

#include <array>

#include "filecoin/shapes.hpp"
#include "filecoin/simulate/tree.hpp"

namespace cuzk::filecoin {

struct SimulatedC1 {
    std::string registered_proof, base_name;
    Fr comm_r, comm_d, replica_id;
    std::array<u8, 32> seed{}, ticket{};
    std::vector<Fr> column;                 // labels of every node that is not challenged
    std::map<u64, std::vector<Fr>> labels;  // labels of the challenged ones
    struct Challenge {
        u64 node;
        std::vector<u64> parents;  // 6 DRG, 8 expander; none of them challenged
    };
    std::vector<std::vector<Challenge>> partitions;
};

struct SimulatedTrees {
    const SimulatedTree& data;
    const SimulatedTree& column;
    const SimulatedTree& replica;
};

std::vector<u8> write_c1(const SimulatedC1& c1, const SectorShape& shape, const SimulatedTrees& trees);

}  // namespace cuzk::filecoin
