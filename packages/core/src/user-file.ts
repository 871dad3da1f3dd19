import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { UserError } from "./errors.ts";
import { firstIssue, parseJson } from "./json.ts";

/** Bytes of the largest file of a user's that is read where nobody names another limit: 64 MB. Real lock files have some MB. */
const MAX_USER_FILE_BYTES = 64 * 1024 * 1024;
// Absent on Windows.
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** An error of a file of a user's or a stranger's that is there and cannot be taken. */
export class UserFileError extends UserError {
  /** What is wrong, in words that go behind the file: "is not a package.json: name: Invalid input". */
  readonly why: string;

  /** @param remedy what to do, in a sentence. */
  constructor(file: string, why: string, remedy = "Correct it, or move it away.") {
    super(`${file} ${why}. ${remedy}`);
    this.why = why;
  }
}

/** Gives the code of a system error, such as "ENOENT"; "" of an error without one. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

/** Tells whether an error says that this user may not do something. */
export function isDenied(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes(codeOf(error));
}

/**
 * Gives the reason of an error in a few words for people: the code of a system error ("ENOENT"), with whose a file is that
 * this user may not use and the system has owners, or the message of one without a code.
 */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined) {
    return error.message;
  }
  const user = process.getuid?.();
  return isDenied(error) && path !== undefined && user !== undefined
    ? `${code}: ${rightsOf(resolve(path))}, and this is user ${user}`
    : code;
}

/** Says whose a file or folder is, and who may use it; of one that this user cannot look at, those of the folder above. */
function rightsOf(path: string): string {
  try {
    const { uid, gid, mode } = statSync(path);
    return `${path} is user ${uid}'s and group ${gid}'s with mode ${(mode & 0o7777).toString(8)}`;
  } catch {
    return rightsOf(dirname(path));
  }
}

/**
 * Reads a file of a user's or a stranger's, through symbolic links: the one way. No pipe is waited for, which would
 * block a thread.
 *
 * @param limit in bytes. Default: 64 MB.
 * @throws {Error} where there is no such file, it is no regular one, or it has more bytes.
 */
export function readUserBytes(file: string, limit: number = MAX_USER_FILE_BYTES): Buffer {
  const descriptor = opened(file);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) {
      throw new Error("it is not a regular file");
    }
    if (stats.size > limit) {
      throw new Error(`it has ${stats.size} bytes, and the limit is ${limit}`);
    }
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads a file as `readUserBytes` does, as UTF-8 without a byte order mark. @throws {Error} also where it is no text. */
export function readUserFileSync(file: string): string {
  return textOf(readUserBytes(file));
}

/** Opens a file. @throws {Error} also where a link leads nowhere: something is there, unlike where nothing is. */
function opened(file: string): number {
  try {
    return openSync(file, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    if (isNotThere(error) && isThere(file)) {
      throw new Error("it is a link that leads nowhere");
    }
    throw error;
  }
}

function isNotThere(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(codeOf(error));
}

/** Tells whether something is at a path, be it a link that leads nowhere: reading it then says what is wrong. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (isNotThere(error)) {
      return false;
    }
    throw error;
  }
}

/**
 * Reads a file that need not be there; null where nothing is.
 *
 * @throws {UserFileError} in one line, where something is there that is no text.
 */
export function readIfThere(file: string): string | null {
  try {
    return readUserFileSync(file);
  } catch (error) {
    if (isNotThere(error)) {
      return null;
    }
    throw new UserFileError(file, `cannot be read: ${systemReason(error)}`);
  }
}

/**
 * Reads a file of JSON that others write; null where nothing is.
 *
 * @param what the form that it has to have, such as "a package.json".
 * @throws {UserFileError} in one line with the field, where it has another one.
 */
export function readJsonAs<T>(file: string, schema: z.ZodType<T>, what: string): T | null {
  const text = readIfThere(file);
  if (text === null) {
    return null;
  }
  const content = parseJson(text);
  const parsed = schema.safeParse(content);
  if (parsed.success) {
    return parsed.data;
  }
  const why = content === undefined ? "it is no JSON" : firstIssue(parsed.error);
  throw new UserFileError(file, `is not ${what}: ${why}`);
}

/** Reads a file whose mistakes keep no app from being built; "" where there is none, and where it is no text. */
export function readOthersText(file: string): string {
  try {
    return readUserFileSync(file);
  } catch {
    return "";
  }
}

/** Reads such a file of JSON; undefined where there is none, and where it is none. */
export function readOthersJson(file: string): unknown {
  return parseJson(readOthersText(file));
}

/** Decodes a text. @throws {Error} where the bytes are none: no variable, command or path may hold a NUL character. */
function textOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new Error("it is written in UTF-16; save it as UTF-8");
  }
  if (bytes.includes(0)) {
    throw new Error("it has NUL characters, so it is no text");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("it is no UTF-8 text");
  }
}
