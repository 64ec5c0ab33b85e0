pragma circom 2.0.0;
// x' = x^2 + i, thirty times; one public input, one public output, full-width wires.
// 30 constraints and 3 public rows: one row more than 2^5, so the domain is 64.
template Chain(n) {
    signal input a;
    signal output out;
    signal x[n + 1];
    x[0] <== a;
    for (var i = 0; i < n; i++) {
        x[i + 1] <== x[i] * x[i] + i;
    }
    out <== x[n];
}
component main {public [a]} = Chain(30);
