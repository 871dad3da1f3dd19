import {
  ARTIFACT_APP,
  baselineAmong,
  type CaseManifest,
  COUNTED,
  defineApp,
  definePlatform,
  MANIFEST_DEFAULTS,
  namePlatform,
  OWN_SERVER_APP,
  type Platform,
  pathWith,
  type RequestRecord,
  type RequestSettings,
} from "@evenbench/core";
import {
  discoverApps,
  discoverPlatforms,
  type LeaveOut,
  type OwnCommand,
  serveCommand,
  startedWith,
} from "@evenbench/host";
import type { PreflightTarget } from "@evenbench/probe/preflight";
import type { RunTarget } from "@evenbench/results";
import type { LocalTarget, Target, UrlTarget } from "./options.ts";

/**
 * Lists all local targets: every app on every platform that can serve it.
 *
 * @param leaveOut is called with each definition that cannot be loaded. Default: the first one is thrown.
 */
export async function listTargets(leaveOut?: LeaveOut): Promise<LocalTarget[]> {
  const apps = await discoverApps(undefined, leaveOut);
  const platforms = await discoverPlatforms(undefined, leaveOut);
  return apps.flatMap((app) =>
    platforms.flatMap((platform): LocalTarget[] => {
      const deployable = app.deployable(platform.id);
      const name = app.id === ARTIFACT_APP ? platform.id : `${app.id}-${platform.id}`;
      return deployable === null ? [] : [{ place: "local", name, app, platform, deployable }];
    }),
  );
}

/** Gives the id of the app whose cases a target serves: targets of one such app are compared. */
export function appIdOf(target: Target): string {
  const { casesOf } = target.place === "local" ? target.app : target;
  return casesOf ?? builtAppOf(target);
}

/**
 * Gives the id of the app that a target is a build of: another one than that of its cases where two build one's
 * pages.
 */
export function builtAppOf(target: Target): string {
  return target.place === "local" ? target.app.id : target.app;
}

/** A target as it is measured: once by itself, and the baseline a second time as its copy. */
export interface MeasuredTarget {
  /** Name in all records: the target's own, or that of the copy, such as "node~copy". */
  readonly name: string;
  readonly target: Target;
  /** Name of the target that it is a copy of; null for any other. */
  readonly copyOf: string | null;
}

/**
 * Lists the targets of one app as they are measured: with a copy of the baseline. A baseline that is a running
 * server has none, and comes first: its copy would be the same process, which is faster when it has just
 * answered, so that the baseline alone would gain by it.
 *
 * @param baseline name or platform; where no target has it, the first one is the baseline.
 */
export function measuredTargetsOf(
  targets: readonly Target[],
  appId: string,
  baseline: string,
): MeasuredTarget[] {
  const measuredTargets = targets
    .filter((target) => appIdOf(target) === appId)
    .map((target): MeasuredTarget => ({ name: target.name, target, copyOf: null }));
  const { name } = baselineAmong(measuredTargets.map(runTargetOf), baseline) ?? {};
  const chosen = measuredTargets.find((measured) => measured.name === name);
  if (chosen === undefined) {
    return measuredTargets;
  }
  const others = measuredTargets.filter((measured) => measured !== chosen);
  return others.length > 0 && isRunningServer(chosen.target)
    ? [chosen, ...others]
    : [...measuredTargets, { ...chosen, name: `${chosen.name}~copy`, copyOf: chosen.name }];
}

/** Tells whether a target is a server of one's own that runs already. */
export function isRunningServer({ place, ownServer }: Target): boolean {
  return place === "url" && ownServer !== undefined;
}

/** Tells whether a target runs on a known platform. A user's own command does not: nobody knows what it runs on. */
export function isOfPlatform({ platform }: LocalTarget): boolean {
  return platform.id !== OWN_SERVER_APP;
}

/** Makes the record of a target, as a run's plan keeps it. */
export function runTargetOf({ name, target, copyOf }: MeasuredTarget): RunTarget {
  const { place, ownServer } = target;
  const command = ownServer?.facts.command ?? null;
  return {
    name,
    app: appIdOf(target),
    platform: place === "local" && isOfPlatform(target) ? target.platform.id : null,
    place,
    url: place === "local" ? null : target.url,
    copyOf,
    ...(place === "local" && target.state !== undefined && { state: target.state }),
    ...(command !== null && { command }),
  };
}

/**
 * Makes a case of one path of servers that know nothing of this benchmark.
 *
 * @param name what people call it; null for its method and path.
 * @param taken ids that other cases have.
 * @param masks regular expressions of text that may differ between answers.
 */
