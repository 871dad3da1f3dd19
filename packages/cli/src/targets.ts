import { relative } from "node:path";
import { ARTIFACT_APP, type BuildFailure, type Platform, UserError } from "@evenbench/core";
import { deployedTargets, expectBuild, tokenForUrl } from "@evenbench/deploy";
import type { LeaveOut } from "@evenbench/host";
import { repositoryRoot } from "@evenbench/host/repository";
import {
  appIdOf,
  type LocalTarget,
  listTargets,
  type MissingTarget,
  type Target,
  type UrlTarget,
} from "@evenbench/runner";
import { build } from "./build.ts";
import { ExitCode, exit } from "./exit.ts";
import { pick, UsageError } from "./nearest.ts";
import type { SelectionOptions } from "./options.ts";
import { assertNames, parseUrlTarget } from "./own-servers.ts";
import { sayAside, sayNote } from "./say.ts";

/** Known local targets, deployed ones, and URLs, which serve the app given by `--app`, or the bundle. */
export async function selectTargets(options: SelectionOptions): Promise<readonly Target[]> {
  const all = await listTargets((left) => {
    sayLeftOut(left);
    // Who names targets asks for no other platform; who names apps or cases, for no other app.
    const isAsked = left.path.endsWith("platform.ts") || (options.app ?? options.case) === undefined;
    if (options.target === undefined && isAsked) exit.code = ExitCode.failed;
  });
  const apps = pick("app", options.app ?? [], [...new Set(all.map((target) => target.app.id))]);
  const words = options.target ?? [];
  const urls: UrlTarget[] = [];
  for (const word of words.filter((name) => name.includes("="))) {
    const target = parseUrlTarget(word, options.app?.[0] ?? ARTIFACT_APP);
    const token = await tokenForUrl(options.deployments, target.url, options.tokenFor);
    urls.push({ ...target, token });
  }
  assertHosts(options.tokenFor ?? [], urls);
  const names = words.filter((word) => !word.includes("="));
  const found: readonly Target[] = options.where === "deployed" ? await deployedOf(all, names, options) : all;
  const placed = found.filter((target) => apps.includes(appIdOf(target)));
  const known = placed.map((target) => target.name);
  const wanted = names.length > 0 ? pick("target", names, known) : urls.length > 0 ? [] : namesOfOn(placed);
  const targets: readonly Target[] = [...placed.filter((target) => wanted.includes(target.name)), ...urls];
  assertNames(targets);
  for (const { platform } of targets.filter(isLocal)) assertNothingMissing(platform);
  return targets;
}

/** They must run what is built here, so that is built first. */
async function deployedOf(
  local: readonly LocalTarget[],
  names: readonly string[],
  options: SelectionOptions,
): Promise<readonly UrlTarget[]> {
  const all = await deployedTargets(options.deployments, local);
  const isMeant = ({ target }: (typeof all)[number]) => names.length === 0 || names.includes(target.name);
  const meant = all.filter(isMeant);
  if (options.build && meant.length > 0) {
    sayNote("Building, to check what is deployed ...");
    const { failures, brokenBelow, summary } = await build(meant.map(({ madeOf }) => madeOf));
    if (failures.size > 0 || brokenBelow) {
      throw new UserError(
        `Deployments cannot be checked, since their build failed here. Its last lines:\n${summary}\nFix it, or pass --no-build to use the last build.`,
      );
    }
  }
  // Those that are not meant are only there for their names.
  return Promise.all(all.map((deployed) => (isMeant(deployed) ? expectBuild(deployed) : deployed.target)));
}

export function refuseLocal(targets: readonly Target[]): void {
  const local = targets.find(isLocal);
  if (local === undefined) return;
  throw new UsageError(
    `${local.name} runs on this machine only, where no vantage reaches it. Add --where deployed, or give --target name=URL.`,
  );
}

function namesOfOn(targets: readonly Target[]): readonly string[] {
  return targets
    .filter((target) => !isLocal(target) || !target.platform.offUnlessNamed)
    .map(({ name }) => name);
}

/** None where the options name targets. */
export async function targetsThatAreOff({
  target,
  app,
}: Pick<SelectionOptions, "target" | "app">): Promise<readonly LocalTarget[]> {
  if (target !== undefined) return [];
  const all = await listTargets(sayLeftOut);
  return all.filter(({ platform, app: { id } }) => platform.offUnlessNamed && (app?.includes(id) ?? true));
}

/** Targets and cases that cannot be built are said on stderr and left out. */
export async function buildTargets(
  targets: readonly Target[],
  options: { readonly build: boolean; readonly clean?: boolean },
) {
  const local = targets.filter(isLocal);
  if (!options.build || local.length === 0) return { targets, missing: [] as const, casesLeftOut: false };
  sayNote("Building what is not built yet ...");
  const { failures, leftOut, summary, brokenBelow } = await build(local, options.clean);
  if (brokenBelow) throw new UserError(`The build failed. The end of its output:\n${summary}`);
  const missing = local.flatMap(({ name, deployable }): MissingTarget[] => {
    const failure = failures.get(deployable);
    return failure === undefined ? [] : [{ name, detail: describeFailure(name, failure) }];
  });
  for (const { detail } of missing) sayAside(`! ${detail}`);
  for (const { path, reason } of leftOut) {
    sayAside(`! ${relative(repositoryRoot, path)} is left out: ${reason}`);
  }
  if (missing.length === targets.length) {
    throw new UserError("No target could be built. Fix what the lines above name, and start again.");
  }
  if (missing.length + leftOut.length === 0) sayNote(summary);
  const built = targets.filter((target) => !missing.some(({ name }) => name === target.name));
  return { targets: built, missing, casesLeftOut: leftOut.length > 0 };
}

export function assertBaselineBuilt(baseline: string | undefined, missing: readonly MissingTarget[]): void {
  if (!missing.some(({ name }) => name === baseline)) return;
  throw new UserError(
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
  const unknown = hosts.find((host) => !known.includes(host));
  if (unknown === undefined) return;
  throw new UsageError(
    `--token-for names "${unknown}", but no --target URL has that host. Write it as in the URL, with a port where it has one.`,
  );
}

export function assertNothingMissing({ missing }: Platform): void {
  const what = missing?.() ?? null;
  if (what !== null) throw new UserError(what);
}

const said = new Set<string>();

/** Several parts of a command look for apps: each is said once. */
export const sayLeftOut: LeaveOut = ({ path, reason }) => {
  if (said.has(path)) return;
  said.add(path);
  sayAside(`! ${path} is left out: ${reason}`);
};
