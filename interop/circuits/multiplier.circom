pragma circom 2.0.0;
// One constraint; the only public signal is an output. With the public rows the domain is 4.
template Multiplier() {
    signal input a;
    signal input b;
    signal output c;
    c <== a * b;
}
component main = Multiplier();
