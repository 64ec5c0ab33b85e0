// node make_vectors.mjs OUT_DIR
//
// Writes known-answer vectors for fields, curves, pairings and encodings, computed by @noble/curves and plain BigInt
// arithmetic. Inputs come from SHA-512 of a label, so the output is the same on every run. tests/data/README.md
// documents the layout.
import { bls12_381 } from "@noble/curves/bls12-381";
import { bn254 } from "@noble/curves/bn254";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const out = path.resolve(process.argv[2]);
const mod = (a, m) => ((a % m) + m) % m;
const power = (base, e, m) => {
    let result = 1n;
    for (let b = mod(base, m); e > 0n; e >>= 1n, b = (b * b) % m) if (e & 1n) result = (result * b) % m;
    return result;
};
const inverse = (a, m) => power(a, m - 2n, m);
const bytesBE = (x, n) => x.toString(16).padStart(2 * n, "0");
const bytesLE = (x, n) => Buffer.from(bytesBE(x, n), "hex").reverse().toString("hex");

function make(name, curve) {
    const { Fp, Fr, Fp2, Fp6, Fp12 } = curve.fields;
    const G1 = curve.G1.ProjectivePoint;
    const G2 = curve.G2.ProjectivePoint;
    const p = Fp.ORDER;
    const r = Fr.ORDER;
    const kBytes = name === "bls12_381" ? 48 : 32;
    let counter = 0;
    const random = (m) => {
        const digest = createHash("sha512").update(`cuzk vectors ${name} ${counter++}`).digest("hex");
        return BigInt("0x" + digest) % m;
    };
    const hexP = (x) => bytesBE(x, kBytes);
    const hexR = (x) => bytesBE(x, 32);
    const fp2 = (x) => [hexP(x.c0), hexP(x.c1)];
    const fp6 = (x) => [x.c0, x.c1, x.c2].flatMap(fp2);
    const fp12 = (x) => [x.c0, x.c1].flatMap(fp6);
    const g1 = (point) => {
        if (point.equals(G1.ZERO)) return null;
        const { x, y } = point.toAffine();
        return [hexP(x), hexP(y)];
    };
    const g2 = (point) => {
        if (point.equals(G2.ZERO)) return null;
        const { x, y } = point.toAffine();
        return [...fp2(x), ...fp2(y)];
    };
    const mul = (point, k) => (mod(k, r) === 0n ? point.constructor.ZERO : point.multiply(mod(k, r)));

    const primeField = (m, hex) => {
        const edge = [0n, 1n, 2n, m - 1n, m - 2n, (m - 1n) / 2n, (1n << 64n) - 1n, 1n << 128n];
        const pairs = edge.map((a, i) => [a, edge[(i * 3 + 1) % edge.length]]);
        for (let i = 0; i < 16; i++) pairs.push([random(m), random(m)]);
        return pairs.map(([a, b]) => ({
            a: hex(a),
            b: hex(b),
            add: hex(mod(a + b, m)),
            sub: hex(mod(a - b, m)),
            mul: hex(mod(a * b, m)),
            square: hex(mod(a * a, m)),
            neg: hex(mod(-a, m)),
            inverse: a === 0n ? null : hex(inverse(a, m)),
            is_square: a === 0n || power(a, (m - 1n) / 2n, m) === 1n,
            montgomery: hex(mod(a << BigInt(8 * (m === p ? kBytes : 32)), m)),
        }));
    };
    const randomFp2 = () => ({ c0: random(p), c1: random(p) });
    const randomFp6 = () => ({ c0: randomFp2(), c1: randomFp2(), c2: randomFp2() });
    const randomFp12 = () => ({ c0: randomFp6(), c1: randomFp6() });
    const extension = (F, flat, sample, frobenius) =>
        Array.from({ length: 4 }, () => {
            const [a, b] = [sample(), sample()];
            const entry = { a: flat(a), b: flat(b), mul: flat(F.mul(a, b)), square: flat(F.sqr(a)), inverse: flat(F.inv(a)) };
            // By definition the i-th Frobenius map is the p^i-th power: computed so, not by precomputed constants.
            entry.frobenius = frobenius.map((i) => flat(F.pow(a, p ** BigInt(i))));
            return entry;
        });

    // A number theoretic transform straight from its definition: out[i] = sum_j in[j] * root^(i*j).
    let two_adicity = 0;
    while (((r - 1n) >> BigInt(two_adicity)) % 2n === 0n) two_adicity++;
    const ntt = (generator, n) => {
        const root = power(generator, (r - 1n) / BigInt(n), r);
        const input = Array.from({ length: n }, () => random(r));
        const output = input.map((_, i) =>
            input.reduce((sum, x, j) => mod(sum + x * power(root, BigInt(i * j), r), r), 0n),
        );
        return { n, root: hexR(root), input: input.map(hexR), output: output.map(hexR) };
    };
    let non_residue = 2n;
    while (power(non_residue, (r - 1n) / 2n, r) === 1n) non_residue++;
    const generators = name === "bls12_381" ? { snarkjs: non_residue, bellman: 7n } : { snarkjs: non_residue };

    const edge_scalars = [1n, 2n, 3n, r - 1n, r - 2n, 1n << 64n, 1n << 127n, (r - 1n) / 2n];
    const scalars = [...edge_scalars, ...Array.from({ length: 8 }, () => random(r))];
    const multiples = (G, flat) => scalars.map((k) => ({ k: hexR(k), point: flat(mul(G.BASE, k)) }));
    const additions = (G, flat) =>
        Array.from({ length: 4 }, () => {
            const [a, b] = [mul(G.BASE, random(r)), mul(G.BASE, random(r))];
            return { a: flat(a), b: flat(b), sum: flat(a.add(b)), double_a: flat(a.double()) };
        });
    const msm = (G, flat, n) => {
        const bases = Array.from({ length: n }, (_, i) => (i % 7 === 3 ? G.ZERO : mul(G.BASE, random(r))));
        const special = [0n, 1n, r - 1n, 2n, 255n];
        const ks = bases.map((_, i) => (i % 3 === 0 ? special[(i / 3) % special.length] : random(r)));
        const sum = bases.reduce((acc, base, i) => acc.add(base.equals(G.ZERO) ? base : mul(base, ks[i])), G.ZERO);
        return { bases: bases.map(flat), scalars: ks.map(hexR), result: flat(sum) };
    };

    // Points of the curve or its twist outside the prime-order subgroup, and x coordinates without a point.
    const outside = (G, F, lift, b, flat) => {
        const off_subgroup = [];
        const no_point = [];
        for (let i = 1n; off_subgroup.length < 3 || no_point.length < 3; i++) {
            const x = lift(i);
            const y2 = F.add(F.mul(F.mul(x, x), x), b);
            let y;
            try {
                y = F.sqrt(y2);
            } catch {
                if (no_point.length < 3) no_point.push(x);
                continue;
            }
            const point = G.fromAffine({ x, y });
            // r - 1 times the point equals its negative exactly in the subgroup; multiply() would take k mod r.
            const in_subgroup = point.multiplyUnsafe(r - 1n).add(point).equals(G.ZERO);
            if (!in_subgroup && off_subgroup.length < 3) off_subgroup.push(point);
        }
        return { off_subgroup, no_point };
    };
    const b1 = name === "bls12_381" ? 4n : 3n;
    const b2 = curve.params.G2b;
    const bad2 = outside(G2, Fp2, (i) => ({ c0: i, c1: 1n }), b2, g2);
    const bad1 = name === "bls12_381" ? outside(G1, Fp, (i) => i, b1, g1) : null;

    // Montgomery little-endian, as in .zkey files: x * 2^(8n) mod p, affine, infinity = all zero bytes.
    const lem = (x) => bytesLE(mod(x << BigInt(8 * kBytes), p), kBytes);
    const zkey1 = (point) => {
        if (point.equals(G1.ZERO)) return "00".repeat(2 * kBytes);
        const { x, y } = point.toAffine();
        return lem(x) + lem(y);
    };
    const zkey2 = (point) => {
        if (point.equals(G2.ZERO)) return "00".repeat(4 * kBytes);
        const { x, y } = point.toAffine();
        return lem(x.c0) + lem(x.c1) + lem(y.c0) + lem(y.c1);
    };
    const encodings = { zkey: [] };
    for (const k of [0n, 1n, r - 1n, random(r), random(r), random(r)]) {
        const [P, Q] = [mul(G1.BASE, k), mul(G2.BASE, k)];
        encodings.zkey.push({ k: hexR(k), g1: zkey1(P), g2: zkey2(Q) });
    }
    if (name === "bls12_381") {
        encodings.zcash = encodings.zkey.map(({ k }) => {
            const [P, Q] = [mul(G1.BASE, BigInt("0x" + k)), mul(G2.BASE, BigInt("0x" + k))];
            return {
                k,
                g1_compressed: Buffer.from(P.toRawBytes(true)).toString("hex"),
                g1_uncompressed: Buffer.from(P.toRawBytes(false)).toString("hex"),
                g2_compressed: Buffer.from(Q.toRawBytes(true)).toString("hex"),
                g2_uncompressed: Buffer.from(Q.toRawBytes(false)).toString("hex"),
            };
        });
        encodings.invalid = invalidZcash(encodings.zcash[3], bad1, bad2, p);
    }

    const pair = (P, Q) => {
        const miller = curve.pairing(P, Q, false);
        return Fp12.pow(miller, (p ** 12n - 1n) / r);
    };
    const fast_power =
        name === "bls12_381"
            ? 3n
            : (() => {
                  const x = 4965661367192848881n;
                  return mod(2n * x * (6n * x * x + 3n * x + 1n), r);
              })();
    const pairings = [
        [1n, 1n],
        [random(r), 1n],
        [random(r), random(r)],
        [r - 1n, random(r)],
    ].map(([a, b]) => {
        const [P, Q] = [mul(G1.BASE, a), mul(G2.BASE, b)];
        const value = pair(P, Q);
        if (!Fp12.eql(curve.pairing(P, Q), Fp12.pow(value, fast_power))) throw new Error(`${name}: pairing convention`);
        return { a: hexR(a), b: hexR(b), value: fp12(value) };
    });

    const vectors = {
        curve: name,
        p: hexP(p),
        r: hexR(r),
        fp: primeField(p, hexP),
        fr: primeField(r, hexR),
        fp2: extension(Fp2, fp2, randomFp2, [1]),
        fp6: extension(Fp6, fp6, randomFp6, [1, 2]),
        fp12: extension(Fp12, fp12, randomFp12, [1, 2, 3]),
        ntt: Object.fromEntries(
            Object.entries(generators).map(([family, g]) => [
                family,
                { generator: hexR(g), two_adicity, transforms: [2, 4, 8, 16].map((n) => ntt(g, n)) },
            ]),
        ),
        g1: { b: hexP(b1), multiples: multiples(G1, g1), additions: additions(G1, g1), msm: [1, 5, 17].map((n) => msm(G1, g1, n)) },
        g2: { b: fp2(b2), multiples: multiples(G2, g2), additions: additions(G2, g2), msm: [1, 5, 17].map((n) => msm(G2, g2, n)) },
        off_subgroup: { g1: bad1 ? bad1.off_subgroup.map(g1) : [], g2: bad2.off_subgroup.map(g2) },
        pairing: { exponent: "(p^12 - 1) / r", fast_power: hexR(fast_power), values: pairings },
        encodings,
    };
    fs.writeFileSync(path.join(out, `${name}.json`), JSON.stringify(vectors, null, 1) + "\n");
}

