// Errors that development servers write to their logs, with the places in the sources that threw them.
import { existsSync, readFileSync, unwatchFile, watchFile } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { BuildResult } from "@evenbench/bundle";
import { repositoryRoot } from "@evenbench/host";

/**
 * Finds an error, whose message may have several lines, with its frames, as the artifact for developing or a framework
 * writes it.
 */
const THROWN =
  /(case ".+" threw: .*(?:(?:\n(?! +at |evenbench: ).*){1,20}?(?=\n +at ))?|\w*Error\b.*(?:\n(?! +at ).*){0,5}?(?=\n +at ))((?:\n +at .*)*)/g;
/** Number of frames that are shown below an error. */
const FRAMES = 5;

const READ_EVERY_MS = 250;

/** The part of a log's state that says what was added. */
interface LogSize {
  /** Length of the log in bytes. */
  readonly size: number;
}

/** Follows a log, and reports each added error with its frames, one a line. @returns a function that ends it. */
export function followThrown(logFile: string, onThrown: (what: string, stack: string) => void): () => void {
  const readAdded = (now: LogSize, before: LogSize) => {
    const isLonger = now.size > before.size;
    const added = isLonger ? readFileSync(logFile).subarray(before.size, now.size).toString() : "";
    for (const [, what = "", stack = ""] of stripVTControlCharacters(added).matchAll(THROWN)) {
      onThrown(what, stack);
    }
  };
  watchFile(logFile, { interval: READ_EVERY_MS }, readAdded);
  return () => unwatchFile(logFile, readAdded);
}

/** A frame in a module of the artifact, which each platform has put, as it is, into a folder of this name. */
const MODULE_FRAME = /[^\s(]*artifact\/(\S+\.mjs):(\d+):(\d+)/g;

/**
 * Gives frames of the user's own code, with their places in sources.
 *
 * @param built the artifact, which has the source maps; null where there is none.
 */
export function withSources(stack: string, built: BuildResult | null): string {
  const mapped = stack.replace(MODULE_FRAME, (frame, module: string, ...at: readonly string[]) => {
    const file = join(built?.artifact ?? "", `${module}.map`);
    if (!existsSync(file)) {
      return frame;
    }
    const map = new SourceMap(JSON.parse(readFileSync(file, "utf8")));
    const origin = map.findOrigin(Number(at[0]), Number(at[1]));
    if (!("fileName" in origin)) {
      return frame;
    }
    return `${resolve(dirname(file), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  });
  const frames = mapped.replaceAll(join(repositoryRoot, sep), "").split("\n");
  return frames
    .filter((frame) => !/\bnode(_modules\/|:)/.test(frame))
    .slice(0, FRAMES + 1)
    .join("\n");
}
