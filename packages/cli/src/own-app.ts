import {
  OWN_SERVER_APP,
  type OwnAppRead,
  type OwnAppRoute,
  type Platform,
  shellWord,
  terminalLine,
  USUAL_BASELINE,
} from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { UsageError, UserError } from "@evenbench/core/errors";
import { discoverPlatforms } from "@evenbench/host";
import { buildOwnApp, casesByRoute, type OwnApp } from "@evenbench/own-apps";
import { formatBytes, formatPercent } from "@evenbench/page";
import type { OwnAppRecord } from "@evenbench/results";
import { type LocalTarget, ownAppTarget, ownServerCommand } from "@evenbench/runner";
import { recordedFile } from "./asked.ts";
import { orInterrupted } from "./exit.ts";
import { oneOf } from "./nearest.ts";
import type { OwnBuildOptions, SelectionOptions } from "./options.ts";
import { type OwnRequests, readOwnRequests } from "./own-requests.ts";
import type { OwnServerOptions } from "./own-server-options.ts";
import { readiness } from "./own-servers.ts";
import { sayLeftOut, sayNote } from "./say.ts";
import type { Check, Selection } from "./selection.ts";

/** An app, and what serves it. */
export interface BuiltApp {
  readonly app: OwnApp;
  readonly targets: readonly LocalTarget[];
  readonly requests: OwnRequests;
}

/** Which of several states of an app is built. */
interface BuiltState {
  /** How progress calls it. Default: the folder. */
  readonly label?: string;
  /** Absolute paths of folders whose files of variables count where the app has none of that name. Default: none. */
  readonly variablesOf?: readonly string[];
  /** Packages in other versions than the app's, such as "next@16.3.0". Default: none. */
  readonly withPackages?: readonly string[];
}

/** How a user's app is built, and what it is asked. */
export type BuildAppOptions = OwnBuildOptions & OwnServerOptions;

/**
 * Builds a user's app for all platforms that its options name.
 *
 * @throws {UsageError} for a wrong command line, before anything is built.
 * @throws {UserError} where nothing can be built.
 */
export async function buildApp(
  folder: string,
  options: BuildAppOptions,
  { label = folder, variablesOf = [], withPackages = [] }: BuiltState = {},
): Promise<BuiltApp> {
  // A command line that is wrong is said before anything is built.
  const requests = await readOwnRequests(options);
  const platforms = await choosePlatforms(options);
  const { start, build, envFile = [] } = options;
  const node = platforms.find(({ id }) => id === USUAL_BASELINE);
  if (start !== undefined && node === undefined) {
    throw new UsageError(
      `--start starts a server on ${USUAL_BASELINE}. Name it with --on, too, or leave --start out.`,
    );
  }
  const app = await orInterrupted(
    (signal) =>
      buildOwnApp({
        folder,
        platforms: platforms.filter(({ id }) => start === undefined || id !== USUAL_BASELINE),
        envFiles: envFile,
        build: typeof build === "string" ? build : null,
        isStarted: start !== undefined,
        isAnew: options.rebuild === true,
        variablesOf,
        withPackages,
        onStep: (step) => sayNote(`${label}: ${step} ...`),
        signal,
      }),
    "Stopped: the app is not built.",
  );
  sayChanged(app);
  const { settings, ready } = requests;
  const environment = app.variables;
  const builtFrom = [app.title, ...app.packages].join(", ");
  const targets = app.targets.map(({ platform, deployable }) =>
    ownAppTarget(
      { platform, deployable, sources: app.copy, environment, readyPath: ready.path, builtFrom },
      settings,
    ),
  );
  if (start !== undefined) {
    const command = { ...readiness(ready), command: start, folder: app.copy, environment };
    const started = ownServerCommand(USUAL_BASELINE, command, settings);
    targets.push(node === undefined ? started : onPlatform(started, node));
  }
  const cases = casesByRoute(requests.cases, app.routes);
  return { app, targets, requests: { ...requests, cases } };
}

/** Number of changed paths that are named. */
const PATHS_NAMED = 3;

/** Says what changed in the user's folder since the app was looked at. */
export function sayChanged(app: OwnApp): void {
  const changed = app.changedSince();
  if (changed.length > 0) {
    const shown = changed.slice(0, PATHS_NAMED).join(", ");
    sayNote(
      `! ${changed.length} paths in your folder changed meanwhile (${shown}), by an editor or by what knows the folder's path: the copy has no file and no link of yours.`,
    );
  }
}

/** Describes an app for a run's record. @param folder its folder as it was typed. */
export function recordOf({ app }: BuiltApp, folder: string): OwnAppRecord {
  const read = app.read.map((file) => ({ ...file, file: recordedFile(file.file) }));
  return { folder: recordedFile(folder), title: app.title, read, simulated: app.simulated };
}

