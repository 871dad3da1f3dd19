import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { UsageError, UserError } from "@evenbench/core/errors";
import { repositoryRoot } from "@evenbench/host/repository";
import type { PreflightResult } from "@evenbench/probe/preflight";
import { ExitCode, exit, interruptible } from "../exit.ts";
import { withExamples } from "../help.ts";
import { collectNames } from "../option-values.ts";
import { ALL_CASES, type OptionsOf, shared, withOutput, withTargets } from "../options.ts";
import { namesOwnServers, withOwnServers } from "../own-server-options.ts";
import { say, sayJson, sayNote } from "../say.ts";

/** Declares the command `preflight`. */
export function declare(program: Command) {
  const command = program
    .command("preflight")
    .helpGroup("Measure:")
    .description("prove that the targets do the same work; nothing is measured")
    .option("-c, --case <id...>", "a case to compare (default: all)", collectNames)
    .option(
      "--accept <case...>",
      "write the values that all targets agree on into these cases (of packages/cases)",
      collectNames,
    )
    .addOption(shared.allow());
  return withExamples(
    withOutput(withOwnServers(withTargets(command))),
    ["npm run bench -- preflight --case word-count", "one case on all targets"],
    ["npm run bench -- preflight --accept word-count", "the same, and write golden values"],
    [
      'npm run bench -- preflight --target old="cmd: node old.js" --target new="cmd: node new.js" --path /products',
      "whether two of your own servers answer alike",
    ],
  );
}

/** Proves that targets do the same work, and prints the problems; with `--accept` it writes golden values into cases. */
export default async function preflight(options: OptionsOf<typeof declare>): Promise<void> {
  const { openRecord } = await import("@evenbench/core");
  const { formatPreflight, unknownSetting } = await import("@evenbench/probe/preflight");
  const { choose } = await import("../measuring.ts");
  const { provenByApp } = await import("../proving.ts");
  const { accept = [], allow = [], sameWork = "proven" } = options;
  const named = [...(options.case ?? []), ...accept];
  const isOwn = namesOwnServers(options);
  const cases = named.length > 0 ? { case: named } : { case: [ALL_CASES] };
  const chosen = await choose({ ...options, ...(!isOwn && cases) }, async () => {
    for (const id of accept) {
      await readCaseSource(id);
    }
  });
  const signal = interruptible();
  const results = openRecord<PreflightResult>();
  for await (const { app, result, logs } of provenByApp(chosen, { accept, allow, sameWork, signal })) {
    results[app] = result;
    if (!options.json) {
      say([...logs, formatPreflight(result, accept)].join("\n\n"));
    }
    // Standard output is for JSON alone.
    if (result.ok) {
      await writeAccepted(accept, result, options.json ? sayNote : say);
    } else {
      exit.code = ExitCode.failed;
    }
  }
  if (options.json) {
    sayJson(openRecord(Object.entries(results).map(([app, result]) => [app, foundBy(result)])), 2);
  }
  const identities = Object.values(results).flatMap((result) => Object.entries(result.identities));
  const unknown = unknownSetting(allow, openRecord(identities));
  if (unknown !== null && !signal.aborted) {
    throw new UsageError(unknown);
  }
  if (signal.aborted) {
    exit.code = ExitCode.interrupted;
  }
}

function foundBy({ ok, problems, warnings, differences, identities }: PreflightResult) {
  return { ok, problems, warnings, differences, identities };
}

const SHOWN_BYTES = 400;

/** Finds the golden values in the source of a case. Their members are plain values. */
const GOLDEN = /^ {2}golden: (?:null|\{[^{}]*\}),$/gm;

async function writeAccepted(
  ids: readonly string[],
  { toConfirm, bodiesToConfirm }: PreflightResult,
  print: (text: string) => void,
): Promise<void> {
  const { goldenSource, quoteBytes } = await import("@evenbench/probe/preflight");
  for (const id of ids) {
    const golden = toConfirm[id];
    const body = bodiesToConfirm[id];
    if (golden === undefined || body === undefined) {
      continue;
    }
    const all = body.length <= SHOWN_BYTES;
    const what = all ? `${body.length} bytes` : `the first ${SHOWN_BYTES} of ${body.length} bytes`;
    print(`\nThe body of ${id} (${what}):\n  ${quoteBytes(body.subarray(0, SHOWN_BYTES))}`);
    const { file, path, text } = await readCaseSource(id);
    const lines = goldenSource(golden);
    const changed = text.replace(GOLDEN, () => lines);
    if (changed !== text) {
      await writeFile(file, changed);
    }
    print(changed === text ? `${path} has these values already.` : `Written into ${path}:\n${lines}`);
  }
}

async function readCaseSource(id: string) {
  const { ARTIFACT_APP, sourceOfCase } = await import("@evenbench/core");
  const path = sourceOfCase(ARTIFACT_APP, id);
  const file = join(repositoryRoot, path);
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(
      `Golden values of "${id}" cannot be written into ${path}: ${error.message}. Only cases of packages/cases have a place for them.`,
    );
  });
  const places = text.match(GOLDEN)?.length ?? 0;
  if (places === 1) {
    return { file, path, text };
  }
  throw new UserError(
    `${path} must say \`golden: null,\` on one line of its own, once. Write that there, and start again.`,
  );
}
