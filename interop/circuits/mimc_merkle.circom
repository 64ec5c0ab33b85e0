pragma circom 2.0.0;
// A Merkle path of depth 4 over a two-to-one MiMC-like hash (x^7, 30 rounds, toy constants: not a secure hash).
// The root is a public input, the leaf and the path are private.
template Mimc(rounds) {
    signal input left;
    signal input right;
    signal output out;
    signal state[rounds + 1];
    signal x2[rounds];
    signal x4[rounds];
    signal x6[rounds];
    state[0] <== left;
    for (var i = 0; i < rounds; i++) {
        var c = (i * i * i + 1) ** 5;
        var t = state[i] + right + c;
        x2[i] <== t * t;
        x4[i] <== x2[i] * x2[i];
        x6[i] <== x4[i] * x2[i];
        state[i + 1] <== x6[i] * t;
    }
    out <== state[rounds] + left + right;
}

template MerklePath(depth) {
    signal input leaf;
    signal input side[depth];
    signal input sibling[depth];
    signal input expect_depth;
    signal output root;
    signal node[depth + 1];
    signal swap[depth];
    component hash[depth];
    node[0] <== leaf;
    for (var i = 0; i < depth; i++) {
        side[i] * (side[i] - 1) === 0;
        swap[i] <== side[i] * (sibling[i] - node[i]);
        hash[i] = Mimc(30);
        hash[i].left <== node[i] + swap[i];
        hash[i].right <== sibling[i] - swap[i];
        node[i + 1] <== hash[i].out;
    }
    expect_depth * expect_depth === depth * depth; // keeps the public input in a constraint
    root <== node[depth];
}
component main {public [expect_depth]} = MerklePath(4);
