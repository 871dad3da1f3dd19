import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AppDefinition, type CaseManifest, messageOf, UserError } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { discoverApps } from "@evenbench/host";
import { repositoryRoot } from "@evenbench/host/repository";
import { missingServices } from "@evenbench/host/services";
import { appIdOf, type RunOptions, type Target } from "@evenbench/runner";
import { z } from "zod";
import { ExitCode, exit } from "./exit.ts";
import { pick, pickBaseline, UsageError } from "./nearest.ts";
import { ALL_CASES, type CaseOptions, DEFAULT_SUITE, type SelectionOptions } from "./options.ts";
import { sayAside } from "./say.ts";
import { assertBaselineBuilt, buildTargets, sayLeftOut, selectTargets } from "./targets.ts";

interface OfApp<Case> {
  readonly app: string;
  readonly manifest: Case;
}

type NamedCase = Pick<CaseManifest, "id" | "path" | "title">;

export type ChoiceOptions = SelectionOptions & CaseOptions & { readonly baseline?: string };

/** What to measure. */
export type Chosen = Pick<RunOptions, "targets"> &
  Required<Pick<RunOptions, "missing" | "cases" | "otherCaseIds">>;

/** Before anything is built. */
export type Check = (selected: readonly Target[], ids: readonly string[]) => void | Promise<void>;

/** The exit code says where something is missing; who names cases does not ask for the others. */
export async function chooseOfRepository(options: ChoiceOptions, check: Check = () => {}): Promise<Chosen> {
  const { baseline, case: namedCases } = options;
  const named = await selectTargets(options);
  // A wrong name is told before anything is built, and nothing is built in vain.
  const sources = await casesOf(named, sourcesOf);
  const asked = await casesAskedFor(options, sources);
  const found = pickCases(asked, sources);
  const has = (target: Target) => found.some(({ app }) => app === appIdOf(target));
  const selected = named.filter(has);
  const other = options.target === undefined ? undefined : named.find((target) => !has(target));
  if (other !== undefined)
    throw new UsageError(
      `${other.name} serves none of these cases: ${asked.join(", ")}. Leave it out, or name a case of its own (\`${EVENBENCH} list\`).`,
    );
  pickBaseline(baseline, selected);
  await check(
    selected,
    found.map(({ manifest }) => manifest.id),
  );
  const { targets, missing, casesLeftOut } = await buildTargets(selected, options);
  assertBaselineBuilt(baseline, missing);
  if (missing.length > 0 || (casesLeftOut && namedCases === undefined)) exit.code = ExitCode.failed;
  const chosen = await casesToMeasure(targets, asked, namedCases !== undefined);
  return { targets: targets.filter((target) => appIdOf(target) in chosen.cases), missing, ...chosen };
}

/** Of those that nobody named, cases whose services cannot be started for all targets are left out, and said. */
export async function casesToMeasure(
  targets: readonly Target[],
  wanted: readonly string[],
  isNamed: boolean,
): Promise<Pick<Chosen, "cases" | "otherCaseIds">> {
  const all = await casesOf(targets, (app) => app.cases());
  const meant = pickCases(wanted, all);
  const left = new Map(isNamed ? [] : await unserved(meant, targets));
  for (const [id, why] of left) sayAside(`! ${id} is left out: ${why}`);
  const measured = meant.filter(({ manifest }) => !left.has(manifest.id));
  const others = all.filter((one) => !measured.includes(one));
  return { cases: byApp(measured), otherCaseIds: others.map(({ manifest }) => manifest.id) };
}

async function unserved(cases: readonly OfApp<CaseManifest>[], targets: readonly Target[]) {
  const missing = await missingServices(cases.flatMap(({ manifest }) => manifest.services));
  const remote = targets.find(({ place }) => place === "url");
  return cases.flatMap(({ manifest: { id, services } }): (readonly [id: string, why: string])[] => {
    const lacking = missing.find((service) => services.includes(service.id));
    if (lacking !== undefined) return [[id, lacking.missing]];
    const [first] = services;
    if (first === undefined || remote === undefined) return [];
    return [[id, `${first} cannot be started for ${remote.name}, which runs elsewhere.`]];
  });
}

