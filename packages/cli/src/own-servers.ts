import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { METHODS } from "node:http";
import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { CaseManifest, RequestRecord, RequestSettings, SameWork } from "@evenbench/core";
import { messageOf, shellWord } from "@evenbench/core/basics";
import { IN_CLONE } from "@evenbench/core/called";
import type { Target, UrlTarget } from "@evenbench/runner";
import { UsageError } from "./nearest.ts";
import { collect, parseDuration } from "./quantity.ts";
import { sayNote } from "./say.ts";

type None = Record<never, never>;
export type OwnServerOptions = Partial<ReturnType<ReturnType<typeof withOwnServers<[], None, None>>["opts"]>>;

const COMMAND = /^([^=,]*)=\s*cmd:\s*/;

function commandOf(word: string): { readonly name: string; readonly command: string } | null {
  const [start, name] = COMMAND.exec(word) ?? [];
  return start === undefined || name === undefined
    ? null
    : { name, command: word.slice(start.length).trim() };
}

type OwnTargets = OwnServerOptions & { readonly target?: readonly string[] };

export function isOfOwnServers({ path, target = [] }: OwnTargets): boolean {
  // Outside of a clone there are no others.
  return !IN_CLONE || path !== undefined || target.some((word) => commandOf(word) !== null);
}

export function collectTargets(text: string, before: readonly string[] = []): readonly string[] {
  if (commandOf(text) !== null) return [...before, text];
  return collect(text, before);
}

export function withOwnServers<A extends unknown[], O extends None, G extends None>(
  command: Command<A, O, G>,
) {
  return command
    .optionsGroup("Your own servers, unchanged:")
    .option(
      "--path <path...>",
      'a path to request from every --target; each is a case. Targets are your own servers: --target name=URL, or --target name="cmd: node server.js"',
      keep,
    )
    .option("--mask <regex...>", "ignore text that may differ between bodies, such as a time stamp", keep)
    .addOption(
      new Option(
        "--same-work <how>",
        "json: ignore the order of keys; assumed: compare even if answers differ, and every output says so",
      ).choices(["proven", "json", "assumed"] as const satisfies readonly SameWork[]),
    )
    .option("--header <header...>", 'send a header with every request, such as "accept-language: de"', keep)
    .option("--method <method>", "the method of every request (default: GET, or POST with --body)")
    .option("--body <file>", "send the content of a file with every request")
    .option(
      "--ready-within <duration>",
      "how long a command may take until it answers (default: 60s)",
      parseDuration,
    )
    .hook("preAction", () => {
      if (isOfOwnServers(command.opts() as OwnTargets)) refuseForRepository(command);
      else refuseForOwnServers(command.opts());
    });
}

const NOT_FOR_OWN: Readonly<Record<string, string>> = {
  app: "these servers belong to no app",
  case: "each --path is a case",
  suite: "each --path is a case",
  where: "their URLs say where they run",
  tokenFor: 'a token goes with --header "authorization: Bearer <token>"',
  allow: "their settings are not known, so none can be allowed to differ",
  cpu: "only platforms that Evenbench knows are asked",
  sweep: "they get one request at a time; `load --path` sends more",
  workers: "a command starts its own workers",
  plan: "a plan is for targets that are deployed",
};

function refuseForRepository(command: CommandUnknownOpts): void {
  const given = Object.keys(NOT_FOR_OWN).find((name) => command.getOptionValueSource(name) === "cli");
  if (given === undefined) return;
  throw new UsageError(
    `${flagOf(given)} does not apply to your own servers: ${NOT_FOR_OWN[given]}. Leave it out.`,
  );
}

