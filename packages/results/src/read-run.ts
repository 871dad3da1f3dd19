import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { RUN_SCHEMA_VERSION, type Run } from "@evenbench/core";
import { z } from "zod";
import { ResultsError, systemReason } from "./error.ts";
import { RUN_FILE, SAMPLES_FILE } from "./run-folder.ts";
import { SampleTable } from "./sample-table.ts";
import { runSchema, sampleSchema } from "./schema.ts";

/** No sample is near this long; more without a line's end is damage, and must not fill the memory. */
const MAXIMUM_LINE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

export interface ReadRun {
  readonly run: Run;
  readonly samples: SampleTable;
  /** What was wrong with `samples.ndjson` and how much of it was read, or null. */
  readonly damage: string | null;
}

/**
 * Reads a run's folder. Damaged samples end the reading there: what stands before is returned, and `damage` says so.
 *
 * @throws {ResultsError} when there is no run, it is not valid, or a newer Evenbench wrote it.
 */
export async function readRun(folder: string): Promise<ReadRun> {
  const run = await readRunFile(resolve(folder));
  const samples = new SampleTable();
  const damage = await readSamples(join(folder, SAMPLES_FILE), samples);
  return { run, samples, damage };
}

async function readRunFile(folder: string): Promise<Run> {
  const file = join(folder, RUN_FILE);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new ResultsError(
      `No run in ${folder}: ${RUN_FILE} cannot be read (${systemReason(error)}). Give a run's own folder, such as results/20261121-093015.`,
    );
  }
  const raw = parseJson(text);
  const version = z.object({ schemaVersion: z.number() }).safeParse(raw);
  if (version.success && version.data.schemaVersion > RUN_SCHEMA_VERSION) {
    throw new ResultsError(
      `${file} has schema version ${version.data.schemaVersion}; this Evenbench reads up to ${RUN_SCHEMA_VERSION}. Use the Evenbench that wrote it, or a newer one.`,
    );
  }
  const run = runSchema.safeParse(raw);
  if (run.success) return run.data;
  throw new ResultsError(
    `${file} is not a valid run: ${firstIssue(run.error)}. Restore it or measure again; the samples beside it are untouched.`,
  );
}

/** Reads line by line into `samples`; returns the damage, or null. */
async function readSamples(file: string, samples: SampleTable): Promise<string | null> {
  let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
      const data: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = data.indexOf(NEWLINE); end !== -1; end = data.indexOf(NEWLINE, start)) {
        const damage = readLine(data.toString("utf8", start, end), samples);
        if (damage !== null) return damaged(damage, samples);
        start = end + 1;
      }
      rest = data.subarray(start);
      if (rest.length > MAXIMUM_LINE_BYTES) return damaged("is too long for a sample", samples);
    }
  } catch (error) {
    return `${SAMPLES_FILE} cannot be read (${systemReason(error)}): ${samples.length} samples were read.`;
  }
  // A line without its end is whole if it parses: an object cannot be cut and stay valid.
  if (rest.length === 0) return null;
  const damage = readLine(rest.toString("utf8"), samples);
  return damage === null ? null : damaged(`is cut off (${damage})`, samples);
}

function readLine(line: string, samples: SampleTable): string | null {
  const raw = parseJson(line);
  if (raw === undefined) return "is not JSON";
  const sample = sampleSchema.safeParse(raw);
  if (!sample.success) return `is not a sample: ${firstIssue(sample.error)}`;
  samples.push(sample.data);
  return null;
}

function damaged(what: string, samples: SampleTable): string {
  return `${SAMPLES_FILE} is damaged: line ${samples.length + 1} ${what}. Only the ${samples.length} samples before it were read.`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue ? `${issue.path.join(".") || "its content"}: ${issue.message}` : "unknown problem";
}
