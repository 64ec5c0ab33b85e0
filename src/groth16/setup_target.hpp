// Where a setup's scalars become points. A target is called in the order of the family's files, as groth16/key_sink.hpp states it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "groth16/key_sink.hpp"
#include "msm/fixed_base.hpp"

namespace cuzk {

// What the key's points are multiples of. Proofs hold under any bases; other tools draw theirs at random.
template <class C>
struct SetupBases {
    Affine<typename C::G1> g1 = Affine<typename C::G1>::generator();
    Affine<typename C::G2> g2 = Affine<typename C::G2>::generator();
};

// begin; then each query once; then end. All from one thread.
template <class C>
class SetupTarget {
public:
    virtual ~SetupTarget() = default;
    virtual void begin(const KeyHeader<C>& header) = 0;
    // The points of the query are scalars[i] * base, in G2 for kBG2 and in G1 for the others. The span is valid during the call.
    virtual void query(Query query, std::span<const typename C::Fr> scalars) = 0;
    virtual void end() = 0;
};

// What targets share that stream the points of each query into a sink: Target has write<G>(stage, base, scalars).
template <class C, class Target>
class StreamedTarget : public SetupTarget<C> {
public:
    using Fr = typename C::Fr;

    void begin(const KeyHeader<C>& header) override { sink_.begin(header); }
    void query(Query query, std::span<const Fr> scalars) override {
        sink_.begin_query(query, scalars.size());
        const std::string stage = std::string("setup: ") + query_name(query);
        auto& target = static_cast<Target&>(*this);
        if (query == Query::kBG2)
            target.template write<typename C::G2>(stage, bases_.g2, scalars);
        else
            target.template write<typename C::G1>(stage, bases_.g1, scalars);
    }
    void end() override { sink_.end(); }

protected:
    // All must outlive this object; `progress` may be null.
    StreamedTarget(KeySink<C>& sink, const SetupBases<C>& bases, Progress* progress)
        : sink_(sink), bases_(bases), progress_(progress) {}

    KeySink<C>& sink_;
    const SetupBases<C>& bases_;
    Progress* progress_;
};

// Multiplies on the host.
template <class C>
class SinkTarget final : public StreamedTarget<C, SinkTarget<C>> {
public:
    using Fr = typename C::Fr;

    SinkTarget(KeySink<C>& sink, const SetupBases<C>& bases, Progress* progress)
        : StreamedTarget<C, SinkTarget>(sink, bases, progress) {}

private:
    friend class StreamedTarget<C, SinkTarget>;

    // Points made at a time: enough to pay for a table of multiples, few enough to keep memory flat.
    static constexpr std::size_t kChunk = std::size_t{1} << 18;

    template <class G>
    void write(const std::string& stage, const Affine<G>& base, std::span<const Fr> scalars) {
        std::vector<Affine<G>> points(std::min(kChunk, scalars.size()));
        for (std::size_t done = 0; done < scalars.size();) {
            report_progress(this->progress_, stage, done, scalars.size());
            const std::size_t count = std::min(kChunk, scalars.size() - done);
            const auto out = std::span(points).first(count);
            fixed_base_mul<G>(base, scalars.subspan(done, count), out);
            this->sink_.add(std::span<const Affine<G>>(out));
            done += count;
        }
        report_progress(this->progress_, stage, scalars.size(), scalars.size());
    }
};

}  // namespace cuzk
