// The circuits of tests/data, both curves, both ways: cuzk proves and snarkjs verifies; what snarkjs proved, cuzk verifies.
import fs from "node:fs";
import path from "node:path";
import * as snarkjs from "snarkjs";
import {
    check,
    cuzk,
    cuzkExits,
    expect,
    finish,
    kScalarField,
    readJson,
    repository,
    snarkjsAccepts,
    tampered,
    workDirectory,
    writeJson,
} from "./check.mjs";

const data = path.join(repository, "tests/data");
const work = workDirectory("fixtures");

for (const name of fs.readdirSync(data).sort()) {
    const file = (leaf) => path.join(data, name, leaf);
    if (!fs.existsSync(file("circuit.zkey"))) continue;
    const insecure = name.startsWith("insecure-");
    const allow = insecure ? ["--allow-insecure-key"] : [];
    const proof = path.join(work, `${name}.proof.json`);
    const signals = path.join(work, `${name}.public.json`);

    await check(`${name}: cuzk proves, snarkjs accepts`, async () => {
        cuzkExits(0, "prove", file("circuit.zkey"), file("witness.wtns"), proof, signals, ...allow);
        await snarkjsAccepts(file("vkey.json"), signals, proof);
        expect(JSON.stringify(readJson(signals)) === JSON.stringify(readJson(file("public.json"))), "public signals differ");
    });
    await check(`${name}: snarkjs proved, cuzk accepts`, () =>
        cuzkExits(0, "verify", file("vkey.json"), file("public.json"), file("proof.json"), ...allow),
    );
    await check(`${name}: cuzk refuses a tampered proof`, () => {
        const bad = tampered(work, file("public.json"), file("proof.json"));
        cuzkExits(1, "verify", file("vkey.json"), bad.public, bad.proof, ...allow);
    });
    if (readJson(file("public.json")).length) {
        await check(`${name}: cuzk refuses a public signal plus r`, () => {
            const aliased = readJson(file("public.json"));
            aliased[0] = (BigInt(aliased[0]) + kScalarField[readJson(file("proof.json")).curve]).toString();
            const aliased_file = path.join(work, "aliased.json");
            writeJson(aliased_file, aliased);
            cuzkExits([1, 3], "verify", file("vkey.json"), aliased_file, file("proof.json"), ...allow);
        });
    }
    if (insecure) {
        await check(`${name}: cuzk refuses a key whose gamma equals delta`, () => {
            cuzkExits(3, "prove", file("circuit.zkey"), file("witness.wtns"), proof, signals);
            cuzkExits(3, "verify", file("vkey.json"), file("public.json"), file("proof.json"));
        });
    }
    const old_order = file("circuit-old-order.zkey");
    if (fs.existsSync(old_order)) {
        await check(`${name}: a key with its sections in the old order`, async () => {
            cuzkExits(0, "prove", old_order, file("witness.wtns"), proof, signals);
            await snarkjsAccepts(file("vkey.json"), signals, proof);
        });
    }
    await check(`${name}: snarkjs takes the key that cuzk sets up`, async () => {
        const ours = (leaf) => path.join(work, `${name}.${leaf}`);
        cuzkExits(0, "setup", file("circuit.r1cs"), ours("zkey"));
        writeJson(ours("vkey.json"), await snarkjs.zKey.exportVerificationKey(ours("zkey")));
        const made = await snarkjs.groth16.prove(ours("zkey"), file("witness.wtns"));
        writeJson(ours("theirs.json"), made.proof);
        writeJson(ours("theirs-public.json"), made.publicSignals);
        expect(
            await snarkjs.groth16.verify(readJson(ours("vkey.json")), made.publicSignals, made.proof),
            "snarkjs rejects its own proof under this key",
        );
        cuzkExits(0, "verify", ours("vkey.json"), ours("theirs-public.json"), ours("theirs.json"));
        cuzkExits(0, "prove", ours("zkey"), file("witness.wtns"), proof, signals);
        await snarkjsAccepts(ours("vkey.json"), signals, proof);
    });
}

// A witness file whose body is one value short once made another prover sign a statement about zeros.
await check("short witness body: refused, nothing written", () => {
    const source = fs.readFileSync(path.join(data, "chain30-bn128/witness.wtns"));
    const short = path.join(work, "short.wtns");
    const out = path.join(work, "short-proof.json");
    fs.writeFileSync(short, source.subarray(0, source.length - 32));
    const run = cuzk("prove", path.join(data, "chain30-bn128/circuit.zkey"), short, out, path.join(work, "short-public.json"));
    expect(run.status === 3, `exit ${run.status}: ${run.output}`);
    expect(!fs.existsSync(out), "a proof was left behind");
});

finish();