const flagOf = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function keep(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function refuseForOwnServers(options: OwnServerOptions): void {
  const names = ["mask", "sameWork", "header", "method", "body", "readyWithin"] as const;
  const given = names.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw new UsageError(
    `${flagOf(given)} applies only to your own servers. Add --path, such as --path /, or leave it out.`,
  );
}

const USUAL_PATH = "/";
const USUAL_READY_WITHIN_MS = 60_000;
/** It is in memory, and is sent with every request. */
const MOST_BODY_BYTES = 64 * 1024 * 1024;

/** Headers whose values are no secrets: records have them. */
const TOLD = ["accept", "accept-language", "content-type", "host", "user-agent"];
/** Headers that belong to the connection, or to how bodies are compared. */
const REFUSED: Readonly<Record<string, string>> = {
  "accept-encoding": "bodies are compared as they are, so they are asked for without compression",
  connection: "connections are kept, and belong to the client",
  "content-length": "the client sends the length of --body",
  expect: "the client does not wait before it sends a body",
  "transfer-encoding": "the client sends --body as a whole",
  upgrade: "only HTTP/1.1 is measured",
};

export async function readOwnServers(
  options: OwnTargets,
): Promise<{ readonly targets: readonly Target[]; readonly cases: readonly CaseManifest[] }> {
  const { settings, record } = await readRequest(options);
  const paths = [...new Set((options.path ?? [USUAL_PATH]).map(parsePath))];
  const masks = (options.mask ?? []).map(checkMask);
  const { ownServerCase, ownServerCommand, ownServerUrl } = await import("@evenbench/runner");
  const cases: CaseManifest[] = [];
  for (const path of paths) {
    const taken = cases.map(({ id }) => id);
    cases.push(ownServerCase(path, taken, record, masks));
  }
  const started = {
    folder: process.cwd(),
    readyPath: paths[0] ?? USUAL_PATH,
    headers: settings.headers,
    readyWithinMs: options.readyWithin ?? USUAL_READY_WITHIN_MS,
  };
  const targets = (options.target ?? []).map((word) => {
    const { name, url, command } = parseTarget(word);
    if (command === null) return ownServerUrl(name, url, settings);
    return ownServerCommand(name, { ...started, command }, settings);
  });
  if (targets.length === 0)
    throw new UsageError(
      'No --target names one of your own servers. Write --target a=http://127.0.0.1:3000 or --target a="cmd: node server.js".',
    );
  assertNames(targets);
  if (targets.some(({ place }) => place === "local"))
    sayNote("Commands get NODE_ENV=production, PORT, and HOST and HOSTNAME=127.0.0.1 in their environment.");
  return { targets, cases };
}

function parseTarget(word: string): { name: string; url: string; command: string | null } {
  const started = commandOf(word);
  if (started !== null) {
    assertName(started.name);
    if (started.command !== "") return { ...started, url: "" };
    throw new UsageError(`"${word}" names no command. Write ${started.name}="cmd: node server.js".`);
  }
  if (word.includes("=")) return { ...parseUrlTarget(word, "", "whole"), command: null };
  throw new UsageError(
    `"${word}" is not one of your own servers, and --path needs these. Write name=URL or name="cmd: node server.js"; for a target of the repository leave --path out.`,
  );
}

export function assertNames(targets: readonly Target[]): void {
  const names = targets.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError(`Two targets are named "${twice}". Give one of them another name.`);
}

export function parsePath(text: string): string {
  const url = text.startsWith("/") ? URL.parse(text, "http://host.invalid") : null;
  if (url === null || url.host !== "host.invalid")
    throw new UsageError(
      `"${text}" is not a path. Begin it with a slash, without a host, such as --path /products.`,
    );
  return url.pathname + url.search;
}

function checkMask(text: string): string {
  let why = text === "" ? "it is empty" : null;
  // Bodies are compared byte by byte.
  if (/[^\t\x20-\x7e]/.test(text)) why = "it has letters beyond ASCII: write .+ in their place";
  try {
    if (new RegExp(text, "gs").test("")) why ??= "it matches the empty text";
  } catch (error) {
    why = messageOf(error);
  }
  if (why === null) return text;
  throw new UsageError(`--mask ${JSON.stringify(text)} cannot be used: ${why}. Write a regular expression.`);
}

async function readRequest({
  header = [],
  method,
  body: file,
}: OwnServerOptions): Promise<{ readonly settings: RequestSettings; readonly record: RequestRecord }> {
  const body = file === undefined ? null : await readBody(file);
  const headers = parseHeaders(header);
  const settings = { method: parseMethod(method ?? (body === null ? "GET" : "POST")), headers, body };
  if (body !== null && ["GET", "HEAD"].includes(settings.method))
    throw new UsageError(
      `A ${settings.method} request has no body. Leave --body out, or give another --method.`,
    );
  const told = Object.entries(headers).map(
    ([name, value]) => `${name}: ${TOLD.includes(name) ? value : "<value>"}`,
  );
  const sha256 = createHash("sha256")
    .update(body ?? "")
    .digest("hex");
  const sent = body === null || file === undefined ? null : { file, bytes: body.byteLength, sha256 };
  return { settings, record: { method: settings.method, headers: told, body: sent } };
}

async function readBody(file: string): Promise<Uint8Array> {
  try {
    const found = await stat(file);
    const { size } = found;
    // A device or a pipe may have no end.
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (size > MOST_BODY_BYTES) throw new Error(`it has ${size} bytes, and the limit is ${MOST_BODY_BYTES}`);
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`--body cannot read ${file}: ${messageOf(error)}. Give another file.`);
  }
}

