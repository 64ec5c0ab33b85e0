// Shared by the checks: one line per check ("ok", "FAIL" or "skip"), the cuzk command under test, and snarkjs as judge.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import * as snarkjs from "snarkjs";

export const here = path.dirname(new URL(import.meta.url).pathname);
export const repository = path.resolve(here, "..");
export const shared = path.resolve(repository, "../shared");
export const cache = path.resolve(process.env.CUZK_INTEROP_CACHE ?? path.join(repository, "build/interop-cache"));
export const cuzk_binary = path.resolve(process.env.CUZK ?? path.join(repository, "build/release/bin/cuzk"));

// The field of the public signals, by the name that proof.json uses.
export const kScalarField = {
    bn128: 21888242871839275222246405745257275088548364400416034343698204186575808495617n,
    bls12381: 52435875175126190479447740508185965837690552500527637822603658699938581184513n,
};

export const readJson = (file) => JSON.parse(fs.readFileSync(file, "utf8"));
export const writeJson = (file, value) => fs.writeFileSync(file, JSON.stringify(value, null, 1) + "\n");

export function workDirectory(name) {
    const dir = path.join(cache, "work", name);
    fs.rmSync(dir, { recursive: true, force: true });
    fs.mkdirSync(dir, { recursive: true });
    return dir;
}

let failures = 0;

export async function check(name, body) {
    try {
        await body();
        console.log(`ok   ${name}`);
        return true;
    } catch (error) {
        failures++;
        console.log(`FAIL ${name}: ${String(error?.message ?? error).trim().replaceAll("\n", " | ")}`);
        return false;
    }
}

export const skip = (name, reason) => console.log(`skip ${name}: ${reason}`);

// snarkjs keeps worker threads alive, so the process has to be ended.
export const finish = () => process.exit(failures ? 1 : 0);

export function expect(condition, message) {
    if (!condition) throw new Error(message);
}

export function cuzk(...args) {
    const run = spawnSync(cuzk_binary, args, { encoding: "utf8", maxBuffer: 1 << 26 });
    if (run.error) throw run.error;
    return { status: run.status, signal: run.signal, output: (run.stdout + run.stderr).trim() };
}

// Runs cuzk and wants this exit status: 0 done or valid, 1 invalid or unsatisfied, 3 malformed input.
export function cuzkExits(status, ...args) {
    const run = cuzk(...args);
    const wanted = [status].flat();
    expect(
        wanted.includes(run.status),
        `cuzk ${args.join(" ")}: exit ${run.status ?? run.signal}, expected ${wanted.join(" or ")}: ${run.output.slice(-400)}`,
    );
    return run;
}

export async function snarkjsAccepts(vkey_file, public_file, proof_file) {
    const valid = await snarkjs.groth16.verify(readJson(vkey_file), readJson(public_file), readJson(proof_file));
    expect(valid, "snarkjs says invalid");
}

// One public signal (or, with none, one proof coordinate) moved by one, written beside the originals.
export function tampered(dir, public_file, proof_file) {
    const signals = readJson(public_file);
    const proof = readJson(proof_file);
    const files = { public: path.join(dir, "tampered-public.json"), proof: path.join(dir, "tampered-proof.json") };
    if (signals.length) {
        const last = signals.length - 1;
        signals[last] = signals[last] === "0" ? "1" : (BigInt(signals[last]) - 1n).toString();
    } else {
        // Another valid curve point: A with its sign flipped.
        const q = {
            bn128: 21888242871839275222246405745257275088696311157297823662689037894645226208583n,
            bls12381:
                4002409555221667393417789825735904156556882819939007885332058136124031650490837864442687629129015664037894272559787n,
        }[proof.curve];
        proof.pi_a[1] = (q - BigInt(proof.pi_a[1])).toString();
    }
    writeJson(files.public, signals);
    writeJson(files.proof, proof);
    return files;
}
