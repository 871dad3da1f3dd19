// What the keys of a settings file set of a command: values of options, as they would be typed, and what no option can say.
import { dirname, isAbsolute, join } from "node:path";
import { UsageError } from "@evenbench/core/errors";
import { openRecord } from "@evenbench/core/records";
import { recordedPath } from "@evenbench/core/sent";
import type { AskedPath, FileValue, Limit, SettingsFile } from "@evenbench/results";
import { parseDocument } from "yaml";
import { parsePath, recordedPaths } from "./own-paths.ts";

/** What a settings file says beside the values of options. */
export interface FileOptions {
  /** Ways to ask paths, for those paths of `--path` that have some. */
  readonly requests?: readonly OwnRequest[];
  /** Headers whose values no record has, as `--header` takes them. */
  readonly secretHeader?: readonly string[];
  /** What servers that commands start get, by their names. */
  readonly servers?: ReadonlyMap<string, StartedServer>;
  readonly limits?: readonly Limit[];
  /** What `against` compares with where nobody names it. */
  readonly base?: string;
}

/** A way to ask a path: fields are values of the options of these names. */
export interface OwnRequest {
  readonly path: string;
  /** Its name in tables; not there for the method and the path. */
  readonly name?: string;
  readonly method?: string;
  readonly body?: string;
  readonly header: readonly string[];
  readonly secretHeader: readonly string[];
  readonly mask: readonly string[];
}

/** What a server that a command starts gets beside what all get. */
interface StartedServer {
  readonly environment: Readonly<Record<string, string>>;
  /** The folder that it is started in; not there for the current one. */
  readonly folder?: string;
}

/** A settings file that was read. */
export interface ReadSettings {
  /** Its path. */
  readonly file: string;
  readonly settings: SettingsFile;
}

/** A key of a settings file, and what it sets. */
export interface Setting {
  /** The key as the file has it, with the one that it stands under: "measure.time". */
  readonly key: string;
  /** What is said of its value: "60s", or how many there are; empty where nothing is. */
  readonly said: string;
  /** The long name of the option that commands have which it is for. */
  readonly option: string;
  /** What is typed after that option; true for a switch, and empty where the option keeps its value. */
  readonly words: readonly string[] | true;
  /** "app": it is for an own app alone. "servers": for own servers alone. Default: for both. */
  readonly of?: "app" | "servers";
  /** Options in whose place it stands, by their long names: one that is typed wins. */
  readonly instead: readonly string[];
  /** Gives what no option can say. @param paths those that are measured; undefined where none is named. */
  beside?(paths: readonly string[] | undefined): FileOptions;
}

/** Makes the setting of an option. @param said what is said of its value. Default: how many words there are. */
function typed(key: string, option: string, words: readonly string[], said = `${words.length}`): Setting {
  return { key, option, said, words, instead: [option] };
}

/** Lists the keys of a settings file, in the order in which they are set. */
export function settingsIn(read: ReadSettings): readonly Setting[] {
  const { settings, file } = read;
  const { targets, baseline, on, build, start, envFile, paths, headers, masks, sameWork } = settings;
  const { measure = {}, against, load = {}, failOn, limits } = settings;
  const all = [
    targets && targetsSetting(read, targets),
    baseline && typed("baseline", "--baseline", [baseline], baseline),
    on && ({ ...typed("on", "--on", on), of: "app" } as const),
    build && ({ ...typed("build", "--build", [build], ""), of: "app" } as const),
    start && ({ ...typed("start", "--start", [start], ""), of: "app" } as const),
    envFile &&
      typed(
        "envFile",
        "--env-file",
        envFile.map((name) => besideFile(file, name)),
      ),
    paths && pathsSetting(read, paths),
    headers && headersSetting(read, headers),
    masks && typed("masks", "--mask", masks),
    sameWork && typed("sameWork", "--same-work", [sameWork], sameWork),
    ...Object.entries(measure).map(([name, value]) => measureSetting(name, value)),
    against?.base && baseSetting(against.base),
    ...Object.entries(load).map(([name, value]) => loadSetting(name, value)),
    failOn && typed("failOn", "--fail-on", failOn),
    limits && limitsSetting(limits),
    settings.export && typed("export", "--export", settings.export),
  ];
  return all.filter((setting) => typeof setting === "object");
}

/** Gives a path that counts from the file's folder. */
function besideFile(file: string, path: string): string {
  return isAbsolute(path) ? path : join(dirname(file), path);
}

/** Gives a value of the file. @throws {UsageError} where the environment lacks it. */
function resolved({ file }: ReadSettings, key: string, value: FileValue): string {
  if (typeof value === "string") {
    return value;
  }
  const found = process.env[value.env];
  if (found === undefined || found === "") {
    throw new UsageError(
      `${file}: ${key} is the variable ${value.env}, which is not set. Set it, or take the key out.`,
    );
  }
  return found;
}

