import { relative } from "node:path";
import { ARTIFACT_APP, type BuildFailure } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host/repository";
import {
  appIdOf,
  type LocalTarget,
  listTargets,
  type MissingTarget,
  type Target,
  type UrlTarget,
} from "@evenbench/runner";
import { BuildError, build } from "./build.ts";
import { deployedOf, withToken } from "./deployed.ts";
import type { Exit } from "./exit.ts";
import { leaveOut, sayLeftOut } from "./left-out.ts";
import { assertNothingMissing } from "./missing.ts";
import { pick, UsageError } from "./nearest.ts";
import { sayAside, sayNote } from "./say.ts";
import type { BuildOptions, SelectionOptions } from "./selection-options.ts";
import { parseUrlTarget } from "./url-target.ts";

/**
 * The targets that the options name: known local ones, and URLs (which serve the app given by `--app`, or the
 * bundle). Platforms and apps that cannot be loaded are said on stderr and left out.
 *
 * @throws {UsageError} for an unknown name or a malformed URL.
 * @throws {MissingError} for a name whose platform needs what this machine does not have.
 */
export async function selectTargets(options: SelectionOptions, exit: Exit): Promise<readonly Target[]> {
  const all = await listTargets(leaveOut(options, exit));
  const apps = pick("app", options.app ?? [], [...new Set(all.map((target) => target.app.id))]);
  const words = options.target ?? [];
  const urls: UrlTarget[] = [];
  for (const word of words.filter((one) => one.includes("="))) {
    urls.push(await withToken(parseUrlTarget(word, options.app?.[0] ?? ARTIFACT_APP), options));
  }
  assertHosts(options.tokenFor ?? [], urls);
  const names = words.filter((word) => !word.includes("="));
  const own: readonly Target[] = options.where === "deployed" ? await deployedOf(all, names, options) : all;
  const placed = own.filter((target) => apps.includes(appIdOf(target)));
  const known = placed.map((target) => target.name);
  const wanted = names.length > 0 ? pick("target", names, known) : urls.length > 0 ? [] : namesOfOn(placed);
  const targets: readonly Target[] = [...placed.filter((target) => wanted.includes(target.name)), ...urls];
  const twice = targets.find(
    (target, index) => targets.findIndex((other) => other.name === target.name) !== index,
  );
  if (twice !== undefined)
    throw new UsageError(`Two targets are named "${twice.name}". Give the URL another name.`);
  for (const { platform } of targets.filter(isLocal)) assertNothingMissing(platform);
  return targets;
}

/** @throws {UsageError} for a target that machines elsewhere cannot reach. */
export function refuseLocal(targets: readonly Target[]): void {
  const local = targets.find(isLocal);
  if (local === undefined) return;
  throw new UsageError(
    `${local.name} runs on this machine only, where no vantage reaches it. Say --where deployed, or give --target name=URL.`,
  );
}

function namesOfOn(targets: readonly Target[]): readonly string[] {
  return targets
    .filter((target) => !isLocal(target) || !target.platform.offUnlessNamed)
    .map(({ name }) => name);
}

/** The local targets that take part only when they are named; none where the options name targets. */
export async function targetsThatAreOff({ target, app }: SelectionOptions): Promise<readonly LocalTarget[]> {
  if (target !== undefined) return [];
  const all = await listTargets(sayLeftOut);
  return all.filter(({ platform, app: { id } }) => platform.offUnlessNamed && (app?.includes(id) ?? true));
}

export interface BuildOutcome {
  readonly targets: readonly Target[];
  readonly missing: readonly MissingTarget[];
  /** Whether there are case folders that could not become cases. */
  readonly casesLeftOut: boolean;
}

/**
 * Builds the deployables of the local targets. Targets and cases that cannot be built are said on stderr and
 * left out.
 *
 * @throws {BuildError} when nothing is left, or what several targets are made of cannot be built.
 */
export async function buildTargets(targets: readonly Target[], options: BuildOptions): Promise<BuildOutcome> {
  const local = targets.filter(isLocal);
  if (!options.build || local.length === 0) return { targets, missing: [], casesLeftOut: false };
  sayNote("Building what is not built yet ...");
  const { failures, leftOut, summary, brokenBelow } = await build(local, options.clean);
  if (brokenBelow) throw new BuildError(`The build failed. The end of its output:\n${summary}`);
  const missing = local.flatMap(({ name, deployable }): MissingTarget[] => {
    const failure = failures.get(deployable);
    return failure === undefined ? [] : [{ name, detail: describeFailure(name, failure) }];
  });
  for (const { detail } of missing) sayAside(`! ${detail}`);
  for (const { path, reason } of leftOut) {
    sayAside(`! ${relative(repositoryRoot, path)} is left out: ${reason}`);
  }
  if (missing.length === targets.length) {
    throw new BuildError("No target could be built. Fix what the lines above name, and start again.");
  }
  if (missing.length + leftOut.length === 0) sayNote(`Build: ${summary}`);
  const built = targets.filter((one) => !missing.some(({ name }) => name === one.name));
  return { targets: built, missing, casesLeftOut: leftOut.length > 0 };
}

/**
 * @throws {BuildError} where the baseline that was asked for could not be built: another in its place would
 *   be another question.
 */
export function assertBaselineBuilt(baseline: string | undefined, missing: readonly MissingTarget[]): void {
  if (!missing.some(({ name }) => name === baseline)) return;
  throw new BuildError(
    `The baseline ${baseline} could not be built (its lines are above). Fix that, or name another with --baseline.`,
  );
}

function describeFailure(name: string, { what, step, lastLines, logFile }: BuildFailure): string {
  return `${name} is left out: building ${what} failed in the step "${step}". All of its output is in ${logFile}; its last lines:\n${lastLines.join("\n")}`;
}

export function isLocal(target: Target): target is LocalTarget {
  return target.place === "local";
}

/** A host for which there is no target is a slip of the pen: its token would not be sent. */
function assertHosts(hosts: readonly string[], urls: readonly UrlTarget[]): void {
  const known = urls.map(({ url }) => new URL(url).host);
  const stranger = hosts.find((host) => !known.includes(host));
  if (stranger === undefined) return;
  throw new UsageError(
    `--token-for names "${stranger}", but no --target URL has that host. Write it as in the URL, with a port where it has one.`,
  );
}
