pragma circom 2.1.6;
// 1,570,377 constraints: a DKIM-signed mail of up to 640 header and 768 body bytes.
include "@zk-email/circuits/email-verifier.circom";
component main {public [pubkey]} = EmailVerifier(640, 768, 121, 17, 0, 0, 0, 0);