/** Gives a command's target the name of a platform. */
function onPlatform(started: LocalTarget, platform: Platform): LocalTarget {
  const { serve, size } = started.platform;
  return { ...started, platform: { ...platform, serve, size } };
}

/**
 * Chooses the platforms to build for. Without --on these are all that are installed; a server that a command of the
 * user's starts is Node.js's alone.
 */
async function choosePlatforms({ on, start }: OwnBuildOptions): Promise<readonly Platform[]> {
  const all = await discoverPlatforms(undefined, sayLeftOut);
  if (on === undefined && start !== undefined) {
    return all.filter(({ id }) => id === USUAL_BASELINE);
  }
  if (on === undefined) {
    return all.filter(({ offUnlessNamed, missing }) => !offUnlessNamed && (missing?.() ?? null) === null);
  }
  const ids = oneOf(
    "platform",
    on,
    all.map(({ id }) => id),
  );
  const chosen = all.filter(({ id }) => ids.includes(id));
  const lacking = chosen.map(({ missing }) => missing?.() ?? null).find((words) => words !== null);
  if (lacking !== undefined) {
    throw new UsageError(lacking);
  }
  return chosen;
}

/**
 * Builds a user's app, and chooses all of its targets.
 *
 * @throws {UserError} where it could be built for no platform.
 */
export async function chooseOwnApp(
  folder: string,
  options: BuildAppOptions & Pick<SelectionOptions, "baseline">,
  check: Check,
): Promise<Selection> {
  const built = await buildApp(folder, options);
  sayNote(describeApp(built));
  assertBuilt(built, options);
  warnOfCaches(built);
  const { targets, requests } = built;
  await check(targets);
  return { targets, missing: [], cases: { [OWN_SERVER_APP]: requests.cases }, otherCaseIds: [] };
}

/**
 * Checks a build.
 *
 * @throws {UserError} where nothing can be measured, or where the baseline is none of its targets.
 */
export function assertBuilt(
  { app, targets }: BuiltApp,
  { baseline }: Pick<SelectionOptions, "baseline">,
): void {
  if (targets.length === 0) {
    throw new UserError(`Nothing was measured: no platform is left. ${reasonsOf(app)}`);
  }
  if (baseline !== undefined && !targets.some(({ name }) => name === baseline)) {
    const names = targets.map(({ name }) => name).join(", ");
    throw new UsageError(`--baseline names "${baseline}", and the app's targets are ${names}.`);
  }
}

/** Writes in one line why platforms are left out, such as "cloudflare, node: Every page is prerendered." */
export function reasonsOf({ refusals }: Pick<OwnApp, "refusals">): string {
  const reasons = byReason(refusals).map(([platforms, why]) => `${platforms}: ${why.split("\n")[0]}`);
  return reasons.join(" ");
}

/** Groups platforms that have the same reason: their ids, joined by commas, with the reason. */
function byReason(refusals: OwnApp["refusals"]): readonly (readonly [platforms: string, why: string])[] {
  const groups = Map.groupBy(refusals, ({ why }) => why);
  return [...groups].map(([why, group]) => [group.map(({ platform }) => platform).join(", "), why] as const);
}

/** Writes the description of an app that is printed before anything is measured. Lines of others end with theirs. */
export function describeApp({ app, targets }: BuiltApp): string {
  const { routes, notes, refusals } = app;
  const title = `${app.name}: ${app.title}, ${app.source.packageManager}${app.isReused ? "; built before from the same sources" : ""}`;
  const platforms = table([
    ...targets.map((target) => [target.name, sizeWords(app, target)]),
    ...byReason(refusals).map(([names, why]) => [names, `left out: ${why}`]),
  ]);
  const more = [
    ...(routes.length === 0 ? [] : ["Routes:", ...table(shownRoutes(routes))]),
    ...(app.packages.length === 0 ? [] : [`- Packages: ${app.packages.join(", ")}.`]),
    ...notes.map((note) => `- ${note}`),
    ...app.read.flatMap(readWords),
    ...simulatedWords(app),
  ];
  return [terminalLine(title), ...platforms, ...more.map(terminalLine)].join("\n");
}

/** Number of files that are listed among an app's routes. */
const FILES_SHOWN = 20;

function shownRoutes(routes: readonly OwnAppRoute[]): readonly (readonly string[])[] {
  const files = routes.filter(({ kind }) => kind === "static");
  const rest = new Set(files.slice(FILES_SHOWN));
  const shown = routes.filter((route) => !rest.has(route)).map(routeWords);
  return rest.size === 0 ? shown : [...shown, [`and ${rest.size} more`, KINDS.static]];
}

/** Says what of a file counts and what does not: "vercel.json: not applied: rewrites (only ... applies it)". */
function readWords({ file, applied, notApplied }: OwnAppRead): readonly string[] {
  const counts = applied.length === 0 ? [] : [`- ${file}: ${applied.join(", ")}.`];
  const reasons = Map.groupBy(notApplied, ({ why }) => why);
  const not = [...reasons].map(
    ([why, parts]) => `- ${file}: not applied: ${parts.map(({ what }) => what).join(", ")} (${why}).`,
  );
  return [...counts, ...not];
}

