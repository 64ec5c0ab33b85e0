// node make_fixtures.mjs OUT_DIR WORK_DIR
//
// Regenerates the snarkjs fixtures of tests/data: compiles circuits/*.circom for both curves, runs a small real
// powers-of-tau ceremony, sets each circuit up with one contribution, computes the witness, proves and verifies.
// The random parts (ceremony, r and s) differ from run to run, so the output is checked by use, not by digest.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import * as snarkjs from "snarkjs";

const [out, work] = process.argv.slice(2).map((p) => path.resolve(p));
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const circom = createRequire(import.meta.url).resolve("circom2/cli.js");

const kPower = 9;
const kCurves = { bn128: "bn128", bls12381: "bls12-381" };
const big = (1n << 250n) - 12345n;
const kCircuits = {
    multiplier: { a: 3, b: 11 },
    factor33: { a: 3, b: 11 },
    chain30: { a: 7 },
    bits: { value: 0xfedcba9876543211n, unused: 42 },
    mimc_merkle: {
        leaf: big,
        side: [0, 1, 1, 0],
        sibling: [big + 1n, 5, big + 3n, 0],
        expect_depth: 4,
    },
    linear: { a: 5 },
};

const json = (file, value) => fs.writeFileSync(file, JSON.stringify(value, null, 1) + "\n");
const entropy = () => randomBytes(32).toString("hex");

async function powersOfTau(curve_name) {
    const file = path.join(work, `${curve_name}-${kPower}.ptau`);
    if (fs.existsSync(file)) return file;
    const curve = await snarkjs.curves.getCurveFromName(kCurves[curve_name]);
    const step = (n) => path.join(work, `${curve_name}-step${n}.ptau`);
    await snarkjs.powersOfTau.newAccumulator(curve, kPower, step(0));
    await snarkjs.powersOfTau.contribute(step(0), step(1), "fixture", entropy());
    await snarkjs.powersOfTau.beacon(step(1), step(2), "beacon", "0102030405060708090a0b0c0d0e0f10", 10);
    await snarkjs.powersOfTau.preparePhase2(step(2), file);
    return file;
}

function compile(circuit, curve_name) {
    const dir = path.join(work, `${circuit}-${curve_name}`);
    fs.mkdirSync(dir, { recursive: true });
    // circom2 is a WASI program that sees paths relative to its working directory only.
    const args = [circom, `circuits/${circuit}.circom`, "--r1cs", "--wasm", "--O2", "--prime", curve_name];
    const run = spawnSync(process.execPath, [...args, "-o", path.relative(here, dir)], { cwd: here, encoding: "utf8" });
    if (run.status !== 0) throw new Error(`circom2 ${circuit}: ${run.stdout}${run.stderr}`);
    return {
        r1cs: path.join(dir, `${circuit}.r1cs`),
        wasm: path.join(dir, `${circuit}_js`, `${circuit}.wasm`),
    };
}

async function fixture(circuit, curve_name, ptau, contribute) {
    const built = compile(circuit, curve_name);
    const dir = path.join(out, contribute ? `${circuit}-${curve_name}` : `insecure-${curve_name}`);
    fs.mkdirSync(dir, { recursive: true });
    const file = (name) => path.join(dir, name);
    fs.copyFileSync(built.r1cs, file("circuit.r1cs"));
    await snarkjs.wtns.calculate(kCircuits[circuit], built.wasm, file("witness.wtns"));
    if (!(await snarkjs.wtns.check(file("circuit.r1cs"), file("witness.wtns")))) throw new Error("bad witness");
    if (contribute) {
        const first = path.join(work, "first.zkey");
        await snarkjs.zKey.newZKey(file("circuit.r1cs"), ptau, first);
        await snarkjs.zKey.contribute(first, file("circuit.zkey"), "fixture", entropy());
    } else {
        await snarkjs.zKey.newZKey(file("circuit.r1cs"), ptau, file("circuit.zkey"));
    }
    const vkey = await snarkjs.zKey.exportVerificationKey(file("circuit.zkey"));
    const { proof, publicSignals } = await snarkjs.groth16.prove(file("circuit.zkey"), file("witness.wtns"));
    if (!(await snarkjs.groth16.verify(vkey, publicSignals, proof))) throw new Error(`${dir}: invalid`);
    json(file("vkey.json"), vkey);
    json(file("proof.json"), proof);
    json(file("public.json"), publicSignals);
    fs.writeFileSync(
        file("calldata.txt"),
        (await snarkjs.groth16.exportSolidityCallData(proof, publicSignals)) + "\n",
    );
    console.log(`ok ${path.basename(dir)}`);
}

fs.mkdirSync(work, { recursive: true });
for (const curve_name of Object.keys(kCurves)) {
    const ptau = await powersOfTau(curve_name);
    for (const circuit of Object.keys(kCircuits)) {
        try {
            await fixture(circuit, curve_name, ptau, true);
        } catch (error) {
            console.log(`FAIL ${circuit}-${curve_name}: ${error?.stack ?? error}`);
            process.exitCode = 1;
        }
    }
    await fixture("multiplier", curve_name, ptau, false);
}
process.exit();