/** From sources: nothing needs to be built. */
export async function listCases(targets: readonly Target[]) {
  return byApp(await casesOf(targets, sourcesOf));
}

const sourcesOf = (app: AppDefinition) => app.casesInSources?.() ?? app.cases();

function byApp<Case>(all: readonly OfApp<Case>[]): Readonly<Record<string, readonly Case[]>> {
  const groups = [...Map.groupBy(all, ({ app }) => app)];
  return Object.fromEntries(groups.map(([app, own]) => [app, own.map(({ manifest }) => manifest)]));
}

async function casesOf<Case>(
  targets: readonly Target[],
  read: (app: AppDefinition) => Promise<readonly Case[]>,
): Promise<readonly OfApp<Case>[]> {
  const appIds = new Set(targets.map(appIdOf));
  const apps = (await discoverApps(undefined, sayLeftOut)).filter(({ id }) => appIds.has(id));
  const cases = apps.map(async (app) => {
    try {
      return (await read(app)).map((manifest) => ({ app: app.id, manifest }));
    } catch (error) {
      if (error instanceof UserError) throw error;
      const why = `The app "${app.id}" cannot name its cases: ${messageOf(error)} Fix its app.ts.`;
      throw new UserError(why, { cause: error });
    }
  });
  return (await Promise.all(cases)).flat();
}

/** A case may be asked for by its path, too: "empty" stands for "next-empty" where only that app was chosen. */
function pickCases<Case extends NamedCase>(
  wanted: readonly string[],
  all: readonly OfApp<Case>[],
): readonly OfApp<Case>[] {
  const ids = all.map(({ manifest }) => manifest.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new TypeError(`Two apps have a case "${twice}": give one another id.`);
  const byPath = new Map(all.map(({ manifest: { id, path } }) => [path.slice(1), id]));
  const named = wanted.map((word) => (ids.includes(word) ? word : (byPath.get(word) ?? word)));
  const picked = pick("case", named, ids);
  return all.filter(({ manifest }) => picked.includes(manifest.id));
}

const FOLDER = join(repositoryRoot, "packages", "cases");
const ENDING = ".suite.json";

/** Cases that are measured together: `packages/cases/<name>.suite.json`. */
const suiteFile = z.strictObject({
  title: z.string(),
  description: z.string(),
  cases: z.array(z.string()).nonempty(),
});

/** The ids of a suite's cases; none for "all", which stands for every case. */
export async function casesOfSuite(name: string, folder = FOLDER): Promise<readonly string[]> {
  if (name === ALL_CASES) return [];
  const files = (await readdir(folder)).filter((file) => file.endsWith(ENDING)).sort();
  pick("suite", [name], [...files.map((file) => file.slice(0, -ENDING.length)), ALL_CASES]);
  const path = join(folder, name + ENDING);
  try {
    return suiteFile.parse(JSON.parse(await readFile(path, "utf8"))).cases;
  } catch (error) {
    const why = error instanceof z.ZodError ? (error.issues[0]?.message ?? "") : String(error);
    throw new UsageError(
      `${path} is not a suite: ${why}. Write { "title", "description", "cases": [ids] }, as in published${ENDING}.`,
    );
  }
}

/** Named; else the suite's; else all of the apps named; else the default suite's. None stands for all. */
async function casesAskedFor(
  { case: named, suite, app }: CaseOptions,
  sources: readonly OfApp<NamedCase>[],
): Promise<readonly string[]> {
  if (named !== undefined) return named;
  const name = suite ?? (app === undefined ? DEFAULT_SUITE : ALL_CASES);
  const ids = await casesOfSuite(name);
  if (ids.length === 0) return [];
  const asked = ids.filter((id) => sources.some(({ manifest }) => manifest.id === id));
  if (asked.length > 0) return asked;
  throw new UsageError(
    `These targets serve no case of the suite "${name}". Name cases with --case, or take all with --suite ${ALL_CASES}.`,
  );
}
