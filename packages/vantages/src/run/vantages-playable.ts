import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { readPlan } from "../plan/embed.ts";
import { type EndLine, lineSchema } from "../protocol/line.ts";
import { SCRIPT_FILE } from "../protocol/plan.ts";
import type { Playable } from "./play-at.ts";

export async function vantagesPlayable(folder: string): Promise<Playable> {
  const { plan, hash } = await readPlan(folder);
  return {
    folder,
    hash,
    script: SCRIPT_FILE,
    closed: plan.closed,
    termsFor: (places) => places.map(() => ({})),
    async judge(log) {
      const seen = await lookAtLog(log);
      return { exchanges: seen.exchanges, problem: problemOf(seen, plan.counts.exchanges) };
    },
  };
}

function problemOf({ end, exchanges, said }: LogEnd, expected: number): string | null {
  if (end === null) return `it did not come to its end${said === "" ? "" : `: ${said}`}`;
  if (end.stopped !== null) return `it stopped: ${end.stopped}`;
  if (exchanges !== expected) return `its log has ${exchanges} requests of ${expected}`;
  return null;
}

const OURS = '{"evenbench":"';

interface LogEnd {
  readonly exchanges: number;
  readonly end: EndLine | null;
  readonly said: string;
}

/** Reads a log for its end. k6's exit code says nothing of that: it is 0 although nothing was sent. */
async function lookAtLog(file: string): Promise<LogEnd> {
  let [exchanges, said] = [0, ""];
  let end: EndLine | null = null;
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (!line.startsWith(OURS)) {
      if (line.trim() !== "") said = line;
    } else if (line.startsWith(`${OURS}exchange"`)) {
      exchanges += 1;
    } else {
      end = endIn(line) ?? end;
    }
  }
  return { exchanges, end, said };
}

function endIn(line: string): EndLine | null {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(line));
    return parsed.success && parsed.data.evenbench === "end" ? parsed.data : null;
  } catch {
    // Cut off.
    return null;
  }
}
