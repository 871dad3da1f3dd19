import { ARTIFACT_APP, type Platform, UsageError, UserError } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { deployedTargets, expectBuild, givenToken, tokenForUrl } from "@evenbench/deploy";
import { DEPLOYMENTS_FILE } from "@evenbench/deploy/name";
import {
  appIdOf,
  builtAppOf,
  type LocalTarget,
  listTargets,
  type MissingTarget,
  type Target,
  type UrlTarget,
} from "@evenbench/runner";
import {
  type ChosenCases,
  casesOfApps,
  casesToMeasure,
  type NamedCase,
  type OfApp,
  pickCases,
  sourcesOf,
} from "./app-cases.ts";
import { buildTargets } from "./build.ts";
import { ExitCode, exit } from "./exit.ts";
import { oneOf, pickBaseline } from "./nearest.ts";
import type { SelectionOptions } from "./options.ts";
import { assertDistinct, parseUrlTarget } from "./own-servers.ts";
import { sayLeftOut } from "./say.ts";
import { casesAskedFor } from "./suites.ts";
import { commandOf } from "./target-words.ts";

/** The targets and cases that a command works with. Every target is built. */
export interface Selection extends ChosenCases {
  /** The targets that serve one of `cases`, in the order of their names. */
  readonly targets: readonly Target[];
  /** Targets that were asked for, and could not be built. */
  readonly missing: readonly MissingTarget[];
  /** Names of targets whose build was made of other sources than lie here. Default: none. */
  readonly outdated?: readonly string[];
}

/** Refuses targets by throwing, before anything is built. */
export type Check = (selected: readonly Target[]) => void | Promise<void>;

/**
 * Chooses and builds targets and cases of the repository. What is missing sets the exit code, but for cases that nobody
 * named.
 *
 * @throws {UsageError} for a name that is unknown, or a target that serves none of the cases.
 * @throws {UserError} when nothing can be measured with what could be built.
 */
export async function chooseOfRepository(
  options: SelectionOptions,
  check: Check = () => {},
): Promise<Selection> {
  const { baseline } = options;
  const named = await selectTargets(options);
  // A wrong name is reported before anything is built, and nothing is built in vain.
  const sources = await casesOfApps(named, sourcesOf);
  const { ids: wanted, areNamed } = await casesAskedFor(options, sources);
  const selected = targetsServing(wanted, sources, named, options);
  pickBaseline(baseline, selected);
  await check(selected);
  const { targets, missing, casesLeftOut, outdated } = await buildTargets(selected, options);
  if (missing.some(({ name }) => name === baseline)) {
    throw new UserError(
      `The baseline ${baseline} could not be built (its lines are above). Fix that, or name another with --baseline.`,
    );
  }
  if (missing.length > 0 || (casesLeftOut && !areNamed)) {
    exit.code = ExitCode.failed;
  }
  const chosen = await casesToMeasure(targets, wanted, areNamed);
  const served = targets.filter((target) => appIdOf(target) in chosen.cases);
  return { targets: served, missing, outdated, ...chosen };
}

/** Leaves out targets that serve none of the wanted cases. @throws {UsageError} for one that the user named. */
function targetsServing(
  wanted: readonly string[],
  sources: readonly OfApp<NamedCase>[],
  targets: readonly Target[],
  { target: words }: SelectionOptions,
): readonly Target[] {
  const apps = new Set(pickCases(wanted, sources).map(({ app }) => app));
  const other = targets.find((target) => !apps.has(appIdOf(target)));
  if (words !== undefined && other !== undefined) {
    throw new UsageError(
      `${other.name} serves none of these cases: ${wanted.join(", ")}. Leave it out, or name a case of its own (\`${EVENBENCH} list\`).`,
    );
  }
  return targets.filter((target) => apps.has(appIdOf(target)));
}

/**
 * Gives the targets that options name: known local ones, deployed ones, and URLs, which serve the app given
 * by `--app`, or the bundle. Without a name all local ones, but for those that have to be named.
 */