export function ownServerCase(
  { path, name }: { readonly path: string; readonly name: string | null },
  taken: readonly string[],
  request: RequestRecord,
  masks: readonly string[],
): CaseManifest {
  const shownPath = path.replaceAll(COUNTED, "{n}");
  const what = name ?? `${request.method === "GET" ? "" : `${request.method} `}${shownPath}`;
  return {
    ...MANIFEST_DEFAULTS,
    id: caseIdOf(what, taken),
    path,
    title: what,
    kind: what,
    description: "A path of servers that know nothing of Evenbench.",
    masks: masks.map((pattern) => ({ name: `--mask ${pattern}`, pattern, replacement: "" })),
    request,
  };
}

/** Makes an id from words, with a number behind it if another case has it. */
function caseIdOf(what: string, taken: readonly string[]): string {
  const words = what.toLowerCase().match(/[a-z0-9]+/g) ?? ["root"];
  const id = words.join("-").slice(0, 60);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? id : `${id}-${number}`;
    if (!taken.includes(candidate)) {
      return candidate;
    }
  }
}

/** Makes the target of a server of one's own that runs already. */
export function ownServerUrl(name: string, url: string, request: RequestSettings): UrlTarget {
  return { place: "url", name, app: OWN_SERVER_APP, url, ownServer: { request, facts: { url } } };
}

/** Makes the target of a server of one's own that a command starts. */
export function ownServerCommand(name: string, command: OwnCommand, request: RequestSettings): LocalTarget {
  const app = defineApp({
    id: OWN_SERVER_APP,
    title: "Servers of your own",
    cases: async () => [],
    deployable: () => command.folder,
  });
  const platform = definePlatform({
    title: name,
    description: command.command,
    serve: (options) => serveCommand(command, options),
    close: notDeployed,
    size: notDeployed,
  });
  return {
    place: "local",
    name,
    app,
    platform: namePlatform(OWN_SERVER_APP, platform),
    deployable: command.folder,
    sources: command.folder,
    ownServer: { request, facts: { command: command.command } },
  };
}

/** A user's app, built for one platform, and what its servers get when they start. */
export interface OwnAppOnPlatform {
  readonly platform: Platform;
  /** Absolute path of what the platform serves. */
  readonly deployable: string;
  /** Absolute path of the folder with its sources, in the private copy. */
  readonly sources: string;
  /** The user's variables. No record has their values. */
  readonly environment: Readonly<Record<string, string>>;
  /** The path that is ready when it is answered: the first one that is measured. */
  readonly readyPath: string;
  /** The framework that the app is made with, such as "Next.js 16.4.6": a fact that reports show. */
  readonly builtFrom: string;
}

/**
 * Makes the target of a user's app on one platform, by which it is named. It is asked as an own server is, since it
 * knows nothing of `/identity`.
 */
export function ownAppTarget(
  { platform, deployable, sources, environment, readyPath, builtFrom }: OwnAppOnPlatform,
  request: RequestSettings,
): LocalTarget {
  const app = defineApp({
    id: OWN_SERVER_APP,
    title: "Your app",
    cases: async () => [],
    deployable: () => deployable,
  });
  const served: Platform = {
    ...platform,
    serve: (options) =>
      platform.serve({
        ...options,
        readyPath,
        workingFolder: sources,
        environment: { ...environment, ...options.environment },
      }),
  };
  const facts = { command: null, builtFrom };
  return {
    place: "local",
    name: platform.id,
    app,
    platform: served,
    deployable,
    sources,
    ownServer: { request, facts },
  };
}

async function notDeployed(): Promise<never> {
  throw new TypeError("A command has no deployable.");
}

/** Gives the path at which a target is asked for a case, with its query. */
export function pathOf(target: Target, { path }: CaseManifest): string {
  return target.place === "local" ? pathWith(path, target.parameters ?? {}) : path;
}

/** Makes a target as preflight asks it. @param served where a local one is served, and by which processes; undefined for a URL. */
export function preflightTargetOf(
  target: Target,
  served: { readonly url: string; readonly pids: readonly number[] } | undefined,
): PreflightTarget {
  if (target.place === "url") {
    return target;
  }
  const { url = "", pids = [] } = served ?? {};
  const nodeEnv = startedWith("NODE_ENV", pids).find((value) => value !== "production");
  return { name: target.name, url, ownServer: target.ownServer, nodeEnv };
}
