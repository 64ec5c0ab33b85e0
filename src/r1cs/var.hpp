// Names of variables in instanced constraint systems.
#pragma once

#include "base/types.hpp"

namespace cuzk {

// A variable of the constraint system. Public inputs and auxiliary variables are numbered separately, by allocation order.
// Inside a block template, variables are its parameters or its locals instead (see r1cs/instanced.hpp).
class Var {
public:
    static constexpr u32 kInputFlag = u32{1} << 31;
    static constexpr u32 kParamFlag = u32{1} << 30;
    static constexpr u32 kIndexMask = kParamFlag - 1;

    constexpr Var() = default;
    static constexpr Var input(u32 i) { return Var(i | kInputFlag); }
    static constexpr Var aux(u32 i) { return Var(i); }
    static constexpr Var param(u32 i) { return Var(i | kParamFlag); }
    static constexpr Var one() { return input(0); }  // the constant 1
    static constexpr Var from_raw(u32 raw) { return Var(raw); }

    constexpr u32 raw() const { return raw_; }
    constexpr bool is_input() const { return (raw_ & kInputFlag) != 0; }
    constexpr bool is_param() const { return (raw_ & kParamFlag) != 0; }
    constexpr u32 index() const { return raw_ & kIndexMask; }
    friend constexpr bool operator==(Var a, Var b) { return a.raw_ == b.raw_; }

private:
    explicit constexpr Var(u32 raw) : raw_(raw) {}
    u32 raw_ = 0;
};

}  // namespace cuzk
