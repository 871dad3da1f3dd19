import type { LoadSample } from "@evenbench/results";

export interface K6BeginLine {
  readonly evenbench: "begin";
  readonly startedAt: number;
}

type OfExchange = Pick<
  LoadSample,
  | "connection"
  | "connectMs"
  | "firstByteMs"
  | "lastByteMs"
  | "status"
  | "bodyBytes"
  | "instanceId"
  | "served"
  | "inFlight"
  | "error"
>;

/** What k6 writes of each request. Times in milliseconds, those "at" from the stage's start. */
export interface K6RequestLine extends OfExchange {
  readonly evenbench: "request";
  /** When k6 began with it. */
  readonly begunAtMs: number;
  /** Until it had a connection: connecting is in it. */
  readonly blockedMs: number;
  readonly overAtMs: number;
}

export type K6Line = K6BeginLine | K6RequestLine;

/** Lines of ours begin so; others are k6's own words. */
export const LINE_START = '{"evenbench":';
