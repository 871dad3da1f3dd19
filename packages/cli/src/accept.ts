import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ARTIFACT_APP, type Golden, sourceOfCase, UserError } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host/repository";
import { goldenSource, type PreflightResult, quote } from "@evenbench/probe/preflight";
import { UsageError } from "./nearest.ts";
import { say } from "./say.ts";

const SHOWN_BYTES = 400;

/** What `case.ts` says of its golden values. Their members are plain values. */
const GOLDEN = /^ {2}golden: (?:null|\{[^{}]*\}),$/gm;

/**
 * Makes what writes golden values into the cases named, once all targets agree on them, after showing what
 * the body is.
 *
 * @throws {UsageError} for a case without a place for them in packages/cases.
 */
export async function goldenWriter(
  ids: readonly string[],
): Promise<(result: PreflightResult) => Promise<void>> {
  for (const id of ids) await readSource(id);
  return async ({ toConfirm, bodiesToConfirm }) => {
    for (const id of ids) {
      const [golden, body] = [toConfirm[id], bodiesToConfirm[id]];
      if (golden === undefined || body === undefined) continue;
      say(`\n${describeBody(id, body)}`);
      say(await writeGolden(id, golden));
    }
  };
}

function describeBody(id: string, body: Buffer): string {
  const all = body.length <= SHOWN_BYTES;
  const what = all ? `${body.length} bytes` : `the first ${SHOWN_BYTES} of ${body.length} bytes`;
  return `The body of ${id} (${what}):\n  ${quote(body.subarray(0, SHOWN_BYTES))}`;
}

/** @returns what to say. */
async function writeGolden(id: string, golden: Golden): Promise<string> {
  const { file, path, text } = await readSource(id);
  const lines = goldenSource(golden);
  const changed = text.replace(GOLDEN, () => lines);
  if (changed === text) return `${path} says so already.`;
  await writeFile(file, changed);
  return `Written into ${path}:\n${lines}`;
}

async function readSource(id: string): Promise<{ file: string; path: string; text: string }> {
  const path = sourceOfCase(ARTIFACT_APP, id);
  const file = join(repositoryRoot, path);
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(
      `Golden values of "${id}" cannot be written into ${path}: ${error.message}. Only cases of packages/cases have a place for them.`,
    );
  });
  const places = text.match(GOLDEN)?.length ?? 0;
  if (places === 1) return { file, path, text };
  throw new UserError(
    `${path} must say \`golden: null,\` on one line of its own, once. Write that there, and start again.`,
  );
}