function simulatedWords({ simulated }: OwnApp): readonly string[] {
  const byProgram = Map.groupBy(simulated, ({ by }) => by);
  return [...byProgram].map(
    ([by, services]) =>
      `- Simulated by ${by}, and empty at each start: ${services.map(({ binding }) => binding).join(", ")}. Their time and memory are of this machine, and count as the app's.`,
  );
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1].map((column) =>
    Math.max(0, ...rows.map((row) => (row.length > column + 1 ? (row[column] ?? "").length : 0))),
  );
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd(),
  );
}

function sizeWords({ targets }: OwnApp, { platform }: LocalTarget): string {
  const size = targets.find((target) => target.platform.id === platform.id)?.size ?? null;
  if (size === null) {
    return "its size is not known";
  }
  const { bytes, gzipBytes, limit } = size;
  const both = `${formatBytes(bytes)}, ${formatBytes(gzipBytes)} compressed`;
  if (limit === null) {
    return both;
  }
  return `${both}: ${formatPercent(size[limit.counts] / limit.bytes)} of the limit (${limit.says})`;
}

const KINDS: Readonly<Record<OwnAppRoute["kind"], string>> = {
  dynamic: "dynamic",
  prerendered: "prerendered: no platform renders it",
  isr: "renewed from time to time: a cache answers",
  static: "a file",
  refused: "not measured",
};

function routeWords({ path, kind, hasMiddleware, note }: OwnAppRoute): readonly string[] {
  const words = [KINDS[kind]];
  if (hasMiddleware) {
    words.push("behind middleware");
  }
  if (note !== null) {
    words.push(note);
  }
  return [path, words.join("; ")];
}

/** A path to measure, and the route that it is of. */
interface ProposedPath {
  readonly path: string;
  readonly route: string;
}

/** Finds a path of a dynamic route: one that can be asked as it is written, else one with words as its parameters. */
function proposed(routes: readonly OwnAppRoute[]): ProposedPath | null {
  const dynamic = routes.filter(({ kind }) => kind === "dynamic").map(({ path }) => path);
  const plain = dynamic.find(isPlain);
  if (plain !== undefined) {
    return { path: plain, route: plain };
  }
  const filled = dynamic.map((route) => ({ path: withWords(route), route }));
  return filled.find(({ path }) => isPlain(path)) ?? null;
}

function isPlain(path: string): boolean {
  return /^\/[\w./-]*$/.test(path);
}

/** Fills a route's parameters with their own names: "/posts/[slug]" becomes "/posts/slug". */
function withWords(route: string): string {
  const parts = route.split("/").slice(1);
  const filled = parts.flatMap((part) => {
    // Optional ones, and all that may follow.
    if (/^\[\[.*\]\]$|^\*+$/.test(part)) {
      return [];
    }
    return part.replace(/\[(?:\.\.\.)?([^\]=]+)[^\]]*\]/g, "$1").replace(/^:(\w+)\??.*$/, "$1");
  });
  return `/${filled.join("/")}`;
}

/** Writes the command to type next: with a path that is computed for each request, where the app says one. */
export function proposal({ app: { routes }, targets }: BuiltApp, folder: string): string {
  if (routes.length > 0 && routes.every(({ kind }) => kind !== "dynamic")) {
    return "No route is dynamic: no platform renders anything for a request, so there is nothing to compare.";
  }
  if (targets.length === 0) {
    return "No platform can run it as it is.";
  }
  const { path, route } = proposed(routes) ?? { path: "/", route: "/" };
  const command = `Measure it: ${EVENBENCH} app ${shellWord(folder)} --path ${shellWord(path)}`;
  return path === route || path === "/"
    ? command
    : `${command}\n(or another path of ${route} that your app answers)`;
}

/** Describes an app as a value for programs. No value of a variable is in it. */
export function appSummaryOf({ app, targets }: BuiltApp): object {
  const { name, title, folder, routes, notes, refusals, read, simulated, variables, isReused } = app;
  const sizes = new Map(app.targets.map(({ platform, size }) => [platform.id, size]));
  return {
    name,
    title,
    folder,
    packageManager: app.source.packageManager,
    packages: app.packages,
    targets: targets.map((target) => ({ name: target.name, size: sizes.get(target.platform.id) ?? null })),
    refusals,
    routes,
    notes,
    read,
    simulated,
    variables: Object.keys(variables),
    isReused,
  };
}

/** Says of each path that is measured, and that no platform computes, why that gives no verdict on platforms. */
export function warnOfCaches({ requests }: BuiltApp): void {
  for (const { path, cached } of requests.cases) {
    if (cached !== undefined) {
      sayNote(`! ${path}: a cache is measured, which gives no verdict on the platforms. ${cached}`);
    }
  }
}
