import type { CaseManifest, CaseRequest } from "@evenbench/core";
import { UsageError } from "@evenbench/core/errors";
import { shellWord } from "@evenbench/core/shell";
import { LOOPBACK } from "@evenbench/host/loopback";
import type { Target, UrlTarget } from "@evenbench/runner";
import { readOwnRequests } from "./own-requests.ts";
import type { OwnServerOptions } from "./own-server-options.ts";
import { sayNote } from "./say.ts";
import { commandOf } from "./target-words.ts";

/** Milliseconds in which a server that a command starts has to answer; frameworks in development need the most. */
const COMMAND_READY_WITHIN_MS = 60_000;

/** A user's own servers, and the cases that they are asked with. */
export interface OwnServers {
  readonly targets: readonly Target[];
  readonly cases: readonly CaseManifest[];
}

/** Reads targets and cases of own servers from options. @throws {UsageError} for a word that is wrong. */
export async function readOwnServers(options: OwnServerOptions): Promise<OwnServers> {
  const { cases, settings, ready } = await readOwnRequests(options);
  const { ownServerCommand, ownServerUrl } = await import("@evenbench/runner");
  const variables = await readVariables(options.envFile);
  const targets = (options.target ?? []).map((word): Target => {
    const server = readOwnServer(word);
    if (server.command === null) {
      return ownServerUrl(server.name, server.url, settings);
    }
    const { environment = {}, folder = process.cwd() } = options.servers?.get(server.name) ?? {};
    const started = {
      ...readiness(ready),
      command: server.command,
      folder,
      environment: { ...variables, ...environment },
    };
    return ownServerCommand(server.name, started, settings);
  });
  if (targets.length === 0) {
    throw new UsageError(
      'No --target names one of your own servers. Write --target a=http://127.0.0.1:3000 or --target a="cmd: node server.js".',
    );
  }
  assertDistinct(targets);
  if (targets.some(({ place }) => place === "local")) {
    sayNote(
      "Commands get NODE_ENV=production, PORT, HOST and HOSTNAME=127.0.0.1, what tools need of your environment, and --env-file.",
    );
    sayReadiness(ready.method, cases[0]?.path ?? ready.path);
  }
  return { targets, cases };
}

/** Gives what a command is asked until it is ready. */
export function readiness({ path, method, headers, body }: CaseRequest) {
  return { readyPath: path, method, headers, body, readyWithinMs: COMMAND_READY_WITHIN_MS };
}

/** A server by its address, or by the command that starts it. */
type OwnServer =
  | { readonly name: string; readonly command: string }
  | { readonly name: string; readonly command: null; readonly url: string };

/** Reads name=URL or name="cmd: ...". @throws {UsageError} for anything else. */
function readOwnServer(word: string): OwnServer {
  const server = commandOf(word);
  if (server !== null) {
    const { name, command } = server;
    assertName(name);
    if (command === "") {
      throw new UsageError(`"${word}" names no command. Write ${name}="cmd: node server.js".`);
    }
    return server;
  }
  if (!word.includes("=")) {
    throw new UsageError(
      `"${word}" is not one of your own servers, and --path needs these. Write name=URL or name="cmd: node server.js"; for a target of the repository leave --path out.`,
    );
  }
  const { name, url } = parseUrlTarget(word, "");
  return { name, url, command: null };
}

/** Reads the variables that the user named for commands. @throws {UsageError} for a file that cannot be read. */
async function readVariables(files: readonly string[] = []): Promise<Readonly<Record<string, string>>> {
  const { readEnvironment } = await import("@evenbench/own-apps");
  const { variables, read } = readEnvironment([], files);
  for (const { file, notApplied } of read) {
    for (const { what, why } of notApplied) {
      sayNote(`${file}: not applied: ${what} (${why}).`);
    }
  }
  return variables;
}

/** Notes that commands are asked with a method that may change data before anything is measured. */
function sayReadiness(method: string, readyPath: string): void {
  if (method !== "GET" && method !== "HEAD") {
    sayNote(
      `Commands are asked ${method} ${readyPath}, as it is measured, until the answer has a status below 500.`,
    );
  }
}

