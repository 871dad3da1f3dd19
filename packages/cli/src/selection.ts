import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type AppDefinition,
  ARTIFACT_APP,
  type CaseManifest,
  messageOf,
  type Platform,
  UsageError,
  UserError,
} from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { readUserFileSync } from "@evenbench/core/user-file";
import { deployedTargets, expectBuild, givenToken, tokenForUrl } from "@evenbench/deploy";
import { DEPLOYMENTS_FILE } from "@evenbench/deploy/name";
import { discoverApps } from "@evenbench/host";
import { repositoryRoot } from "@evenbench/host/repository";
import { missingServices } from "@evenbench/host/services";
import {
  appIdOf,
  builtAppOf,
  type LocalTarget,
  listTargets,
  type MissingTarget,
  type Target,
  type UrlTarget,
} from "@evenbench/runner";
import * as z from "zod";
import { buildTargets } from "./build.ts";
import { ExitCode, exit } from "./exit.ts";
import { oneOf, pickBaseline } from "./nearest.ts";
import { ALL_CASES, DEFAULT_SUITE, type SelectionOptions } from "./options.ts";
import { assertNames, parseUrlTarget } from "./own-servers.ts";
import { sayLeftOut, sayNote } from "./say.ts";
import { commandOf } from "./target-words.ts";

/** A case of an app. */
interface OfApp<Case> {
  /** Id of the app. */
  readonly app: string;
  readonly manifest: Case;
}

/** The fields that a case is found by. */
type NamedCase = Pick<CaseManifest, "id" | "path" | "title">;

/** The targets and cases that a command works with. Every target is built. */
export interface Selection {
  /** The targets that serve one of `cases`, in the order of their names. */
  readonly targets: readonly Target[];
  /** Targets that were asked for, and could not be built. */
  readonly missing: readonly MissingTarget[];
  /** Cases by the id of their app. */
  readonly cases: Readonly<Record<string, readonly CaseManifest[]>>;
  /** Ids of the cases that the targets serve, and that are not in `cases`. */
  readonly otherCaseIds: readonly string[];
}

/** Refuses targets by throwing, before anything is built. */
export type Check = (selected: readonly Target[]) => void | Promise<void>;

/**
 * Chooses targets and cases of the repository, and builds them. Something that is missing sets the exit code,
 * but for cases that nobody named.
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
  const { targets, missing, casesLeftOut } = await buildTargets(selected, options);
  if (missing.some(({ name }) => name === baseline)) {
    throw new UserError(
      `The baseline ${baseline} could not be built (its lines are above). Fix that, or name another with --baseline.`,
    );
  }
  if (missing.length > 0 || (casesLeftOut && !areNamed)) {
    exit.code = ExitCode.failed;
  }
  const chosen = await casesToMeasure(targets, wanted, areNamed);
  return { targets: targets.filter((target) => appIdOf(target) in chosen.cases), missing, ...chosen };
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
  assertNames(targets);
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

/**
 * Reads targets that are written as name=URL, with the tokens that they get: those of deployments, and with `--deployed`
 * that of the environment.
 */
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

/**
 * Gives the wanted cases of targets. Cases that nobody named are left out, with a line that says so, where
 * their services cannot be started for all targets.
 */
export async function casesToMeasure(
  targets: readonly Target[],
  wanted: readonly string[],
  isNamed: boolean,
): Promise<Pick<Selection, "cases" | "otherCaseIds">> {
  const all = await casesOfApps(targets, (app) => app.cases());
  const meant = pickCases(wanted, all);
  const left = new Map(isNamed ? [] : await unserved(meant, targets));
  for (const [id, why] of left) {
    sayNote(`! ${id} is left out: ${why}`);
  }
  const measured = meant.filter(({ manifest }) => !left.has(manifest.id));
  const others = all.filter((entry) => !measured.includes(entry));
  return { cases: byApp(measured), otherCaseIds: others.map(({ manifest }) => manifest.id) };
}

/** Gives the cases whose services cannot be started for all targets, each with the reason. */
async function unserved(
  cases: readonly OfApp<CaseManifest>[],
  targets: readonly Target[],
): Promise<readonly (readonly [id: string, why: string])[]> {
  const missing = await missingServices(cases.flatMap(({ manifest }) => manifest.services));
  const remote = targets.find(({ place }) => place === "url");
  return cases.flatMap(({ manifest: { id, services } }): (readonly [id: string, why: string])[] => {
    const lacking = missing.find((service) => services.includes(service.id));
    if (lacking !== undefined) {
      return [[id, lacking.missing]];
    }
    const [first] = services;
    if (first === undefined || remote === undefined) {
      return [];
    }
    return [[id, `${first} cannot be started for ${remote.name}, which runs elsewhere.`]];
  });
}

/** Lists the cases of targets by the id of their app, from sources: nothing needs to be built. */
export async function listCases(
  targets: readonly Target[],
): Promise<Readonly<Record<string, readonly NamedCase[]>>> {
  return byApp(await casesOfApps(targets, sourcesOf));
}

