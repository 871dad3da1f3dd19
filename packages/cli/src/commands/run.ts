import type { Command } from "@commander-js/extra-typings";
import { IN_CLONE } from "@evenbench/core/called";
import { QUICK, type RunChoices } from "@evenbench/results/run-options";
import type { RunOptions } from "@evenbench/runner";
import { askedFor } from "../asked.ts";
import { describeOutside, type HelpTopics, withExamples, withTopics } from "../help.ts";
import {
  addRunOptions,
  type OutputOptions,
  type SelectionOptions,
  shared,
  withOutcome,
  withTargets,
} from "../options.ts";
import { measuredFor } from "../own-app-options.ts";
import {
  namesOwnServers,
  OF_OWN_SERVERS,
  type OwnServerOptions,
  withOwnServers,
} from "../own-server-options.ts";
import { sayNote } from "../say.ts";
import type { Selection } from "../selection.ts";

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** Options of `run`, as typed after it: its plan's settings, its targets and cases, and its outputs. */
interface RunCommandOptions extends RunChoices, SelectionOptions, OwnServerOptions, OutputOptions {
  /** Seed of all random order, from 0 to 2^32 - 1. Default: random. */
  readonly seed?: number;
  /** Folder for runs. */
  readonly out: string;
}

/** Declares the command `run`, which is the default. */
export function declare(program: Command) {
  const command = program
    .command("run", { isDefault: true })
    // What `npm run bench` is called.
    .alias("bench")
    .helpGroup("Measure:")
    .summary(
      IN_CLONE
        ? "build, start all targets locally, check, measure and report (the default)"
        : "start or reach your servers, check that they do the same work, measure and report (the default)",
    )
    .description(
      IN_CLONE
        ? "Builds, starts and measures all servers on this machine, checks that they send the same answers, and writes a report. Without options: seven cases, about 5 minutes."
        : "Starts or reaches your servers, checks that they send the same answers, measures them in turns, and writes a report.",
    );
  command.optionsGroup("What to measure:").addOption(shared.cases());
  addRunOptions(command, "What to measure:");
  const declared = withOutcome(withOwnServers(withTargets(command)));
  declared.optionsGroup("How:").addOption(shared.seed()).addOption(shared.baseline());
  addRunOptions(declared, "How:");
  declared.addOption(shared.out());
  describeOutside(declared, {
    "--target": 'a server: name=URL, or name="cmd: node server.js" to start one with PORT',
    "--path": "a path that every --target answers; each is a case",
    "--baseline": "the server that the others are compared with (default: the first)",
  });
  withTopics(declared, HELP);
  return withExamples(
    declared,
    ["npm run bench -- --case react-ssr --time 3m", "one case, about three minutes", "clone"],
    ["npm run bench -- --target node,cloudflare", "two platforms only", "clone"],
    [
      'npm run bench -- --target old="cmd: node old.js" --target new="cmd: node new.js" --path /products',
      "two of your own servers, unchanged",
    ],
  );
}

const HELP: HelpTopics = {
  usage: "[run] [options]",
  short: ["--case", "--time", "--trials", "--quick", "--cold", "--json", "--target", "--path"],
  topics: {
    own: { about: "headers, bodies, and answers that may differ", options: ["--target", ...OF_OWN_SERVERS] },
    ...(IN_CLONE && {
      deployed: {
        about: "measure what `deploy` put on the platforms",
        options: ["--deployed", "--target", "--app", "--case", "--no-build"],
      },
    }),
  },
};

/** Measures targets and makes a report. */
export default async function run(options: RunCommandOptions): Promise<void> {
  const { run: startRun } = await import("@evenbench/runner");
  const { finish, progressListeners: watching } = await import("../measuring.ts");
  const { runDescriber } = await import("../progress.ts");
  const measurement = await whatToMeasure(options);
  const { clear, ...watched } = watching(runDescriber(measurement.cases));
  const { folder } = await startRun({
    ...measurement,
    ...watched,
    ...measuredFor(options, { ...options, startUps: options.cold }),
  });
  clear();
  await finish(folder, options, watched.signal);
}

/** Chooses and builds what is measured. @throws {UsageError} for options that do not go together. */
async function whatToMeasure(options: RunCommandOptions): Promise<RunOptions & Selection> {
  const { choose } = await import("../measuring.ts");
  const settings = { ...(options.quick && QUICK), ...options };
  const chosen = await choose(options, ([first, ...others]) => {
    if (namesOwnServers(options) && others.length === 0) {
      sayNote(
        `There is one target, so nothing is compared: ${first?.name} is measured beside a copy of itself.`,
      );
    }
  });
  const isDeployed = options.deployed !== undefined && options.deployed !== false;
  return {
    ...settings,
    ...chosen,
    asked: askedFor(),
    timeMs: settings.time ?? null,
    ...(isDeployed && { cpu: "provider" }),
  };
}
