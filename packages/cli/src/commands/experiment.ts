import type { Command } from "@commander-js/extra-typings";
import { withQuotes } from "@evenbench/core/errors";
import { askedFor } from "../asked.ts";
import { ExitCode, exit } from "../exit.ts";
import { withExamples } from "../help.ts";
import { oneOf } from "../nearest.ts";
import { type OptionsOf, shared, withOutput } from "../options.ts";
import { say, sayJson, sayLeftOut, sayNote, sayPainted } from "../say.ts";

type ExperimentCommandOptions = OptionsOf<typeof declare>;

/** Declares the command `experiment`. */
export function declare(program: Command) {
  const command = program
    .command("experiment")
    .helpGroup("Measure:")
    .description("check published claims: build and start both sides, measure them, and give a verdict")
    .argument("[id...]", 'claims by id, or "all" (without one: list them)')
    .addOption(shared.time("claim", ", builds not (default: its own)"))
    .addOption(shared.seed())
    .option("--no-build", "use the last build of the targets; a claim's own builds are always made")
    .addOption(shared.out());
  return withExamples(
    withOutput(command),
    ["npm run bench -- experiment trig", "one claim"],
    ["npm run bench -- experiment all --time 60s", "all of them, a minute each"],
  );
}

/** Measures published claims, or lists them where none is named. */
export default async function experiment(
  ids: readonly string[],
  options: ExperimentCommandOptions,
): Promise<void> {
  const { discoverExperiments, runExperiments, sidesOf } = await import("@evenbench/experiments");
  const known = await discoverExperiments();
  if (ids.length === 0) {
    return sayClaims(known, options);
  }
  const names = known.map(({ id }) => id);
  const wanted = ids.includes("all") ? names : oneOf("experiment", ids, names);
  const experiments = known.filter(({ id }) => wanted.includes(id));
  const { listTargets } = await import("@evenbench/runner");
  const { buildTargets } = await import("../build.ts");
  const all = await listTargets(sayLeftOut);
  const needed = new Set(experiments.flatMap(sidesOf).map(({ target }) => target));
  const targetNames = all.map(({ name }) => name);
  oneOf("target", [...needed], targetNames);
  const targets = all.filter(({ name }) => needed.has(name));
  const { missing } = await buildTargets(targets, options);
  if (missing.length > 0) {
    exit.code = ExitCode.failed;
  }
  const { progressListeners: watching } = await import("../measuring.ts");
  const { runDescriber } = await import("../progress.ts");
  const { clear, signal, onProgress } = watching(runDescriber({}));
  const { run, page, partial } = await runExperiments({
    ...options,
    asked: askedFor(),
    experiments,
    targets,
    missing: new Map(missing.map(({ name, detail }) => [name, detail])),
    signal,
    ...(options.time !== undefined && { timeMs: options.time }),
    onProgress,
    onEvent(message, quotes = []) {
      clear();
      sayNote(`! ${withQuotes({ message, quotes })}`);
    },
  });
  clear();
  if (options.json) {
    sayJson(run, 2);
  } else {
    sayPainted(page.terminal);
    say(`Claims: ${page.htmlFile}`);
  }
  if (partial.length > 0) {
    exit.code = ExitCode.failed;
    sayNote(`evenbench: Not fully measured: ${partial.join(", ")}. The reasons stand with the verdicts.`);
  }
  if (run.status === "interrupted") {
    exit.code = ExitCode.interrupted;
  }
}

async function sayClaims(
  experiments: readonly { id: string; claim: string }[],
  { json }: ExperimentCommandOptions,
): Promise<void> {
  const claims = experiments.map(({ id, claim }) => ({ id, claim }));
  const width = Math.max(...claims.map(({ id }) => id.length));
  if (json) {
    sayJson(claims, 2);
  } else {
    const { terminalOptions, wrap } = await import("@evenbench/page");
    for (const { id, claim } of claims) {
      const [first = "", ...others] = wrap(claim, terminalOptions().width - width - 1, 0);
      say([`${id.padEnd(width)} ${first}`, ...others.map((line) => " ".repeat(width + 1) + line)].join("\n"));
    }
  }
}
