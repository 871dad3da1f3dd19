import { relative } from "node:path";
import type { BuildFailure } from "@evenbench/core";
import {
  appIdOf,
  type LocalTarget,
  listTargets,
  type MissingTarget,
  type Target,
  type UrlTarget,
} from "@evenbench/runner";
import { type Command, Option } from "commander";
import { BuildError, build } from "./build.ts";
import { deployedOf, withToken } from "./deployed.ts";
import { type DeploymentsOption, withDeployments } from "./deployments-option.ts";
import { pick, UsageError } from "./nearest.ts";
import { projectRoot } from "./project.ts";
import { collect } from "./quantity.ts";

/** How targets are built before they are worked with. */
export interface BuildOptions {
  readonly build: boolean;
  /** Whether to build anew what the cache has, too. */
  readonly clean?: boolean;
}

/** The options by which a user chooses what to work on. */
export interface SelectionOptions extends BuildOptions, DeploymentsOption {
  readonly target?: readonly string[];
  readonly app?: readonly string[];
  readonly where?: Place;
}

/** Where targets run: on this machine, or where they were deployed to. */
const PLACES = ["local", "deployed"] as const;
type Place = (typeof PLACES)[number];

/** Adds `--target`, `--app`, `--where` and `--no-build` to a command. */
export function withSelection(command: Command): Command {
  return withDeployments(command)
    .option(
      "-t, --target <name...>",
      "a target by name, or name=URL for one that runs already (default: all local)",
      collect,
    )
    .option("-a, --app <id...>", "only the targets of an app (default: all)", collect)
    .addOption(
      new Option("-w, --where <place>", "the targets on this machine, or those that were deployed")
        .choices(PLACES)
        .default("local"),
    )
    .addOption(new Option("--no-build", "use what was built last"));
}

/**
 * The targets that the options name: known local ones, and URLs (which serve the app given by `--app`, or the bundle).
 *
 * @throws {UsageError} for an unknown name or a malformed URL.
 */
export async function selectTargets(options: SelectionOptions): Promise<readonly Target[]> {
  const all = await listTargets();
  const apps = pick("app", options.app ?? [], [...new Set(all.map((target) => target.app.id))]);
  const words = options.target ?? [];
  const urls: UrlTarget[] = [];
  for (const word of words.filter((one) => one.includes("="))) {
    urls.push(await withToken(urlTarget(word, options.app?.[0] ?? "bundle"), options));
  }
  const names = words.filter((word) => !word.includes("="));
  const own: readonly Target[] = options.where === "deployed" ? await deployedOf(all, names, options) : all;
  const placed = own.filter((target) => apps.includes(appIdOf(target)));
  const wanted =
    names.length === 0 && urls.length > 0
      ? []
      : pick(
          "target",
          names,
          placed.map((target) => target.name),
        );
  const targets: readonly Target[] = [...placed.filter((target) => wanted.includes(target.name)), ...urls];
  const twice = targets.find(
    (target, index) => targets.findIndex((other) => other.name === target.name) !== index,
  );
  if (twice !== undefined)
    throw new UsageError(`Two targets are named "${twice.name}". Give the URL another name.`);
  return targets;
}

/** The targets that can be worked with, and those that could not be built. */
export interface BuiltTargets {
  readonly targets: readonly Target[];
  readonly missing: readonly MissingTarget[];
  /** Whether there are case folders that could not become cases. */
  readonly casesLeftOut: boolean;
}

/**
 * Builds the deployables of the local targets. Targets and cases that cannot be built are said on stderr and left out.
 *
 * @throws {BuildError} when nothing is left, or what several targets are made of cannot be built.
 */
export async function buildTargets(targets: readonly Target[], options: BuildOptions): Promise<BuiltTargets> {
  const local = targets.filter(isLocal);
  if (!options.build || local.length === 0) return { targets, missing: [], casesLeftOut: false };
  console.error("Building what is not built yet ...");
  const { failures, leftOut, summary, brokenBelow } = await build(local, options.clean);
  if (brokenBelow) throw new BuildError(`The build failed. The end of its output:\n${summary}`);
  const missing = local.flatMap(({ name, deployable }): MissingTarget[] => {
    const failure = failures.get(deployable);
    return failure === undefined ? [] : [{ name, detail: describeFailure(name, failure) }];
  });
  for (const { detail } of missing) console.error(`! ${detail}`);
  for (const { path, reason } of leftOut) {
    console.error(`! ${relative(projectRoot, path)} is left out: ${reason}`);
  }
  if (missing.length === targets.length) {
    throw new BuildError("No target could be built. Mend what the lines above name, and start again.");
  }
  if (missing.length + leftOut.length === 0) console.error(`Build: ${summary}`);
  const built = targets.filter((one) => !missing.some(({ name }) => name === one.name));
  return { targets: built, missing, casesLeftOut: leftOut.length > 0 };
}

function describeFailure(name: string, { what, step, lastLines, logFile }: BuildFailure): string {
  return `${name} is left out: building ${what} failed in the step "${step}". All of its output is in ${logFile}; its last lines:\n${lastLines.join("\n")}`;
}

export function isLocal(target: Target): target is LocalTarget {
  return target.place === "local";
}

function urlTarget(word: string, app: string): UrlTarget {
  const at = word.indexOf("=");
  const name = word.slice(0, at);
  const url = URL.parse(word.slice(at + 1));
  if (name === "" || url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `"${word}" is no target. Write name=URL, such as mine=https://worker.example.workers.dev.`,
    );
  }
  return { place: "url", name, app, url: url.origin };
}
