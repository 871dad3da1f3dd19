/**
 * What the operating system says one set of processes used while it served the measured exchanges of a case: warm-up, start
 * and stop are not in it, background threads (compiler, collector) are. Not there for URLs and on systems that do not tell.
 */
export interface InstanceUsage {
  readonly caseId: string;
  readonly target: string;
  readonly generation: number;
  /** Measured exchanges in that time, failed ones too. */
  readonly exchanges: number;
  /** CPU time of all threads, in milliseconds; user and system apart where the system's account has them. */
  readonly cpuMs: number;
  readonly userMs: number | null;
  readonly systemMs: number | null;
  /** Memory resident at the end, and the most that ever was since the process started, where the system tells. */
  readonly residentBytes: number;
  readonly peakResidentBytes: number | null;
}

/** Where a machine's account of its processes' CPU time comes from. */
export interface CpuAccount {
  /** As a report names it: "/proc", "ps (pidusage)". */
  readonly source: string;
  /** What a process used can be short by so much in each reading. */
  readonly resolutionMs: number;
}

/** What the measuring client itself was busy with while the rounds of one set of instances went on. */
export interface ClientLoad {
  readonly caseId: string;
  readonly generation: number;
  readonly wallMs: number;
  /** CPU time of the client's process. */
  readonly cpuMs: number;
  /** How late the event loop was in 1 of 100 looks: stamps may be as late. */
  readonly eventLoopDelayP99Ms: number;
}

/** How one streamed body arrived; measured apart from the rounds that count. */
export interface Timeline {
  readonly caseId: string;
  readonly target: string;
  readonly generation: number;
  /** Thinned: milliseconds since the request's write, and bytes of the body that had arrived by then. Both ascend. */
  readonly arrivals: readonly (readonly [ms: number, bytes: number])[];
}

/** The start of a fresh instance while nothing else ran; its first exchanges are samples of phase "cold". */
export interface ColdStart {
  readonly caseId: string;
  readonly target: string;
  readonly repetition: number;
  /** From the start of the host's processes to its first answer, that of `/identity`. */
  readonly readyMs: number;
}
