pragma circom 2.0.0;
// A 64-bit range check: nearly every wire is 0 or 1, as in hash circuits. The second public input takes part
// in no constraint.
template Bits(n) {
    signal input value;
    signal input unused;
    signal output odd;
    signal bit[n];
    var sum = 0;
    for (var i = 0; i < n; i++) {
        bit[i] <-- (value >> i) & 1;
        bit[i] * (bit[i] - 1) === 0;
        sum += bit[i] * (1 << i);
    }
    sum === value;
    odd <== bit[0];
}
component main {public [value, unused]} = Bits(64);
