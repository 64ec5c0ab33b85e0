// What the key store keeps together with the memory that is reserved for it.
#pragma once

#include "engine/key_store.hpp"

namespace cuzk::engine {

struct KeyStore::HeldCircuit {
    Reservation memory;
    Reservation more;  // for a key that was opened anew and needs host memory now
    std::unique_ptr<Circuit> circuit;
};

// A key that holds its reservation; the key goes first, then its memory is free.
class KeyStore::Held final : public ResidentKey {
public:
    // `host`: for what the device keeps of the host's memory because of this key.
    Held(Reservation memory, Reservation host, std::unique_ptr<ResidentKey> key)
        : memory_(std::move(memory)), host_(std::move(host)), key_(std::move(key)) {}
    std::vector<u8> prove(const Witness& witness, const ProveMonitor& monitor) override {
        return key_->prove(witness, monitor);
    }
    KeyTier tier() const override { return key_->tier(); }

private:
    Reservation memory_, host_;
    std::unique_ptr<ResidentKey> key_;
};

}  // namespace cuzk::engine
