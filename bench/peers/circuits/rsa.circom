pragma circom 2.1.6;
// 190,945 constraints: RSA-2048 with its range checks.
include "@zk-email/circuits/lib/rsa.circom";
component main {public [modulus]} = RSAVerifier65537(121, 17);
