import { IN_CLONE } from "@evenbench/core/called";
import { type Command, Option } from "commander";
import type { RunCommandOptions } from "../actions/run.ts";
import { describeOutside, inCloneOnly } from "../clone.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { withOutput } from "../output-options.ts";
import { isOfOwnServers, refuseForOwnServers, withOwnServers } from "../own-servers/options.ts";
import { collect, parseDuration, parsePause, parsePrecision, parseTimes, wholeNumber } from "../quantity.ts";
import { SELECTION_FLAGS, withSelection } from "../selection-options.ts";
import { ALL_CASES, DEFAULT_SUITE } from "../suite-options.ts";

export const worksOutside = true;

/** `evenbench run`, the default: builds, serves, proves, measures and reports. */
export default function addRunCommand(program: Command, exit: Exit): void {
  const command = program
    .command("run", { isDefault: true })
    // What `npm run bench` is called.
    .alias("bench")
    .helpGroup("Measure:")
    .description(
      IN_CLONE
        ? "build, host all targets locally, preflight, measure and report (the default)"
        : "start your servers or reach them, see that they do the same work, measure and report (the default)",
    )
    .optionsGroup("What to measure:")
    .option("-c, --case <id...>", "a case to measure (default: those of the suite)", collect)
    .option(
      "--suite <name>",
      `the cases of a suite; "${ALL_CASES}" for every case (default: "${DEFAULT_SUITE}", with --app all of its cases)`,
    )
    .option("--quick", "a smoke test: nothing is warmed up, so nothing is compared")
    .optionsGroup("How long:")
    .option(
      "--time <duration>",
      'time for each case, such as "60s", or "<case>=20s,<case>=30s" (default: its share of --total)',
      parseTimes,
    )
    .option(
      "--total <duration>",
      "time for all cases together (default: what it takes to be warm, and to measure five trials)",
      parseDuration,
    )
    .option(
      "--rounds <n>",
      "measured rounds of each trial (default: what the time allows, at least 6)",
      wholeNumber(1, 1e6),
    )
    .option(
      "--precision <width>",
      'stop a case early when its intervals are narrower than this, such as "2%"',
      parsePrecision,
      0.02,
    )
    .optionsGroup("How:")
    .option(
      "--seed <n>",
      "seed of all random order (default: random; a report names it)",
      wholeNumber(0, 2 ** 32 - 1),
    )
    .option("--baseline <target>", 'the target that the others are compared with (default: "node")')
    .addOption(
      new Option(
        "--server-cores <which>",
        "cores of the servers: all, shared with the client, or some apart from it",
      )
        .choices(["all", "apart"])
        .default("all"),
    )
    .option(
      "--trials <n>",
      "fresh starts of all targets for each case (default: 5; 10 or 15 where the time allows)",
      wholeNumber(1, 1000),
    )
    .option(
      "--spacing <n>",
      "requests that a target gets back to back, before it is another one's turn",
      wholeNumber(1, 1000),
      1,
    )
    .option(
      "--pause <duration>",
      "time without any request before each measured one (default: none)",
      parsePause,
    )
    .option(
      "--warm-up <n>",
      "warm-up requests of every instance (default: what each target is found to need)",
      wholeNumber(1, 1e6),
    )
    .option("--workers <n|max>", "worker processes of node, bun and deno", workers, 1)
    .optionsGroup("Also:")
    .option(
      "--cold <n>",
      "also start so many instances of each target for their first requests alone, after each case",
      wholeNumber(0, 1000),
      0,
    )
    .option(
      "--sweep [duration]",
      "also ask targets for 1 to 32 answers at a time, after all cases: so long for each case (default: 60s)",
      parseDuration,
    )
    .optionsGroup("Settings and results:")
    .option(
      "--allow <setting...>",
      "let a setting that must be equal differ; the report then carries the warning",
      collect,
    )
    .addOption(
      new Option(
        "--cpu <accountant>",
        "ask platforms for the CPU time of each request (with --where deployed)",
      ).choices(["provider"]),
    )
    .option("-o, --out <folder>", "the folder that takes the run's own folder", "results");
  withExamples(command, [
    ["npm run bench -- --case react-ssr --time 60s", "one case, in a time of your own", "clone"],
    ["npm run bench -- --target node --target cloudflare", "two platforms only", "clone"],
    ["npm run bench -- --suite all --total 30m", "every case, in half an hour", "clone"],
    [
      'npm run bench -- --target old="cmd: node old.js" --target new="cmd: node new.js" --path /products',
      "two servers of your own, which know nothing of Evenbench",
    ],
  ]);
  withOutput(withOwnServers(withSelection(command)));
  inCloneOnly(
    command,
    ...["--case", "--suite", "--workers", "--allow", "--cpu", "--sweep"],
    ...SELECTION_FLAGS.filter((flag) => flag !== "--target"),
  );
  describeOutside(command, {
    "--target": 'a server: name=URL, or name="cmd: node server.js" to start one with PORT',
    "--path": "a path that every --target answers; each is a case",
    "--baseline": "the server that the others are compared with (default: the first)",
  });
  command.action(async (options: RunCommandOptions) => {
    // Outside of a clone there are no others.
    if (!IN_CLONE || isOfOwnServers(options)) {
      const { runOwnServers } = await import("../actions/run-own-servers.ts");
      await runOwnServers(options, (name) => command.getOptionValueSource(name) === "cli", exit);
      return;
    }
    refuseForOwnServers(options);
    const { runCommand } = await import("../actions/run.ts");
    await runCommand(options, exit);
  });
}

function workers(text: string): number {
  return text === "max" ? Number.MAX_SAFE_INTEGER : wholeNumber(1, 256)(text);
}
