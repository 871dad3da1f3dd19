// Reads the values of options as they are typed: durations, numbers, lists, conditions and addresses.
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { parseCondition } from "@evenbench/load/condition";
import type { EXPORTS, FailOn } from "@evenbench/report";
import type { LatencyCondition } from "@evenbench/results";

/** @throws {InvalidArgumentError} with the message: commander then prints a usage error. */
function assertUsage(isRight: boolean, message: string): asserts isRight {
  if (!isRight) {
    throw new InvalidArgumentError(message);
  }
}

const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Reads a duration of half a second to a day, in milliseconds. @throws {InvalidArgumentError} for anything else. */
export const parseDuration: (text: string) => number = durationFrom(500, "500ms");

/** Makes a parser of durations up to a day. @param leastMs in milliseconds. @param leastInWords the same: "500ms". */
export function durationFrom(leastMs: number, leastInWords: string): (text: string) => number {
  return (text) => {
    const [match, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
    assertUsage(match !== undefined, 'Give a duration with its unit, such as "60s", "2m" or "500ms".');
    const duration = Number(number) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
    const isWithin = duration >= leastMs && duration <= 24 * MILLISECONDS.h;
    assertUsage(isWithin, `A duration must lie between ${leastInWords} and 24h.`);
    return duration;
  };
}

/** Reads a precision, "2%" or "0.02", as a fraction between 0 and 1. @throws {InvalidArgumentError} for anything else. */
export function parsePrecision(text: string): number {
  const [, number = "", isPercent] = /^(\d+(?:\.\d+)?)(%)?$/.exec(text) ?? [];
  const value = Number(number) / (isPercent ? 100 : 1);
  assertUsage(
    value > 0 && value < 1,
    'Give a precision such as "2%" or "0.02", more than 0 and less than 100 %.',
  );
  return value;
}

/** Makes a parser of whole numbers between bounds. It throws an `InvalidArgumentError` for anything else. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    assertUsage(value >= minimum && value <= maximum, `Give a whole number from ${minimum} to ${maximum}.`);
    return value;
  };
}

/** Collects names, in several words or with commas. @throws {InvalidArgumentError} for a word without a name. */
export function collectNames(text: string, before: readonly string[] = []): readonly string[] {
  const words = text.split(",").filter((word) => word !== "");
  // An empty variable of a script is no choice of everything.
  assertUsage(words.length > 0, "It names nothing. Give a name, or leave the option out.");
  return [...before, ...words];
}

/** Reads the address where a gallery is published. @returns it with a slash at its end. */
export function parsePublishedAddress(text: string): string {
  const url = URL.parse(text);
  const hasMore =
    url !== null && [url.username, url.password, url.search, url.hash].some((part) => part !== "");
  assertUsage(
    url?.protocol === "https:" && !hasMore,
    'Give an address that begins with https://, without a user, "?" and "#".',
  );
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

/** Reads a condition of `--fail-on`, such as "slower 5%", behind those before it. @throws {InvalidArgumentError} for anything else. */
export function parseFailOn(text: string, before: readonly FailOn[] = []): readonly FailOn[] {
  const typed = text.trim().toLowerCase();
  const condition = readChange(typed) ?? readGrowth(typed);
  assertUsage(
    condition !== null,
    'Give one condition: a verdict and a percentage, such as "slower 5%", "cpu slower 5%" or "startup slower 10%"; or how much memory a request may keep, such as "memory grows 1kB".',
  );
  const isPossible = condition.verdict !== "faster" || condition.by < 1;
  assertUsage(isPossible, 'Nothing is faster by 100 % or more. Give less, such as "faster 50%".');
  return [...before, condition];
}

/** What a condition asks, by the word before its verdict. */
const ASKED_BY_WORD = { time: "time", cpu: "CPU time", startup: "start-up" } as const satisfies Readonly<
  Record<string, FailOn["of"]>
>;

/** Reads "cpu slower 5%"; null for anything else. */
function readChange(text: string): FailOn | null {
  const [match, word = "time", verdict, percent] =
    /^(?:(cpu|time|startup)\s+)?(slower|faster)\s+(\d+(?:\.\d+)?)\s*%$/.exec(text) ?? [];
  return match === undefined
    ? null
    : {
        of: ASKED_BY_WORD[word as keyof typeof ASKED_BY_WORD],
        verdict: verdict as FailOn["verdict"],
        by: Number(percent) / 100,
      };
}

const BYTES_IN: Readonly<Record<string, number>> = { b: 1, kb: 1000, mb: 1e6 };

/** Reads "memory grows 1kB"; null for anything else. */
function readGrowth(text: string): FailOn | null {
  const [match, amount, unit = ""] = /^memory\s+grows\s+(\d+(?:\.\d+)?)\s*([km]?b)$/.exec(text) ?? [];
  return match === undefined
    ? null
    : { of: "memory", verdict: "grows", by: Number(amount) * (BYTES_IN[unit] ?? 1) };
}

type ExportFormat = keyof typeof EXPORTS;

/** A file that `--export` asks for. */
export interface ExportedFile {
  readonly format: ExportFormat;
  /** Its path as it was typed; null for the usual one. */
  readonly file: string | null;
}

/** The programs that read each form, for the help. */
export const EXPORT_FORMATS: Readonly<Record<ExportFormat, string>> = {
  bmf: "Bencher",
  github: "github-action-benchmark",
  junit: "JUnit XML",
};

/** Reads a form of `--export`, "junit" or "junit=reports/speed.xml", behind those before it. @throws {InvalidArgumentError} for others. */
export function parseExport(text: string, before: readonly ExportedFile[] = []): readonly ExportedFile[] {
  const [, word = "", file] = /^([^=]*)(?:=(.+))?$/s.exec(text) ?? [];
  const format = (Object.keys(EXPORT_FORMATS) as ExportFormat[]).find((name) => name === word);
  assertUsage(
    format !== undefined,
    `Give ${Object.keys(EXPORT_FORMATS).join(", ")}, or one with a file, such as junit=speed.xml.`,
  );
  return [...before, { format, file: file ?? null }];
}

const MAX_CONCURRENCY = 1024;
const MAX_RATE = 100_000;

/**
 * Reads numbers of requests at a time, "1,2,4" or "1..32", which doubles.
 *
 * @throws {InvalidArgumentError} for anything else.
 */
export function parseConcurrency(text: string, before: readonly number[] = []): readonly number[] {
  const range = /^(\d+)\.\.(\d+)$/.exec(text);
  const levels = range === null ? text.split(",").map(Number) : doubled(Number(range[1]), Number(range[2]));
  const areValid = levels.every((level) => Number.isInteger(level) && level >= 1 && level <= MAX_CONCURRENCY);
  assertUsage(
    areValid && levels.length > 0,
    `Give numbers from 1 to ${MAX_CONCURRENCY}, such as "1,2,4" or "1..32".`,
  );
  return unique([...before, ...levels]);
}

/** Reads rates in requests per second, such as "10,20,40", behind those before them. @throws {InvalidArgumentError} for anything else. */
export function parseRates(text: string, before: readonly number[] = []): readonly number[] {
  const rates = text.split(",").map(Number);
  assertUsage(
    rates.every((rate) => rate > 0 && rate <= MAX_RATE),
    `Give rates above 0 and up to ${MAX_RATE} requests per second, such as "20" or "10,20,40".`,
  );
  return unique([...before, ...rates]);
}

/** Reads a limit of latency, such as "p99 <= 250ms". @throws {InvalidArgumentError} for anything else. */
export function parseLimit(text: string): LatencyCondition {
  const condition = parseCondition(text);
  assertUsage(condition !== null, 'Give a quantile and a limit, such as "p99 <= 250ms" or "p50 <= 1s".');
  return condition;
}

function doubled(from: number, to: number): number[] {
  const levels: number[] = [];
  for (let level = from; level >= 1 && level < to && level <= MAX_CONCURRENCY; level *= 2) {
    levels.push(level);
  }
  return from > to ? [] : [...levels, to];
}

function unique(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
