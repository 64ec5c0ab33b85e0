// Keys that several devices hold: loaded from the host once, then copied from device to device.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace cuzk::gpu {

// What backends that share one may take from each other. Thread-safe. Entries are weak: a key is there for others as long as its
// own backend keeps it.
class KeyExchange {
public:
    // Device memory that holds the points of a host's key: a DeviceKey of the key's curve, immutable.
    struct Place {
        int device = 0;
        std::shared_ptr<const void> key;
    };

    void offer(const void* host_key, int device, const std::shared_ptr<const void>& key) {
        const std::lock_guard lock(mutex_);
        std::erase_if(offers_, [](const Offer& offer) { return offer.key.expired(); });
        offers_.push_back({host_key, device, key});
    }

    // The copies that there are.
    std::vector<Place> find(const void* host_key) const {
        const std::lock_guard lock(mutex_);
        std::vector<Place> places;
        for (const Offer& offer : offers_) {
            if (offer.host_key != host_key) continue;
            if (std::shared_ptr<const void> key = offer.key.lock())
                places.push_back({offer.device, std::move(key)});
        }
        return places;
    }

    // Nobody finds this copy from now on; who has found it still holds it.
    void withdraw(const void* key) {
        const std::lock_guard lock(mutex_);
        std::erase_if(offers_, [&](const Offer& offer) {
            return offer.key.expired() || offer.key.lock().get() == key;
        });
    }

private:
    struct Offer {
        const void* host_key;
        int device;
        std::weak_ptr<const void> key;
    };

    mutable std::mutex mutex_;
    std::vector<Offer> offers_;
};

}  // namespace cuzk::gpu
