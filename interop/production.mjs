// Production circuits from npm packages (packages.txt), with the inputs of inputs/: cuzk proves and snarkjs verifies
// under the key's own and the package's verification key; snarkjs proves and cuzk verifies.
import fs from "node:fs";
import path from "node:path";
import * as snarkjs from "snarkjs";
import {
    cache,
    check,
    cuzk,
    cuzkExits,
    expect,
    finish,
    here,
    readJson,
    shared,
    skip,
    snarkjsAccepts,
    tampered,
    workDirectory,
    writeJson,
} from "./check.mjs";

const npm = (leaf) => path.join(cache, "npm", leaf);
const work = workDirectory("production");

for (const input of fs.readdirSync(path.join(here, "inputs")).sort()) {
    const name = path.basename(input, ".json");
    const unsatisfied = name.endsWith("-unsatisfied");
    const circuit = name.replace("-unsatisfied", "");
    const out = (leaf) => path.join(work, `${name}.${leaf}`);
    const ready = await check(`${name}: witness`, () =>
        snarkjs.wtns.calculate(readJson(path.join(here, "inputs", input)), npm(`${circuit}.wasm`), out("wtns")),
    );
    if (!ready) continue;
    if (unsatisfied) {
        await check(`${name}: cuzk refuses the witness`, () => {
            const run = cuzk("prove", npm(`${circuit}.zkey`), out("wtns"), out("proof.json"), out("public.json"));
            expect(run.status === 1, `exit ${run.status}: ${run.output}`);
            expect(!fs.existsSync(out("proof.json")), "a proof was left behind");
        });
        continue;
    }
    await check(`${name}: cuzk proves, snarkjs accepts`, async () => {
        cuzkExits(0, "prove", npm(`${circuit}.zkey`), out("wtns"), out("proof.json"), out("public.json"));
        writeJson(out("vkey.json"), await snarkjs.zKey.exportVerificationKey(npm(`${circuit}.zkey`)));
        await snarkjsAccepts(out("vkey.json"), out("public.json"), out("proof.json"));
        const shipped = npm(`${circuit}.vkey.json`);
        if (fs.existsSync(shipped)) await snarkjsAccepts(shipped, out("public.json"), out("proof.json"));
    });
    await check(`${name}: snarkjs proves, cuzk accepts and refuses a tampered signal`, async () => {
        const { proof, publicSignals } = await snarkjs.groth16.prove(npm(`${circuit}.zkey`), out("wtns"));
        writeJson(out("theirs.json"), proof);
        writeJson(out("theirs-public.json"), publicSignals);
        cuzkExits(0, "verify", out("vkey.json"), out("theirs-public.json"), out("theirs.json"));
        const bad = tampered(work, out("theirs-public.json"), out("theirs.json"));
        cuzkExits(1, "verify", out("vkey.json"), bad.public, bad.proof);
    });
}

const cases = path.join(shared, "data/cases");
if (fs.existsSync(cases)) {
    for (const leaf of fs.readdirSync(cases).filter((f) => f.endsWith(".vkey.json")).sort()) {
        const file = (suffix) => path.join(cases, leaf.replace("vkey.json", suffix));
        await check(`${leaf.replace(".vkey.json", "")}: recorded snarkjs proof, cuzk accepts`, () =>
            cuzkExits(0, "verify", file("vkey.json"), file("public.json"), file("proof.json")),
        );
    }
} else {
    skip("recorded snarkjs proofs", `${cases} is absent`);
}

finish();
