pragma circom 2.0.0;
// No public signal at all: the statement "I know a factorisation of 33". Domain 2.
template Factor33() {
    signal input a;
    signal input b;
    a * b === 33;
}
component main = Factor33();
