import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { writeSyntheticRun } from "../test/synthetic.ts";

/** Far below what a million samples take as objects, all at once and copied. */
const HEAP_MIB = 700;

test(`more than a million samples are reported within ${HEAP_MIB} MiB of heap`, async () => {
  const directory = await mkdtemp(join(tmpdir(), "evenbench-million-"));
  try {
    // Four cases, four targets.
    const folder = await writeSyntheticRun(directory, { trials: 2, rounds: 32_000 });
    const script = `import { createReport } from ${JSON.stringify(import.meta.resolve("./index.ts"))};
const { data } = await createReport(process.argv[1]);
console.log(JSON.stringify(data.cases.flatMap(({ headline }) => headline.summaries.map(({ exchanges }) => exchanges))));`;
    const heap = `--max-old-space-size=${HEAP_MIB}`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      heap,
      "--input-type=module",
      "--eval",
      script,
      folder,
    ]);
    expect(JSON.parse(stdout)).toEqual(Array(16).fill(64_000));
  } finally {
    await rm(directory, { recursive: true });
  }
});
