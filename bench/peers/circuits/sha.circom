pragma circom 2.0.0;
// 59,313 constraints, nearly every wire a bit.
include "sha256/sha256.circom";
component main = Sha256(512);
