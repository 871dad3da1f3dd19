import {
  type CaseManifest,
  defineApp,
  definePlatform,
  namePlatform,
  type RequestRecord,
  type RequestSettings,
  STRANGER_APP,
} from "@evenbench/core";
import { type OwnCommand, serveCommand } from "@evenbench/host";
import type { LocalTarget, Target, UrlTarget } from "./options.ts";

/** A path as a case of targets that know nothing of Evenbench. @param taken ids of the other cases. */
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

/** "/api/x?y=1" is "api-x-y-1", "/" is "root"; a second one of a name has a number. */
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

/** A command as a target of this machine: every instance of it is a fresh start of the command. */
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

/** What reports say of it where others say what they run. */
export function factsOf(target: Target): Readonly<Record<string, string>> {
  const { command = null } = target.stranger ?? {};
  if (command !== null) return { command };
  return target.place === "url" ? { url: target.url } : {};
}
