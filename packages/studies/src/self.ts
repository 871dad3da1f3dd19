// `npm run bench:self -- <study> [arguments]`: what the bench's own verdicts and clients are worth. Best on a quiet machine.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "@evenbench/cli/build";
import { confineThisProcess, splitCores } from "@evenbench/host";
import { ResultsError } from "@evenbench/results";
import { type LocalTarget, listTargets, RunError } from "@evenbench/runner";

interface Study {
  readonly usage: string;
  readonly what: string;
  /** Measures the app that was built last, or is to be built. */
  readonly measures: boolean;
  run(args: readonly string[], node: () => Promise<LocalTarget>): Promise<void>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // `busy` hands on what it does not know.
  strict: false,
  options: {
    "no-build": { type: "boolean" },
    against: { type: "string", multiple: true },
    draws: { type: "string" },
    trials: { type: "string" },
    most: { type: "string" },
    warm: { type: "string" },
    ask: { type: "string" },
    seed: { type: "string" },
    out: { type: "string" },
  },
});

const STUDIES: Readonly<Record<string, Study>> = {
  pool: {
    usage:
      "pool <run>... [--draws 400] [--trials 3,5] [--most 6] [--seed 1]\n  pool <run>... --against <run> [--against <run>]",
    what: "draws short runs from long ones (run --trials 20): how often are intervals and verdicts right? Or holds two ways to measure against each other",
    measures: false,
    async run(folders) {
      const { comparePools, studyPool, USUAL_POOL } = await import("./pool.ts");
      const others = texts("against");
      if (others.length > 0) return console.log(await comparePools(folders, others));
      const sizes = texts("trials").flatMap((text) => text.split(",").map(Number));
      const options = {
        draws: number("draws") ?? USUAL_POOL.draws,
        sizes: sizes.length === 0 ? USUAL_POOL.sizes : sizes,
        most: number("most") ?? USUAL_POOL.most,
        seed: number("seed") ?? USUAL_POOL.seed,
      };
      console.log(await studyPool(folders, options));
    },
  },
  slowed: {
    usage: "slowed [cases...] [--trials 20] [--out results]",
    what: "measures builds that are the same, 5 % and 10 % slower, and studies that pool",
    measures: true,
    async run(cases, node) {
      const { measureSlowed } = await import("./slowed.ts");
      const { studyPool } = await import("./pool.ts");
      const [out] = texts("out");
      const folder = await inScratch("slowed", async (builds) =>
        measureSlowed(await node(), {
          ...{ cases, builds, trials: number("trials") ?? 20 },
          ...(out === undefined ? {} : { out }),
        }),
      );
      console.log(`${folder}\n\n${await studyPool([folder])}`);
    },
  },
  together: {
    usage: "together [cases...] [--warm 1] [--ask 1] [--trials 20] [--out results]",
    what: "measures a pool with so many instances warmed up, and targets asked, at a time: for pool --against",
    measures: true,
    async run(cases) {
      const { measureTogether } = await import("./together.ts");
      const [out] = texts("out");
      const folder = await measureTogether({
        ...{ cases, warm: number("warm") ?? 1, ask: number("ask") ?? 1, trials: number("trials") ?? 20 },
        ...(out === undefined ? {} : { out }),
      });
      console.log(folder);
    },
  },
  against: {
    usage: "against [runs] [ms a case]",
    what: "what `against` says of builds that do not differ, and of one that is 5 % slower",
    measures: true,
    async run([runs, timeMs], node) {
      const { against } = await import("./against.ts");
      await against(
        await node(),
        ...[runs, timeMs].flatMap((text) => (text === undefined ? [] : [Number(text)])),
      );
    },
  },
  busy: {
    usage: "busy <run> [options of run]",
    what: "repeats a run while a busy loop turns for each core",
    measures: true,
    async run([folder]) {
      if (folder === undefined)
        throw new RunError("Name the folder of a run that was made on the quiet machine.");
      const { busy } = await import("./busy.ts");
      await busy(folder, handedOn(folder));
    },
  },
  "load-engines": {
    usage: "load-engines [seconds a turn] [turns]",
    what: "our own client and k6 at the same rates, in turns",
    measures: true,
    async run([seconds, turns], node) {
      const { loadEngines } = await import("./load-engines.ts");
      await loadEngines(await node(), Number(seconds) || undefined, Number(turns) || undefined);
    },
  },
  client: {
    usage: "client [requests]",
    what: "the error of clients against known delays",
    measures: false,
    async run([requests]) {
      const split = splitCores();
      if (split !== null) confineThisProcess(split.client);
      await (await import("./client/client-error.ts")).clientError(Number(requests) || undefined);
    },
  },
  findings: {
    usage: "findings <folder>",
    what: "puts the numbers of a kept run (summary.json, run.json) into README.md and docs/findings/three-platforms.md",
    measures: false,
    run: async ([folder = ""]) => (await import("./findings.ts")).findings(folder),
  },
  coverage: {
    usage: "coverage [runs] [--out docs/coverage.md]",
    what: "simulated runs whose truth is known: the tables of docs/coverage.md",
    measures: false,
    run: async ([runs]) =>
      (await import("./coverage.ts")).coverage(Number(runs) || undefined, texts("out")[0]),
  },
};

function texts(name: string): readonly string[] {
  const value = values[name];
  return [value].flat().filter((one) => typeof one === "string");
}

function number(name: string): number | undefined {
  const [text] = texts(name);
  return text === undefined ? undefined : Number(text);
}

function handedOn(folder: string): readonly string[] {
  return process.argv.slice(process.argv.indexOf(folder) + 1).filter((word) => word !== "--no-build");
}

async function inScratch<T>(name: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `evenbench-${name}-`));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function nodeTarget(): Promise<LocalTarget> {
  const targets = await listTargets();
  const node = targets.find(({ app, platform }) => app.id === "bundle" && platform.id === "node");
  if (node === undefined) throw new Error("There is no target on the platform node.");
  return node;
}

const [name = "", ...args] = positionals;
const study = STUDIES[name];
if (study === undefined) {
  const list = Object.values(STUDIES).map(({ usage, what }) => `  ${usage}\n      ${what}`);
  console.log(`npm run bench:self -- <study>, with --no-build on what was built last:\n\n${list.join("\n")}`);
  process.exitCode = name === "" ? 0 : 2;
} else {
  if (study.measures && values["no-build"] !== true) {
    const targets = (await listTargets()).filter(({ platform }) => !platform.offUnlessNamed);
    const built = await build(targets);
    if (built.brokenBelow || built.failures.size > 0) throw new Error(`The build failed.\n${built.summary}`);
  }
  await study.run(args, nodeTarget).catch((error: unknown) => {
    if (!(error instanceof ResultsError || error instanceof RunError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  });
}