function invalidZcash(good, bad1, bad2, p) {
    const flip = (hex, byte, mask) => {
        const bytes = Buffer.from(hex, "hex");
        bytes[byte] ^= mask;
        return bytes.toString("hex");
    };
    const withX = (x, flags) => flip(x, 0, flags);
    const x1 = (x) => bytesBE(x, 48);
    const x2 = (x) => bytesBE(x.c1, 48) + bytesBE(x.c0, 48);
    const xy1 = (point) => x1(point.x) + x1(point.y);
    const list = { g1_compressed: [], g1_uncompressed: [], g2_compressed: [], g2_uncompressed: [] };
    const add = (kind, reason, bytes) => list[kind].push({ reason, bytes });
    for (const g of ["g1", "g2"]) {
        const n = g === "g1" ? 48 : 96;
        const [c, u] = [`${g}_compressed`, `${g}_uncompressed`];
        add(c, "compression flag missing", flip(good[c], 0, 0x80));
        add(c, "infinity with the sign flag", "e0" + "00".repeat(n - 1));
        add(c, "infinity with a non-zero coordinate", "c0" + "00".repeat(n - 2) + "01");
        add(c, "infinity flag on a finite point", flip(good[c], 0, 0x40));
        add(c, "x = p", withX(g === "g1" ? x1(p) : x2({ c0: 0n, c1: p }), 0x80));
        add(c, "x >= p", withX(g === "g1" ? x1((1n << 381n) - 1n) : x2({ c0: p, c1: 0n }), 0x80));
        add(u, "compression flag set", flip(good[u], 0, 0x80));
        add(u, "sign flag set", flip(good[u], 0, 0x20));
        add(u, "infinity with a non-zero coordinate", "40" + "00".repeat(2 * n - 2) + "01");
        add(u, "infinity flag on a finite point", flip(good[u], 0, 0x40));
        add(u, "y off by one bit: not on the curve", flip(good[u], 2 * n - 1, 1));
    }
    for (const x of bad1.no_point) add("g1_compressed", "no point with this x", withX(x1(x), 0x80));
    for (const x of bad2.no_point) add("g2_compressed", "no point with this x", withX(x2(x), 0x80));
    for (const point of bad1.off_subgroup) {
        add("g1_compressed", "not in the subgroup", withX(x1(point.toAffine().x), 0x80));
        add("g1_uncompressed", "not in the subgroup", xy1(point.toAffine()));
    }
    for (const point of bad2.off_subgroup) {
        const { x, y } = point.toAffine();
        add("g2_compressed", "not in the subgroup", withX(x2(x), 0x80));
        add("g2_uncompressed", "not in the subgroup", x2(x) + x2(y));
    }
    // y + p must stay below 2^381, or it would show as a flag instead.
    let small = bls12_381.G1.ProjectivePoint.BASE;
    while (small.toAffine().y + p >= 1n << 381n) small = small.double();
    add("g1_uncompressed", "y >= p", x1(small.toAffine().x) + x1(small.toAffine().y + p));
    for (const [kind, cases] of Object.entries(list)) {
        const G = bls12_381[kind.startsWith("g1") ? "G1" : "G2"].ProjectivePoint;
        for (const { reason, bytes } of cases) {
            let accepted = true;
            try {
                G.fromHex(bytes).assertValidity();
            } catch {
                accepted = false;
            }
            if (accepted) console.log(`note: @noble/curves accepts ${kind}: ${reason}`);
        }
    }
    return list;
}

fs.mkdirSync(out, { recursive: true });
make("bls12_381", bls12_381);
make("bn254", bn254);
