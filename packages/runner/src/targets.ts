import {
  type AppDefinition,
  ARTIFACT_APP,
  baselineAmong,
  type CaseManifest,
  defineApp,
  definePlatform,
  namePlatform,
  type Platform,
  type RequestRecord,
  type RequestSettings,
  recordOfPlatform,
  STRANGER_APP,
} from "@evenbench/core";
import {
  discoverApps,
  discoverPlatforms,
  type LeaveOut,
  type OwnCommand,
  serveCommand,
} from "@evenbench/host";
import type { RunTarget } from "@evenbench/results";
import type { LocalTarget, Target, UrlTarget } from "./options.ts";

/** @param leaveOut is told of a definition that cannot be loaded; without it that is thrown. */
export async function listTargets(leaveOut?: LeaveOut): Promise<LocalTarget[]> {
  const apps = await discoverApps(undefined, leaveOut);
  const platforms = await discoverPlatforms(undefined, leaveOut);
  return apps.flatMap((app) => platforms.flatMap((platform) => localTarget(app, platform) ?? []));
}

function localTarget(app: AppDefinition, platform: Platform): LocalTarget | null {
  const deployable = app.deployable(platform.id);
  if (deployable === null) return null;
  // The artifact's targets are named by their platform alone.
  const name = app.id === ARTIFACT_APP ? platform.id : `${app.id}-${platform.id}`;
  return { place: "local", name, app, platform, deployable };
}

export function appIdOf(target: Target): string {
  return target.place === "local" ? target.app.id : target.app;
}

export interface Subject {
  readonly name: string;
  readonly target: Target;
  readonly copyOf: string | null;
}

export function subjectsOf(targets: readonly Target[], appId: string, baseline: string): Subject[] {
  const own = targets.filter((target) => appIdOf(target) === appId);
  const subjects = own.map((target): Subject => ({ name: target.name, target, copyOf: null }));
  const { name } = baselineAmong(subjects.map(runTargetOf), baseline) ?? {};
  const chosen = subjects.find((subject) => subject.name === name);
  return chosen === undefined
    ? subjects
    : [...subjects, { ...chosen, name: `${chosen.name}~copy`, copyOf: chosen.name }];
}

export function runTargetOf({ name, target, copyOf }: Subject): RunTarget {
  const local = target.place === "local";
  const { stranger } = target;
  const command = stranger?.command ?? null;
  const platform = local && stranger === undefined ? target.platform : null;
  return {
    name,
    app: appIdOf(target),
    platform: platform?.id ?? null,
    ...(platform !== null && { about: recordOfPlatform(platform, "local") }),
    place: target.place,
    url: local ? null : target.url,
    copyOf,
    ...(command !== null && { command }),
  };
}

export function strangerCase(
  path: string,
  taken: readonly string[],
  request: RequestRecord,
  masks: readonly string[],
): CaseManifest {
  const what = `${request.method === "GET" ? "" : `${request.method} `}${path}`;
  return {
    id: idOf(what, taken),
    path,
    title: what,
    kind: what,
    description: "A path of servers that know nothing of Evenbench.",
    parameters: {},
    golden: null,
    masks: masks.map((pattern) => ({ name: `--mask ${pattern}`, pattern, replacement: "" })),
    headline: "lastByteMs",
    notSameCode: null,
    services: [],
    variation: null,
    page: null,
    request,
  };
}

function idOf(what: string, taken: readonly string[]): string {
  const words = what.toLowerCase().match(/[a-z0-9]+/g) ?? ["root"];
  const id = words.join("-").slice(0, 60);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? id : `${id}-${number}`;
    if (!taken.includes(candidate)) return candidate;
  }
}

export function strangerUrl(name: string, url: string, request: RequestSettings): UrlTarget {
  return { place: "url", name, app: STRANGER_APP, url, stranger: { request, command: null } };
}

export function strangerCommand(name: string, own: OwnCommand, request: RequestSettings): LocalTarget {
  const app = defineApp({
    id: STRANGER_APP,
    title: "Servers of your own",
    cases: async () => [],
    deployable: () => own.folder,
  });
  const platform = definePlatform({
    title: name,
    description: own.command,
    serve: (options) => serveCommand(own, options),
    close: notDeployed,
    size: notDeployed,
  });
  return {
    place: "local",
    name,
    app,
    platform: namePlatform(STRANGER_APP, platform),
    deployable: own.folder,
    stranger: { request, command: own.command },
  };
}

async function notDeployed(): Promise<never> {
  throw new TypeError("A command has no deployable.");
}

export function factsOf(target: Target): Readonly<Record<string, string>> {
  const { command = null } = target.stranger ?? {};
  if (command !== null) return { command };
  return target.place === "url" ? { url: target.url } : {};
}
