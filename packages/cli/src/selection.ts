import type { CaseManifest } from "@evenbench/core";
import { discoverApps } from "@evenbench/host";
import { appIdOf, type LocalTarget, listTargets, type Target, type UrlTarget } from "@evenbench/runner";
import { type Command, Option } from "commander";
import { build } from "./build.ts";
import { pick, UsageError } from "./nearest.ts";
import { collect } from "./quantity.ts";

/** The options by which a user chooses what to work on. */
export interface SelectionOptions {
  readonly target?: readonly string[];
  readonly app?: readonly string[];
  readonly build: boolean;
}

/** Adds `--target`, `--app` and `--no-build` to a command. */
export function withSelection(command: Command): Command {
  return command
    .option(
      "-t, --target <name...>",
      "a target by name, or name=URL for one that runs already (default: all local)",
      collect,
    )
    .option("-a, --app <id...>", "only the targets of an app (default: all)", collect)
    .addOption(new Option("--no-build", "use what was built last"));
}

/** A build that failed; its message carries the tool's last lines. */
export class BuildError extends Error {}

/**
 * The targets that the options name: known local ones, and URLs (which serve the app given by `--app`, or the bundle).
 *
 * @throws {UsageError} for an unknown name or a malformed URL.
 */
export async function selectTargets(options: SelectionOptions): Promise<readonly Target[]> {
  const all = await listTargets();
  const apps = pick("app", options.app ?? [], [...new Set(all.map((target) => target.app.id))]);
  const words = options.target ?? [];
  const urls = words
    .filter((word) => word.includes("="))
    .map((word) => urlTarget(word, options.app?.[0] ?? "bundle"));
  const names = words.filter((word) => !word.includes("="));
  const local = all.filter((target) => apps.includes(target.app.id));
  const wanted =
    names.length === 0 && urls.length > 0
      ? []
      : pick(
          "target",
          names,
          local.map((target) => target.name),
        );
  const targets: readonly Target[] = [...local.filter((target) => wanted.includes(target.name)), ...urls];
  const twice = targets.find(
    (target, index) => targets.findIndex((other) => other.name === target.name) !== index,
  );
  if (twice !== undefined)
    throw new UsageError(`Two targets are named "${twice.name}". Give the URL another name.`);
  return targets;
}

/**
 * Builds the deployables of the local targets.
 *
 * @throws {BuildError} when a build fails.
 */
export async function buildTargets(targets: readonly Target[], options: SelectionOptions): Promise<void> {
  const deployables = targets.filter(isLocal).flatMap((target) => target.deployable ?? []);
  if (!options.build || deployables.length === 0) return;
  console.error("Building what is not built yet ...");
  const result = await build(deployables);
  if (!result.ok) throw new BuildError(`The build failed. The end of its output:\n${result.summary}`);
  console.error(`Build: ${result.summary}`);
}

/** The cases to work on, and those that the targets serve besides. */
export interface ChosenCases {
  /** By app id; apps of which no case was chosen are left out. */
  readonly byApp: Readonly<Record<string, readonly CaseManifest[]>>;
  readonly otherIds: readonly string[];
}

/**
 * The cases named, or all, of the targets' apps. Reads build output.
 *
 * @throws {UsageError} for an unknown case.
 */
export async function chooseCases(
  targets: readonly Target[],
  wanted: readonly string[],
): Promise<ChosenCases> {
  const appIds = new Set(targets.map(appIdOf));
  const apps = (await discoverApps()).filter((app) => appIds.has(app.id));
  const all = await Promise.all(apps.map(async (app) => [app.id, await app.cases()] as const));
  const ids = [...new Set(all.flatMap(([, cases]) => cases.map((one) => one.id)))];
  const chosen = new Set(pick("case", wanted, ids));
  const byApp = all
    .map(([app, cases]) => [app, cases.filter((one) => chosen.has(one.id))] as const)
    .filter(([, cases]) => cases.length > 0);
  return { byApp: Object.fromEntries(byApp), otherIds: ids.filter((id) => !chosen.has(id)) };
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
