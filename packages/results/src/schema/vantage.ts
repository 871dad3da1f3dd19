import { z } from "zod";
import { count, milliseconds, strict } from "./strict.ts";

export const seenFrom = strict({
  /** Name of the vantage. */
  vantage: z.string(),
  /** What one client calls itself: drawn anew at each of its starts. */
  client: z.string(),
  /** The platform's own place that answered: the colo of Cloudflare's cf-ray, the region of Vercel's x-vercel-id; null where none is named. */
  edge: z.string().nullable(),
  /** Such as "HTTP/1.1"; null where no response came. */
  httpVersion: z.string().nullable(),
});
/** Where an exchange was asked from, and what was seen of its way. */
export type SeenFrom = z.infer<typeof seenFrom>;

const vantageClient = strict({
  /** As its samples have it. */
  client: z.string(),
  /** ISO 8601, by its own clock: not to be compared with that of another client. */
  startedAt: z.iso.datetime(),
  /** From its first line to its last, by the same clock; null where its log has no end. */
  tookMs: milliseconds.nullable(),
  /** What sent the requests, such as "k6 v2.2.0"; null where it does not tell. */
  engine: z.string().nullable(),
  /** Exchanges that it was to make, and those that its log has. */
  planned: count,
  logged: count,
  /** Trials of the run that are its own. */
  trials: z.array(count).readonly(),
});
/** One client of a vantage. */
export type VantageClient = z.infer<typeof vantageClient>;

export const runVantage = strict({
  name: z.string(),
  /** Where it is, as its engine says; null where that says nothing. */
  region: z.string().nullable(),
  clients: z.array(vantageClient).readonly(),
});
/** A place that a run was measured from. What a machine of our own could tell, its processor, load and CPU time, nobody tells there. */
export type RunVantage = z.infer<typeof runVantage>;