type Targets = NonNullable<SettingsFile["targets"]>;

function targetsSetting(read: ReadSettings, targets: Targets): Setting {
  const words = Object.entries(targets).map(
    ([name, server]) => `${name}=${typeof server === "string" ? server : `cmd: ${server.command}`}`,
  );
  return {
    ...typed("targets", "--target", words),
    of: "servers",
    beside: () => ({ servers: serversOf(read, targets) }),
  };
}

function serversOf(read: ReadSettings, targets: Targets): ReadonlyMap<string, StartedServer> {
  const started = new Map<string, StartedServer>();
  for (const [name, server] of Object.entries(targets)) {
    if (typeof server === "string") {
      continue;
    }
    const { env = {}, cwd } = server;
    const environment = openRecord<string>();
    for (const [variable, value] of Object.entries(env)) {
      environment[variable] = resolved(read, `targets.${name}.env.${variable}`, value);
    }
    started.set(name, { environment, ...(cwd !== undefined && { folder: besideFile(read.file, cwd) }) });
  }
  return started;
}

function pathsSetting(read: ReadSettings, paths: NonNullable<SettingsFile["paths"]>): Setting {
  const asked = paths.map((entry): AskedPath => (typeof entry === "string" ? { path: entry } : entry));
  const words = [...new Set(asked.map(({ path }) => path))];
  return {
    ...typed("paths", "--path", words, `${paths.length}`),
    beside: (measured = words) => ({
      requests: asked.filter(({ path }) => measured.includes(path)).map((entry) => requestOf(read, entry)),
    }),
  };
}

function requestOf(read: ReadSettings, { headers = {}, masks = [], body, ...entry }: AskedPath): OwnRequest {
  const key = `paths "${entry.name ?? entry.path}" headers`;
  return {
    ...entry,
    ...(body !== undefined && { body: besideFile(read.file, body) }),
    mask: masks,
    header: plainHeaders(headers),
    secretHeader: secretHeaders(read, key, headers),
  };
}

type HeaderValues = Readonly<Record<string, FileValue>>;

function headersSetting(read: ReadSettings, headers: HeaderValues): Setting {
  return {
    ...typed("headers", "--header", plainHeaders(headers), `${Object.keys(headers).length}`),
    beside: () => ({ secretHeader: secretHeaders(read, "headers", headers) }),
  };
}

/** Lists the headers whose values stand in the file, as they are typed. */
function plainHeaders(headers: HeaderValues): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [`${name}: ${value}`] : [],
  );
}

/** Lists the headers whose values the environment has, as they are typed. */
function secretHeaders(read: ReadSettings, key: string, headers: HeaderValues): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [] : [`${name}: ${resolved(read, `${key}.${name}`, value)}`],
  );
}

function measureSetting(name: string, value: string | number | boolean): Setting {
  const said = typeof value === "boolean" ? "" : `${value}`;
  const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const setting = typed(`measure.${name}`, option, value === false ? [] : [said], said);
  return value === true ? { ...setting, words: true } : setting;
}

function baseSetting(base: string): Setting {
  return { ...typed("against.base", "--with", [], base), beside: () => ({ base }) };
}

/** The ways to load: only one of them can be. */
const LOADS = ["--concurrency", "--rate", "--capacity"];

function loadSetting(name: string, value: string): Setting {
  return { ...typed(`load.${name}`, `--${name}`, [value], value), instead: LOADS };
}

/** Makes the setting of limits, their paths as records have those that are measured. */
function limitsSetting(limits: readonly Limit[]): Setting {
  const recorded = (limit: Limit, measured: ReadonlyMap<string, string>): Limit => {
    if (limit.path === undefined) {
      return limit;
    }
    const path = parsePath(limit.path);
    return { ...limit, path: measured.get(path) ?? recordedPath(path) };
  };
  return {
    ...typed("limits", "--fail-on", [], `${limits.length}`),
    instead: [],
    beside(paths = []) {
      const measured = recordedPaths(paths.map(parsePath));
      return { limits: limits.map((limit) => recorded(limit, measured)) };
    },
  };
}

/** Refuses JSON with a key twice, of which parsers take the last one. @throws {UsageError} with the line. */
export function refuseDoubledKeys(file: string, json: string): void {
  const doubled = parseDocument(json).errors.find(({ code }) => code === "DUPLICATE_KEY");
  if (doubled !== undefined) {
    const [place] = doubled.linePos ?? [];
    throw new UsageError(`${file} has a key twice, in line ${place?.line ?? "?"}. Remove one of them.`);
  }
}
