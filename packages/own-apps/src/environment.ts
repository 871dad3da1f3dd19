import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  advising,
  messageOf,
  type NotApplied,
  type OwnAppRead,
  openRecord,
  UsageError,
  UserError,
} from "@evenbench/core";
import { inTime } from "@evenbench/core/in-time";
import { readIfThere, readOthersText, readUserFileSync } from "@evenbench/core/user-file";
import { parse } from "dotenv";
import { expand } from "dotenv-expand";
import { ignoringIn, repositoryAbove } from "./ignored.ts";

/**
 * Files of variables, in the order in which frameworks read them for production: a later file replaces values
 * of an earlier one.
 */
const FILES = [".env", ".env.production", ".env.local", ".env.production.local", ".dev.vars"];

/** The same for Vite, to which a mode says more than a machine. */
const FILES_OF_VITE = [".env", ".env.local", ".env.production", ".env.production.local", ".dev.vars"];

/** Names of configurations of Vite, and of frameworks that are made of it. */
const OF_VITE = /^(?:vite|astro|svelte)\.config\.[cm]?[jt]s$/;
const OF_NEXT = /^next\.config\.[cm]?[jt]s$/;

/** Variables by which Evenbench itself steers a server: a user's values would start it elsewhere, or otherwise. */
export const RESERVED: RegExp = /^(?:PORT|HOST|HOSTNAME|PATH|HOME|NODE_ENV|NODE_OPTIONS|EVENBENCH_.*)$/;

/** A reference to another variable in a value: `$NAME` or `${NAME}`, without a backslash before it, and without a default. */
const REFERENCE = /(?<!\\)\$(?:\{(?=\w+\}))?([A-Za-z_]\w*)/g;

/** The variables of a user's app. */
export interface OwnEnvironment {
  /** Values by name. They are given to builds and servers, and never written into records. */
  readonly variables: Readonly<Record<string, string>>;
  /** What was read of each file: names alone. */
  readonly read: readonly OwnAppRead[];
}

