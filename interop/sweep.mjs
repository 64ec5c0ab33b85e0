// Circuits whose row count (constraints and public rows) lies around a power of two, on both curves: sizes at which
// provers have been seen to disagree with snarkjs. Keys from snarkjs for the small ones, from cuzk for all.
import fs from "node:fs";
import path from "node:path";
import * as snarkjs from "snarkjs";
import {
    check,
    cuzkExits,
    expect,
    finish,
    kScalarField,
    readJson,
    snarkjsAccepts,
    workDirectory,
    writeJson,
} from "./check.mjs";
import { writeChain } from "./chain.mjs";

const kSnarkjsPower = 8; // snarkjs sets up circuits up to this domain, in seconds
const kLargestPower = 12;
const work = workDirectory("sweep");

async function powersOfTau(curve_name) {
    const file = path.join(work, "..", `sweep-${curve_name}-${kSnarkjsPower}.ptau`);
    if (fs.existsSync(file)) return file;
    const curve = await snarkjs.curves.getCurveFromName(curve_name === "bls12381" ? "bls12-381" : curve_name);
    const step = (n) => path.join(work, `step${n}.ptau`);
    await snarkjs.powersOfTau.newAccumulator(curve, kSnarkjsPower, step(0));
    await snarkjs.powersOfTau.contribute(step(0), step(1), "sweep", "test only");
    await snarkjs.powersOfTau.preparePhase2(step(1), step(2));
    fs.renameSync(step(2), file);
    return file;
}

async function snarkjsSetup(r1cs, ptau, zkey) {
    const first = path.join(work, "first.zkey");
    await snarkjs.zKey.newZKey(r1cs, ptau, first);
    await snarkjs.zKey.contribute(first, zkey, "sweep", "test only");
}

const domainOf = (zkey) => {
    const bytes = fs.readFileSync(zkey);
    for (let at = 12; ; at += 12 + Number(bytes.readBigUInt64LE(at + 4))) {
        if (bytes.readUInt32LE(at) !== 2) continue;
        const n8q = bytes.readUInt32LE(at + 12);
        return bytes.readUInt32LE(at + 12 + 4 + n8q + 4 + 32 + 8);
    }
};

async function proveAndJudge(name, zkey, wtns, signals) {
    const file = (leaf) => path.join(work, `${name}.${leaf}`);
    writeJson(file("vkey.json"), await snarkjs.zKey.exportVerificationKey(zkey));
    cuzkExits(0, "prove", zkey, wtns, file("proof.json"), file("public.json"));
    await snarkjsAccepts(file("vkey.json"), file("public.json"), file("proof.json"));
    const made = readJson(file("public.json"));
    expect(JSON.stringify(made) === JSON.stringify(signals), `public signals ${made}`);
    return file("vkey.json");
}

for (const [curve_name, r] of Object.entries(kScalarField)) {
    const ptau = await powersOfTau(curve_name);
    const kPublicRows = 3; // one, output, input
    const sizes = [kPublicRows, kPublicRows + 1];
    for (let k = 3; k <= kLargestPower; k++) for (let d = -2; d <= 2; d++) sizes.push((1 << k) + d);
    for (const rows of sizes) {
        const name = `${curve_name}-${rows}`;
        const r1cs = path.join(work, `${name}.r1cs`);
        const wtns = path.join(work, `${name}.wtns`);
        const signals = writeChain(rows - kPublicRows, r, r1cs, wtns);
        const domain = 1 << Math.ceil(Math.log2(rows));
        await check(`${curve_name}, ${rows} rows: key by cuzk`, async () => {
            const zkey = path.join(work, `${name}.zkey`);
            cuzkExits(0, "setup", r1cs, zkey);
            expect(domainOf(zkey) === domain, `domain ${domainOf(zkey)}, expected ${domain}`);
            const vkey = await proveAndJudge(name, zkey, wtns, signals);
            const theirs = await snarkjs.groth16.prove(zkey, wtns);
            writeJson(path.join(work, "theirs.json"), theirs.proof);
            writeJson(path.join(work, "theirs-public.json"), theirs.publicSignals);
            cuzkExits(0, "verify", vkey, path.join(work, "theirs-public.json"), path.join(work, "theirs.json"));
        });
        if (rows > kPublicRows && domain <= 1 << kSnarkjsPower) {
            await check(`${curve_name}, ${rows} rows: key by snarkjs`, async () => {
                const zkey = path.join(work, `${name}-snarkjs.zkey`);
                await snarkjsSetup(r1cs, ptau, zkey);
                await proveAndJudge(`${name}-snarkjs`, zkey, wtns, signals);
            });
        }
    }
}

finish();