function parseMethod(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.includes(method) && !["CONNECT", "TRACE"].includes(method)) return method;
  throw new UsageError(`"${text}" is not a method. Write one such as --method POST.`);
}

/** Those that are given twice are joined, as `Headers` does. */
export function parseHeaders(texts: readonly string[]): Record<string, string> {
  const headers = new Headers();
  for (const text of texts) {
    const at = Math.max(0, text.indexOf(":"));
    try {
      headers.append(text.slice(0, at), text.slice(at + 1));
    } catch {
      // Not repeated: its value may be a secret.
      throw new UsageError(
        'A --header has no name and value. Write it as "name: value", such as --header "accept-language: de".',
      );
    }
  }
  const refused = Object.keys(REFUSED).find((name) => headers.has(name));
  if (refused !== undefined)
    throw new UsageError(`--header cannot set ${refused}: ${REFUSED[refused]}. Leave it out.`);
  return Object.fromEntries(headers);
}

/** As target names are: words joined by hyphens, dots or underscores. An A/A copy's "~" is left to A/A copies. */
const NAME = /^[a-z][a-z0-9._-]{0,63}$/i;

/** "whole": a path is refused, since paths are given by themselves; "origin": it is left out. */
export function parseUrlTarget(word: string, app: string, what: "origin" | "whole" = "origin"): UrlTarget {
  const at = word.indexOf("=");
  const name = word.slice(0, at);
  const url = URL.parse(word.slice(at + 1));
  assertName(name);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const isCommand = commandOf(word) !== null;
    throw new UsageError(
      isCommand
        ? `"${word}" starts your own server, which only \`run\` can do. Start it yourself, and give its address: ${name}=http://127.0.0.1:3000.`
        : `"${word}" is not a target. Write name=URL, such as mine=https://worker.example.workers.dev.`,
    );
  }
  // Not repeated: it may be a password.
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(
      `The URL of "${name}" contains a user or password, which is never sent. Leave it out; a token goes with --token-for ${url.host}.`,
    );
  }
  if (what === "whole" && url.href !== `${url.origin}/`) {
    throw new UsageError(
      `The URL of "${name}" has a path. Give it to all targets: --target ${name}=${url.origin} --path ${shellWord(url.pathname + url.search)}`,
    );
  }
  return { place: "url", name, app, url: url.origin };
}

function assertName(name: string): void {
  if (NAME.test(name) && !(name in Object.prototype)) return;
  throw new UsageError(
    `"${name.slice(0, 80)}" cannot name a target. Give one of at most 64 letters, digits, "-", "_" and ".", such as mine=https://worker.example.workers.dev.`,
  );
}