/** A file of variables, as it stands there. */
interface VariablesFile {
  readonly file: string;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Reads an app's variables from its own files, and from files that were given beside them. References between variables
 * are resolved as wrangler, Vite and Next.js do.
 *
 * @param folders the app's, and others whose files count where the ones before have none of that name, and no commit has
 *   them; none: there is no app, as where a command starts a server.
 * @param given paths of `--env-file`, which replace values of the app's own files.
 * @throws {UserError} where a file cannot be read, as a pipe, which nobody may ever write to.
 */
export function readEnvironment(folders: readonly string[], given: readonly string[]): OwnEnvironment {
  const [app] = folders;
  const present = app === undefined ? [] : readdirSync(app);
  const isOfVite = present.some((name) => OF_VITE.test(name)) && !present.some((name) => OF_NEXT.test(name));
  const files = isOfVite ? FILES_OF_VITE : FILES;
  const usual = readFiles(files, folders, given);
  // For an environment of its own configuration wrangler takes one file in the place of the other.
  const file = `.dev.vars.${usual.variables.CLOUDFLARE_ENV ?? ""}`;
  const named = FILE_OF_ENVIRONMENT.test(file) ? readFiles(files.with(-1, file), folders, given) : usual;
  const { variables, read, written } = named.read.some((each) => each.file === file) ? named : usual;
  const examples = app === undefined ? [] : examplesIn(app, present, written);
  const others = notForProduction(present, [...files, ...read.map((each) => each.file)]);
  return { variables, read: [...read, ...others, ...examples] };
}

/** Names of files of variables, such as ".env.staging". */
const VARIABLES_FILE = /^\.(?:env|dev\.vars)\./;

/** Names files of variables that are not read. */
function notForProduction(present: readonly string[], read: readonly string[]): readonly OwnAppRead[] {
  const files = present.filter(
    (file) => VARIABLES_FILE.test(file) && !EXAMPLE.test(file) && !read.includes(file),
  );
  const why = "no build for production reads it";
  return files.length === 0
    ? []
    : [{ file: ".", applied: [], notApplied: files.map((what) => ({ what, why })) }];
}

/** The name of a file of variables for one environment: the name of that is no path. */
const FILE_OF_ENVIRONMENT = /^\.dev\.vars\.[\w-]+$/;

function readFiles(
  names: readonly string[],
  folders: readonly string[],
  given: readonly string[],
): OwnEnvironment & { readonly written: Readonly<Record<string, string>> } {
  const own = names.flatMap((file): VariablesFile[] => {
    const places = folders.filter((folder, index) => index === 0 || isOfNoCommit(folder, file));
    const texts = places.flatMap((folder) => readIfThere(join(folder, file)) ?? []);
    return texts.slice(0, 1).map((text) => ({ file, values: variablesIn(text) }));
  });
  const files = [...own, ...given.map((file) => ({ file, values: variablesIn(readGiven(file)) }))];
  const written: Record<string, string> = Object.assign(
    Object.create(null),
    ...files.map(({ values }) => values),
  );
  const all = Object.entries(resolved(written, files));
  const variables = openRecord(all.filter(([name]) => !RESERVED.test(name)));
  return { variables, read: files.map((file) => readOf(file, written)), written };
}

/** Resolves references between variables. @throws {UserError} where that cannot be done, as where each doubles the one before. */
function resolved(
  written: Readonly<Record<string, string>>,
  files: readonly VariablesFile[],
): Readonly<Record<string, string>> {
  try {
    const work = () => expand({ parsed: referring(written), processEnv: Object.create(null) }).parsed ?? {};
    return { ...written, ...inTime(RESOLVED_WITHIN_MS, work, () => new Error("it takes too long")) };
  } catch (error) {
    const names = files.map(({ file }) => file).join(", ");
    throw new UserError(`References between variables of ${names} cannot be resolved: ${messageOf(error)}.`);
  }
}

/** Leaves out the variables that neither refer to others nor are referred to: dotenv-expand's time grows by their square. */
function referring(written: Readonly<Record<string, string>>): Record<string, string> {
  const refers = (value: string) => value.includes("$");
  const values = Object.values(written).filter(refers);
  const words = new Set(values.flatMap((value) => value.match(/\w+/g) ?? []));
  const isNeeded = (name: string) => words.has(name) || /\W/.test(name);
  return openRecord(Object.entries(written).filter(([name, value]) => refers(value) || isNeeded(name)));
}

/** Milliseconds in which references are resolved. */
const RESOLVED_WITHIN_MS = 3000;

/** A hundred blanks or blank lines in a row, from the beginning of a line. */
const MANY_BLANKS = /^\s{100}/gm;

/**
 * Reads variables. The time of dotenv grows by the square of blank lines in a row, so a line with a NUL character, which
 * no text of a user's has, ends each hundred of them. Values that go over several lines are freed of it.
 */
function variablesIn(text: string): Readonly<Record<string, string>> {
  const lines = text.replace(/\r\n?/g, "\n").replace(MANY_BLANKS, "$&\0\n");
  const values = Object.entries(parse(lines));
  return openRecord(values.map(([name, value]) => [name, value.replace(/\0\n?/g, "")]));
}

/** Names of files that say which variables an app has, without its values. */
const EXAMPLE = /^\.?(?:env|dev\.vars)\b.*\.(?:example|sample|template|dist)$|^\.?example\.env$/;

/** Says of an app's examples of such files which of their variables no file sets. */
function examplesIn(
  folder: string,
  present: readonly string[],
  written: Readonly<Record<string, string>>,
): readonly OwnAppRead[] {
  return present
    .filter((file) => EXAMPLE.test(file))
    .flatMap((file): OwnAppRead[] => {
      const names = Object.keys(variablesIn(readOthersText(join(folder, file))));
      const unset = names.filter((name) => written[name] === undefined && !RESERVED.test(name));
      const why = `an example, and no file sets them${advising("--env-file", ": --env-file gives one")}`;
      return unset.length === 0 ? [] : [{ file, applied: [], notApplied: [{ what: unset.join(", "), why }] }];
    });
}

/**
 * Tells whether a file is the same for all states of a folder: Git leaves it out, or the folder is in no repository. Any
 * other one is a part of its state.
 */
function isOfNoCommit(folder: string, file: string): boolean {
  if (repositoryAbove(folder) === null) {
    return true;
  }
  const ignoring = ignoringIn(folder);
  ignoring.enter(folder);
  return ignoring.isIgnored(join(folder, file), false);
}

/** Says of each variable of a file whether it counts. */
function readOf({ file, values }: VariablesFile, written: Readonly<Record<string, string>>): OwnAppRead {
  const names = Object.keys(values);
  const reserved = names.filter((name) => RESERVED.test(name));
  const notApplied: NotApplied[] = reserved.map((what) => ({ what, why: "Evenbench sets it" }));
  for (const [name, value] of Object.entries(values)) {
    for (const [, referred = ""] of value.matchAll(REFERENCE)) {
      if (written[referred] === undefined) {
        notApplied.push({ what: `${referred} in the value of ${name}`, why: "no file sets it" });
      }
    }
  }
  return { file, applied: names.filter((name) => !reserved.includes(name)), notApplied };
}

function readGiven(file: string): string {
  try {
    return readUserFileSync(resolve(file));
  } catch (error) {
    throw new UsageError(`--env-file cannot read ${file}: ${messageOf(error)}. Give another file.`);
  }
}
