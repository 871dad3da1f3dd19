/** The size of a deployable as its platform counts it. */
export interface DeployableSize {
  readonly bytes: number;
  readonly gzipBytes: number;
  /** What the platform takes at most, and which of the two it counts; null where there is no limit. */
  readonly limit: {
    readonly bytes: number;
    readonly counts: "bytes" | "gzipBytes";
    /** As its documentation says it: "10 MB compressed on the paid plan". */
    readonly says: string;
  } | null;
}

/** One command of a build. */
export interface BuildStep {
  readonly name: string;
  readonly ms: number;
  /**
   * The most that the command's processes had resident at one time, together; null where the system does not
   * report it.
   */
  readonly peakResidentBytes: number | null;
}

/** How a deployable was made, and what came of it: from the build that made it, also when a cache brought it back. */
export interface BuildRecord {
  readonly steps: readonly BuildStep[];
  readonly size: DeployableSize;
}

/** Why there is no deployable. */
export interface BuildFailure {
  /** "next for cloudflare" */
  readonly what: string;
  readonly step: string;
  readonly lastLines: readonly string[];
  /** Path of the whole output, relative to the repository's root. */
  readonly logFile: string;
}
