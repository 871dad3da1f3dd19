/** An estimate with its 95 % interval. */
export interface SummaryRatio {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** What a report says of one target in one case, for other tools. Times in milliseconds; null: too little was measured. */
export interface SummaryRow {
  readonly caseId: string;
  readonly target: string;
  readonly baseline: string;
  readonly metric: "firstByteMs" | "lastByteMs";
  /** Whether this is the time that is the case's honest headline. */
  readonly headline: boolean;
  readonly exchanges: number;
  readonly errors: number;
  readonly medianMs: number | null;
  readonly medianLowMs: number | null;
  readonly medianHighMs: number | null;
  readonly meanMs: number | null;
  readonly p95Ms: number | null;
  readonly minimumMs: number | null;
  readonly maximumMs: number | null;
  /** Target / baseline; null for the baseline itself. */
  readonly ratio: SummaryRatio | null;
  readonly verdict: string | null;
  /** Last byte less that of the payload of the same length and parts; of the target, whatever the row's metric. */
  readonly workMs: number | null;
  readonly workRatio: SummaryRatio | null;
  /** How far the control's interval reaches from 1 in this case, as a fraction. */
  readonly noiseFloor: number | null;
  readonly cpuMsPerExchange: number | null;
  readonly cpuRatio: SummaryRatio | null;
  readonly residentBytes: number | null;
  /** What the platform itself accounts, where it was asked (`--cpu provider`). */
  readonly providerCpu: SummaryProviderCpu | null;
}

/** CPU time by a platform's own account, and how many of the exchanges it covers. */
export interface SummaryProviderCpu {
  /** Who accounts, and by what. */
  readonly accountant: string;
  readonly msPerRequest: number;
  /** 95 % interval; null with fewer than two sets of instances. */
  readonly lowMs: number | null;
  readonly highMs: number | null;
  /** Exchanges without an error, and those of them that have an account. */
  readonly exchanges: number;
  readonly joined: number;
}

/** `summary.json`. */
export interface RunSummary {
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly startedAt: string;
  readonly rows: readonly SummaryRow[];
}
