// Writes a circuit of any number of constraints, and its witness, straight in circom's file formats.
import fs from "node:fs";

const u32 = (x) => {
    const b = Buffer.alloc(4);
    b.writeUInt32LE(x);
    return b;
};
const u64 = (x) => {
    const b = Buffer.alloc(8);
    b.writeBigUInt64LE(BigInt(x));
    return b;
};
const scalar = (x) => Buffer.from(x.toString(16).padStart(64, "0"), "hex").reverse();

function writeSections(file, magic, version, sections) {
    const parts = [Buffer.from(magic), u32(version), u32(sections.length)];
    sections.forEach((body, i) => parts.push(u32(i + 1), u64(body.length), body));
    fs.writeFileSync(file, Buffer.concat(parts));
}

// x' = x^2 + i, `constraints` times, with the input 7; every wire is as wide as the field. Wires: one, output, input (both
// public), then the chain. Returns the public signals as snarkjs lists them.
export function writeChain(constraints, r, r1cs_file, wtns_file) {
    const wires = 3 + Math.max(0, constraints - 1);
    const values = [1n, 0n, 7n];
    const wire_of = (i) => (i === 0 ? 2 : i === constraints ? 1 : 2 + i);
    const rows = [];
    const combination = (...terms) =>
        Buffer.concat([u32(terms.length), ...terms.flatMap(([wire, k]) => [u32(wire), scalar(k)])]);
    let x = values[2];
    for (let i = 0; i < constraints; i++) {
        const square = combination([wire_of(i), 1n]);
        const result = i ? combination([0, r - BigInt(i)], [wire_of(i + 1), 1n]) : combination([wire_of(1), 1n]);
        rows.push(square, square, result);
        x = (x * x + BigInt(i)) % r;
        values[wire_of(i + 1)] = x;
    }
    const labels = Buffer.concat(Array.from({ length: wires }, (_, i) => u64(i)));
    const header = [u32(32), scalar(r), u32(wires), u32(1), u32(1), u32(0), u64(wires), u32(constraints)];
    writeSections(r1cs_file, "r1cs", 1, [Buffer.concat(header), Buffer.concat(rows), labels]);
    writeSections(wtns_file, "wtns", 2, [
        Buffer.concat([u32(32), scalar(r), u32(wires)]),
        Buffer.concat(values.map(scalar)),
    ]);
    return [values[1].toString(), values[2].toString()];
}