/** Checks that targets can be told apart. @throws {UsageError} where two have one name, or are one running server. */
export function assertDistinct(targets: readonly Target[]): void {
  const [name] = firstShared(targets, (target) => target.name) ?? [];
  if (name !== undefined) {
    throw new UsageError(`Two targets are named "${name}". Give one of them another name.`);
  }
  const running = targets.filter((target) => target.place === "url");
  const [server, same = []] = firstShared(running, serverOf) ?? [];
  if (server !== undefined) {
    const names = same.map((target) => target.name).join(" and ");
    throw new UsageError(
      `${names} are one server, ${server}, which would be compared with itself. Leave one of them out, or give it another URL.`,
    );
  }
}

/** Finds the first key that several targets have in common, with these; undefined where there is none. */
function firstShared<T>(targets: readonly T[], keyOf: (target: T) => string) {
  return [...Map.groupBy(targets, keyOf)].find(([, all]) => all.length > 1);
}

/** An address of IPv4 that is written as one of IPv6, as URLs have it: "[::ffff:7f00:1]". */
const MAPPED_ADDRESS = /(?<=:\/\/)\[::ffff:([\da-f]+):([\da-f]+)\]/;

/** Gives the origin of a running server, with one form for each address, and one address for the names of this machine. */
function serverOf({ url }: UrlTarget): string {
  const plain = url.replace(MAPPED_ADDRESS, (_, high: string, low: string) =>
    Buffer.from(high.padStart(4, "0") + low.padStart(4, "0"), "hex").join("."),
  );
  return plain.replace(/(?<=:\/\/)(?:localhost|0\.0\.0\.0)(?=:|$)/, LOOPBACK);
}

/** Pattern of target names: words joined by hyphens, dots or underscores. "~" is left to A/A copies. */
const SERVER_NAME = /^[a-z][a-z0-9._-]{0,63}$/i;

/**
 * Reads a target that runs already: "name=URL".
 *
 * @param app the app that the target serves.
 * @throws {UsageError} for another word, and for a URL with a password, a fragment or a path.
 */
export function parseUrlTarget(word: string, app: string): UrlTarget {
  const at = word.indexOf("=");
  const name = word.slice(0, at);
  const typed = word.slice(at + 1);
  const url = URL.parse(typed);
  assertName(name);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const isCommand = commandOf(word) !== null;
    throw new UsageError(
      isCommand
        ? `"${word}" starts your own server, which only \`run\`, \`load\` and \`profile\` can do. Start it yourself, and give its address: ${name}=http://127.0.0.1:3000.`
        : `"${word}" is not a target. Write name=URL, such as mine=https://worker.example.workers.dev.`,
    );
  }
  // Not repeated: it may be a password.
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(
      `The URL of "${name}" contains a user or password, which is never sent. Leave it out; a token goes with --header "authorization: Bearer <token>".`,
    );
  }
  if (url.href.includes("#")) {
    throw new UsageError(
      `The URL of "${name}" has a part behind #, which is never sent. Leave it out, or write %23 for the character itself.`,
    );
  }
  if (url.href !== `${url.origin}/`) {
    throw new UsageError(
      `The URL of "${name}" has a path. Give it to all targets: --target ${name}=${url.origin} --path ${shellWord(url.pathname + url.search)}`,
    );
  }
  if (!isOrigin(typed, url)) {
    sayNote(`${name} is asked at ${url.origin}`);
  }
  return { place: "url", name, app, url: url.origin };
}

/** Tells whether a URL was typed as its origin, with or without a slash and its usual port. */
function isOrigin(typed: string, { protocol, origin }: URL): boolean {
  const port = protocol === "https:" ? /:443$/ : /:80$/;
  return typed.trim().toLowerCase().replace(/\/$/, "").replace(port, "") === origin;
}

/** Checks a target's name. @throws {UsageError} where it cannot be one. */
function assertName(name: string): void {
  if (name in Object.prototype) {
    throw new UsageError(
      `"${name}" cannot name a target: every object of JavaScript has it. Give another name.`,
    );
  }
  if (SERVER_NAME.test(name)) {
    return;
  }
  throw new UsageError(
    `"${name.slice(0, 80)}" cannot name a target. Begin with a letter, and give at most 64 letters, digits, "-", "_" and ".", such as mine=https://worker.example.workers.dev.`,
  );
}
