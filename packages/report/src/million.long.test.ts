import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { writeSyntheticRun } from "../test/synthetic.ts";

const directory = testFolder();
/** Far below what a million samples take as objects: their columns lie outside of the heap. */
const HEAP_MIB = 200;

test(`more than a million samples are reported within ${HEAP_MIB} MiB of heap`, async () => {
  // Four cases, four targets.
  const folder = await writeSyntheticRun(directory, { trials: 2, rounds: 32_000 });
  // The page's style sheet is a text file, which Node.js imports once the hook is there.
  const script = `import { registerTextImports } from ${JSON.stringify(import.meta.resolve("@evenbench/host/text-imports"))};
registerTextImports();
const { createReport } = await import(${JSON.stringify(import.meta.resolve("./index.ts"))});
const { data } = await createReport(process.argv[1]);
console.log(JSON.stringify(data.cases.flatMap(({ lastByte }) => lastByte.summaries.map(({ exchanges }) => exchanges))));`;
  const options = [`--max-old-space-size=${HEAP_MIB}`, "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, folder]);
  expect(JSON.parse(stdout)).toEqual(Array(16).fill(64_000));
});
