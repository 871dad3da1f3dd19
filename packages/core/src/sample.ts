/** Why an exchange did not count, as a closed set. */
export type SampleErrorKind =
  | "connection" // refused, reset, or closed before the response was complete
  | "timeout"
  | "status" // not the status of the verified response
  | "length" // another body length than the verified response
  | "digest" // another masked body than the verified response
  | "encoding"; // a content encoding, though none was accepted

/** One exchange: a line of `samples.ndjson`. Times are milliseconds on the client's monotonic clock. */
export interface Sample {
  readonly caseId: string;
  /** Name of the target; a control's twin is a target of its own, named "<target>~twin". */
  readonly target: string;
  /** Which set of fresh instances served it, from 0; in phase "cold", which repetition. */
  readonly generation: number;
  /**
   * "measure" is what the case's times are made of. "floor": constant text of the same length and in as many parts as the
   * case's body, from the same instances. "cold": rounds 0 and 1 are the first and second exchange of an instance that
   * was started for just that.
   */
  readonly phase: "warmup" | "measure" | "floor" | "cold";
  /** Round within generation and phase, from 0. */
  readonly roundIndex: number;
  /** Place in its round's random order, from 0. */
  readonly position: number;
  /** Start, from the start of the run. */
  readonly startedAtMs: number;
  /** Time to connect, where this exchange opened the connection. */
  readonly connectMs: number | null;
  /** From the request's write to the socket's first readable event. */
  readonly firstByteMs: number | null;
  /** From the request's write to the end of the body. */
  readonly lastByteMs: number | null;
  readonly status: number | null;
  readonly bodyBytes: number | null;
  readonly instanceId: string | null;
  /** Requests that the instance had served before this one: 0 marks a cold exchange. */
  readonly served: number | null;
  /** Other requests in flight in the instance on arrival. */
  readonly inFlight: number | null;
  readonly error: { readonly kind: SampleErrorKind; readonly detail: string } | null;
}
