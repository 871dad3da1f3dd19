import { z } from "zod";
import { count, milliseconds, strict } from "./strict.ts";

export const seenFrom = strict({
  /** Name of the vantage. */
  vantage: z.string(),
  /** Which of its clients, by the name that it has there: "1" where there is one. */
  client: z.string(),
  /**
   * Where the platform took the request: the colo of Cloudflare's cf-ray, the first region of Vercel's
   * x-vercel-id; null where none is named.
   */
  edge: z.string().nullable(),
  /** Such as "HTTP/1.1"; null where no response came. */
  httpVersion: z.string().nullable(),
});
/** Where an exchange was asked from, and what was seen of its way. */
export type SeenFrom = z.infer<typeof seenFrom>;

const vantageClient = strict({
  /** As its samples have it. */
  client: z.string(),
  /** Drawn anew at each start of a client. */
  nonce: z.string(),
  /** ISO 8601, by its own clock: not to be compared with that of another client. */
  startedAt: z.iso.datetime(),
  /** To its last line, by the same clock; null where its log has no end. */
  elapsedMs: milliseconds.nullable(),
  /** Exchanges that it was to make, and those that its log has. */
  planned: count,
  logged: count,
  /** Why it ended before all of its trials, or what its log lacks; null where nothing is missing. */
  lacks: z.string().nullable(),
  /** Its trials have these numbers in the run: from the first on, so many. */
  firstTrial: count,
  trials: count,
});
/** One client of a vantage. */
export type VantageClient = z.infer<typeof vantageClient>;

export const runVantage = strict({
  name: z.string(),
  clients: z.array(vantageClient).readonly(),
});
/**
 * A place that a run was measured from. What a machine of our own could report, its processor, load and CPU
 * time, nobody reports there.
 */
export type RunVantage = z.infer<typeof runVantage>;
