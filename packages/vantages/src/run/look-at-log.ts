import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { type EndLine, lineSchema } from "../protocol/line.ts";

const OURS = '{"evenbench":"';

/** What a log says of how its client ended. */
export interface LogEnd {
  /** Lines of exchanges that are there. */
  readonly exchanges: number;
  /** null where it is missing: the client did not come to its end. */
  readonly end: EndLine | null;
  /** What the engine said last, besides. */
  readonly said: string;
}

/** Reads a log for its end. k6's exit code says nothing of that: it is 0 although nothing was sent. */
export async function lookAtLog(file: string): Promise<LogEnd> {
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
