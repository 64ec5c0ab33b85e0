// node make_inputs.mjs OUT_DIR [NAME...]
//
// Makes OUT_DIR/NAME/{circuit.r1cs,witness.wtns} for the circuits that compare.py measures:
//   chain16000, chain65000 (full-width witness, on bn128 and as NAME-bls12381 on bls12381), sha and rsa (mostly bits; bn128),
//   and, only when named because compiling it takes minutes and 3.6 GiB, email (1.57 million constraints; bn128).
// Keys are then a matter of `cuzk setup`; compare.py does it. Needs `npm ci --ignore-scripts` in this folder.
import { execFileSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { writeChain } from "../../interop/chain.mjs";

const kScalarField = {
    bn128: 21888242871839275222246405745257275088548364400416034343698204186575808495617n,
    bls12381: 52435875175126190479447740508185965837690552500527637822603658699938581184513n,
};
const kLimbBits = 121n;
const kLimbs = 17;

const here = path.dirname(new URL(import.meta.url).pathname);
const out = path.resolve(process.argv[2]);
const names = process.argv.slice(3);
const wanted = names.length ? names : ["chain16000", "chain65000", "chain16000-bls12381", "chain65000-bls12381", "sha", "rsa"];

const limbs = (x) => Array.from({ length: kLimbs }, (_, i) => ((x >> (kLimbBits * BigInt(i))) & ((1n << kLimbBits) - 1n)).toString());
const number = (bytes) => BigInt("0x" + Buffer.from(bytes).toString("hex"));

function rsaKey() {
    const pair = crypto.generateKeyPairSync("rsa", { modulusLength: 2048, publicExponent: 65537 });
    const modulus = number(Buffer.from(pair.publicKey.export({ format: "jwk" }).n, "base64url"));
    return { modulus, sign: (message) => number(crypto.sign("sha256", message, pair.privateKey)) };
}

function rsaInput() {
    const key = rsaKey();
    const message = Buffer.from("a message to sign");
    const digest = number(crypto.createHash("sha256").update(message).digest());
    return { message: limbs(digest), signature: limbs(key.sign(message)), modulus: limbs(key.modulus) };
}

// SHA-256's padding, then zeros up to the circuit's maximum; and the padded length.
function padded(message, maximum) {
    const length = Math.ceil((message.length + 9) / 64) * 64;
    const bytes = Buffer.alloc(maximum);
    message.copy(bytes);
    bytes[message.length] = 0x80;
    bytes.writeBigUInt64BE(BigInt(message.length) * 8n, length - 8);
    return { bytes: [...bytes].map(String), length: String(length) };
}

function emailInput() {
    const key = rsaKey();
    const body = Buffer.from("Dear reader,\r\nthis mail exists to be proved.\r\n".repeat(5));
    const body_hash = crypto.createHash("sha256").update(body).digest("base64");
    const header = Buffer.from(
        "from:Ada <ada@example.com>\r\nto:charles@example.org\r\nsubject:On proofs\r\n" +
            "date:Mon, 01 Jan 2024 00:00:00 +0000\r\ndkim-signature:v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.com; " +
            `s=sel; t=1704067200; h=from:to:subject:date; bh=${body_hash}; b=`,
    );
    const initial = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
    const state = Buffer.alloc(32);
    initial.forEach((word, i) => state.writeUInt32BE(word, 4 * i));
    const [head, text] = [padded(header, 640), padded(body, 768)];
    return {
        emailHeader: head.bytes,
        emailHeaderLength: head.length,
        pubkey: limbs(key.modulus),
        signature: limbs(key.sign(header)),
        bodyHashIndex: String(header.indexOf(body_hash)),
        precomputedSHA: [...state].map(String),
        emailBody: text.bytes,
        emailBodyLength: text.length,
    };
}

const kInputs = {
    sha: () => ({ in: Array.from({ length: 512 }, (_, i) => ((i * i * 7 + i) >> 2) & 1) }),
    rsa: rsaInput,
    email: emailInput,
};

async function compiled(name, dir) {
    const snarkjs = await import("snarkjs");
    const build = path.join(dir, "build");
    fs.mkdirSync(build, { recursive: true });
    // circom2 is a WASI program that sees paths relative to its working directory only.
    const arguments_ = [
        ...["--max-old-space-size=8000", "node_modules/circom2/cli.js", `circuits/${name}.circom`, "--r1cs", "--wasm"],
        ...["--prime", "bn128", "-l", "node_modules", "-l", "node_modules/circomlib/circuits", "-o", path.relative(here, build)],
    ];
    execFileSync(process.execPath, arguments_, { cwd: here, stdio: ["ignore", "ignore", "inherit"] });
    fs.renameSync(path.join(build, `${name}.r1cs`), path.join(dir, "circuit.r1cs"));
    await snarkjs.wtns.calculate(kInputs[name](), path.join(build, `${name}_js`, `${name}.wasm`), path.join(dir, "witness.wtns"));
    fs.rmSync(build, { recursive: true });
}

for (const name of wanted) {
    const dir = path.join(out, name);
    const r1cs = path.join(dir, "circuit.r1cs");
    const wtns = path.join(dir, "witness.wtns");
    if (fs.existsSync(r1cs) && fs.existsSync(wtns)) continue;
    fs.mkdirSync(dir, { recursive: true });
    const chain = /^chain(\d+)(-bls12381)?$/.exec(name);
    if (chain) {
        writeChain(Number(chain[1]), kScalarField[chain[2] ? "bls12381" : "bn128"], r1cs, wtns);
    } else if (kInputs[name]) {
        await compiled(name, dir);
    } else {
        console.error(`make_inputs: no circuit named '${name}'`);
        process.exit(2);
    }
    console.log(`made ${dir}`);
}
process.exit(0);
