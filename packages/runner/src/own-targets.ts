// Targets and cases of a user's own servers and apps, which know nothing of Evenbench.
import {
  type CaseManifest,
  COUNTED,
  defineApp,
  definePlatform,
  MANIFEST_DEFAULTS,
  namePlatform,
  OWN_SERVER_APP,
  type Platform,
  type RequestRecord,
  type RequestSettings,
} from "@evenbench/core";
import { type OwnCommand, serveCommand } from "@evenbench/host";
import type { LocalTarget, UrlTarget } from "./options.ts";

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
    ownServer: { request, facts: { command: command.command, ...variablesGiven(command.environment) } },
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
  const facts = { command: null, builtFrom, ...variablesGiven(environment) };
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

/** Names the variables that a user gave a target, for its record. No record has their values. */
function variablesGiven(environment: OwnCommand["environment"] = {}) {
  return { variables: Object.keys(environment).sort().join(" ") || "none" };
}

async function notDeployed(): Promise<never> {
  throw new TypeError("A command has no deployable.");
}
