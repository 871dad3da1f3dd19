import { existsSync } from "node:fs";
import { join } from "node:path";
import { OWN_SERVER_APP, type Platform, USUAL_BASELINE } from "@evenbench/core";
import { UsageError, UserError } from "@evenbench/core/errors";
import { readPackageJson } from "@evenbench/core/package-json";
import { discoverPlatforms } from "@evenbench/host";
import { buildOwnApp, casesByRoute, type OwnApp } from "@evenbench/own-apps";
import type { OwnAppRecord } from "@evenbench/results";
import { type LocalTarget, ownAppTarget, ownServerCommand } from "@evenbench/runner";
import { type BuiltApp, describeApp, reasonsOf } from "./app-words.ts";
import { recordedFile } from "./asked.ts";
import { orInterrupted } from "./exit.ts";
import { oneOf } from "./nearest.ts";
import type { OwnBuildOptions, SelectionOptions } from "./options.ts";
import { readOwnRequests } from "./own-requests.ts";
import type { OwnServerOptions } from "./own-server-options.ts";
import { readiness } from "./own-servers.ts";
import { sayLeftOut, sayNote } from "./say.ts";
import type { Check, Selection } from "./selection.ts";

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
  assertScript(folder, start ?? "", label);
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
    const { copy, commandVariables } = app;
    const command = { ...readiness(ready), command: start, folder: copy, environment: commandVariables };
    const started = ownServerCommand(USUAL_BASELINE, command, settings);
    targets.push(node === undefined ? started : onPlatform(started, node));
  }
  const cases = casesByRoute(requests.cases, app.routes);
  return { app, targets, requests: { ...requests, cases } };
}

/**
 * A command that runs a script of the folder and nothing else: "npm start", "pnpm run serve -- --port 3000". Yarn and Bun
 * also run programs and files by that name, and options may name another folder.
 */
const SCRIPT = /^(?:npm|pnpm)\s+(?:run\s+(\w[\w:.-]*)|(start))(?:\s+--(?:\s.*)?)?$/;

/**
 * Checks that package.json has the script that a command runs.
 *
 * @param label names the folder: of two states, which one it is.
 * @throws {UsageError} where it has none.
 */
export function assertScript(folder: string, command: string, label: string): void {
  const [, named, name = named] = SCRIPT.exec(command) ?? [];
  if (name === undefined || existsSync(join(folder, "server.js"))) {
    return;
  }
  const packageJson = readPackageJson(folder);
  if (packageJson === null) {
    return;
  }
  const { scripts = {} } = packageJson;
  if (scripts[name] === undefined) {
    const names = Object.keys(scripts).join(", ") || "none";
    throw new UsageError(
      `${label}: --start "${command}" runs the script "${name}", which package.json lacks. Its scripts: ${names}. Name one of them, or the command itself, such as --start "node server.js".`,
    );
  }
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

/** Says of each path that is measured, and that no platform computes, why that gives no verdict on platforms. */
export function warnOfCaches({ requests }: BuiltApp): void {
  for (const { path, cached } of requests.cases) {
    if (cached !== undefined) {
      sayNote(`! ${path}: a cache is measured, which gives no verdict on the platforms. ${cached}`);
    }
  }
}