export async function selectTargets(options: SelectionOptions): Promise<readonly Target[]> {
  const { target: words = [], app: appIds = [], deployed = false } = options;
  const local = await localTargets(options);
  const apps = oneOf("app", appIds, [...new Set(local.map((target) => target.app.id))]);
  const urls = await urlTargets(
    words.filter((word) => word.includes("=")),
    options,
  );
  const names = words.filter((word) => !word.includes("="));
  const isUrlsAlone = names.length === 0 && urls.length > 0;
  const found: readonly Target[] =
    deployed === false || isUrlsAlone ? local : await deployedOf(local, names, options);
  const ofApps = found.filter((target) => apps.includes(builtAppOf(target)));
  const isUsual = (target: Target) => {
    const isOff = isLocal(target) && target.platform.offUnlessNamed === true;
    const isSecondBuild = appIdOf(target) !== builtAppOf(target);
    return !isOff && (!isSecondBuild || appIds.includes(builtAppOf(target)));
  };
  const known = ofApps.map((target) => target.name);
  const wanted = oneOf("target", names, known);
  const usual = urls.length === 0 ? ofApps.filter(isUsual) : [];
  const named = ofApps.filter((target) => wanted.includes(target.name));
  const targets: readonly Target[] = [...(names.length > 0 ? named : usual), ...urls];
  assertDistinct(targets);
  for (const { platform } of targets.filter(isLocal)) {
    assertNothingMissing(platform);
  }
  return targets;
}

/** Lists all local targets. A platform or app that cannot be loaded sets the exit code where it was asked for. */
function localTargets({ target, app, case: namedCases }: SelectionOptions): Promise<readonly LocalTarget[]> {
  return listTargets((leftOut) => {
    sayLeftOut(leftOut);
    // Who names targets asks for no other platform; who names apps or cases, for no other app.
    const isAsked = leftOut.path.endsWith("platform.ts") || (app ?? namedCases) === undefined;
    if (target === undefined && isAsked) {
      exit.code = ExitCode.failed;
    }
  });
}

/** Reads targets written as name=URL, with tokens of deployments, and with `--deployed` of the environment. */
async function urlTargets(
  words: readonly string[],
  { app: appIds = [], deployed }: SelectionOptions,
): Promise<readonly UrlTarget[]> {
  const urls: UrlTarget[] = [];
  for (const word of words) {
    if (deployed === undefined) {
      throw new UsageError(
        `"${word.slice(0, word.indexOf("="))}" is ${commandOf(word) === null ? "a URL" : "your own server"}, and this command starts targets by itself. Name local ones (\`${EVENBENCH} list\`), or leave --target out.`,
      );
    }
    const target = parseUrlTarget(word, appIds[0] ?? ARTIFACT_APP);
    const named = deployed === false || givenToken() === null ? [] : [new URL(target.url).host];
    urls.push({ ...target, token: await tokenForUrl(deploymentsFile(deployed), target.url, named) });
  }
  return urls;
}

/** Gives the file that lists deployments. @param deployed the value of `--deployed`. */
function deploymentsFile(deployed: string | boolean | undefined): string {
  return typeof deployed === "string" ? deployed : DEPLOYMENTS_FILE;
}

/** Gives deployed targets. They must run what is built here, so that is built first. */
async function deployedOf(
  local: readonly LocalTarget[],
  names: readonly string[],
  options: SelectionOptions,
): Promise<readonly UrlTarget[]> {
  const all = await deployedTargets(deploymentsFile(options.deployed), local);
  const isMeant = ({ target }: (typeof all)[number]) => names.length === 0 || names.includes(target.name);
  const meant = all.filter(isMeant);
  const { missing } = await buildTargets(
    meant.map(({ madeOf }) => madeOf),
    options,
  );
  if (missing.length > 0) {
    throw new UserError(
      "Deployments cannot be checked, since their build failed here (its lines are above). Fix it, or pass --no-build to use the last build.",
    );
  }
  // Those that are not meant are only there for their names.
  return Promise.all(all.map((deployed) => (isMeant(deployed) ? expectBuild(deployed) : deployed.target)));
}

/** Tells whether this machine starts the target. */
export function isLocal(target: Target): target is LocalTarget {
  return target.place === "local";
}

/** Checks that this machine has what a platform needs. @throws {UserError} with the command that installs it. */
export function assertNothingMissing({ missing }: Platform): void {
  const problem = missing?.() ?? null;
  if (problem !== null) {
    throw new UserError(problem);
  }
}