/** Reads an app's cases from its sources where it can, so that it need not be built. */
function sourcesOf(app: AppDefinition): Promise<readonly NamedCase[]> {
  return app.casesInSources?.() ?? app.cases();
}

/** Groups cases by the id of their app. */
function byApp<Case>(all: readonly OfApp<Case>[]): Readonly<Record<string, readonly Case[]>> {
  const groups = [...Map.groupBy(all, ({ app }) => app)];
  return Object.fromEntries(groups.map(([app, cases]) => [app, cases.map(({ manifest }) => manifest)]));
}

async function casesOfApps<Case>(
  targets: readonly Target[],
  read: (app: AppDefinition) => Promise<readonly Case[]>,
): Promise<readonly OfApp<Case>[]> {
  const apps = appsNaming(await discoverApps(undefined, sayLeftOut), targets);
  const cases = apps.map(async (app) => {
    try {
      return (await read(app)).map((manifest) => ({ app: app.casesOf ?? app.id, manifest }));
    } catch (error) {
      if (error instanceof UserError) {
        throw error;
      }
      const why = `The app "${app.id}" cannot name its cases: ${messageOf(error)} Fix its app.ts.`;
      throw new UserError(why, { cause: error });
    }
  });
  return (await Promise.all(cases)).flat();
}

/**
 * Finds the apps that name the cases of targets. Where two apps build one's pages it is the second one: its rules hold
 * for bodies of both.
 */
function appsNaming(all: readonly AppDefinition[], targets: readonly Target[]): readonly AppDefinition[] {
  const built = new Set(targets.map(builtAppOf));
  const apps = all.filter(({ id }) => built.has(id));
  const secondBuilds = new Set(apps.map(({ casesOf }) => casesOf));
  return apps.filter(({ id }) => !secondBuilds.has(id));
}

/**
 * Picks the wanted cases. One may be asked for by its path, too: "empty" is "next-empty" where that app alone is
 * chosen.
 */
function pickCases<Case extends NamedCase>(
  wanted: readonly string[],
  all: readonly OfApp<Case>[],
): readonly OfApp<Case>[] {
  const ids = all.map(({ manifest }) => manifest.id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) {
    throw new UserError(`Two apps have a case "${repeated}". Give one another id.`);
  }
  const byPath = new Map(all.map(({ manifest: { id, path } }) => [path.slice(1), id]));
  const named = wanted.map((word) => (ids.includes(word) ? word : (byPath.get(word) ?? word)));
  const picked = oneOf("case", named, ids);
  return all.filter(({ manifest }) => picked.includes(manifest.id));
}

/** The folder of suites. */
const CASE_SOURCES_FOLDER = join(repositoryRoot, "packages", "cases");
/** The ending of their files. */
const ENDING = ".suite.json";

/** The file of cases that are measured together: `packages/cases/<name>.suite.json`. */
const suiteFile = z.strictObject({
  title: z.string(),
  description: z.string(),
  cases: z.array(z.string()).nonempty(),
});

/** Lists the names of suites. */
async function suiteNames(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(ENDING)).sort();
  return files.map((file) => file.slice(0, -ENDING.length));
}

/** Gives the ids of a suite's cases. @throws {UsageError} for a file that is no suite. */
export async function casesOfSuite(name: string, folder = CASE_SOURCES_FOLDER): Promise<readonly string[]> {
  const path = join(folder, name + ENDING);
  try {
    return suiteFile.parse(JSON.parse(readUserFileSync(path))).cases;
  } catch (error) {
    const why = error instanceof z.ZodError ? (error.issues[0]?.message ?? "") : String(error);
    throw new UsageError(
      `${path} is not a suite: ${why}. Write { "title", "description", "cases": [ids] }, as in published${ENDING}.`,
    );
  }
}

/** The cases that somebody asks for. */
interface WantedCases {
  /** Their ids; none stands for all. */
  readonly ids: readonly string[];
  /** True where each of them was named. */
  readonly areNamed: boolean;
}

/**
 * Gives the wanted cases: those that are named, by themselves or by their suite; else all of the apps named; else the
 * default suite's.
 */
async function casesAskedFor(
  { case: named, app }: SelectionOptions,
  sources: readonly OfApp<NamedCase>[],
): Promise<WantedCases> {
  const words = named ?? [app === undefined ? DEFAULT_SUITE : ALL_CASES];
  if (words.includes(ALL_CASES)) {
    return { ids: [], areNamed: false };
  }
  const served = sources.map(({ manifest }) => manifest.id);
  const known = await suiteNames(CASE_SOURCES_FOLDER);
  const suites = words.filter((word) => known.includes(word) && !served.includes(word));
  const ids = words.filter((word) => !suites.includes(word));
  for (const suite of suites) {
    const ofSuite = (await casesOfSuite(suite)).filter((id) => served.includes(id));
    if (ofSuite.length === 0) {
      throw new UsageError(
        `These targets serve no case of the suite "${suite}". Name cases with --case, or take all with --case ${ALL_CASES}.`,
      );
    }
    ids.push(...ofSuite);
  }
  return { ids, areNamed: suites.length === 0 };
}
