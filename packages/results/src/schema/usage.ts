import { z } from "zod";
import { count, milliseconds, strict } from "./strict.ts";

/** What the operating system accounts to a set of processes in some time. */
export const processUse = {
  /** CPU time of all threads, in milliseconds; user and system apart where the system's account has them. */
  cpuMs: milliseconds,
  userMs: milliseconds.nullable(),
  systemMs: milliseconds.nullable(),
  /** Pages given by the kernel without a disk, all threads; null where the system does not report them. */
  minorFaults: count.nullable(),
  /** Memory resident at the end, and the most that ever was since the process started, where the system reports it. */
  residentBytes: count,
  peakResidentBytes: count.nullable(),
};

/** A target's trial in a case. */
const trialOfTarget = { caseId: z.string(), target: z.string(), trial: count };

export const instanceUsage = strict({
  ...trialOfTarget,
  /** Measured exchanges in that time, failed ones too. */
  exchanges: count,
  ...processUse,
});
/**
 * What the operating system says one set of processes used while it served the measured exchanges of a case:
 * warm-up, start and stop are not in it, background threads (compiler, collector) are. Not there for URLs and
 * on systems that do not report it.
 */
export type InstanceUsage = z.infer<typeof instanceUsage>;

export const cpuAccount = strict({
  /** As a report names it: "/proc", "ps (pidusage)". */
  source: z.string(),
  /** What a process used can be short by so much in each reading. */
  resolutionMs: milliseconds,
});
/** Where a machine's account of its processes' CPU time comes from. */
export type CpuAccount = z.infer<typeof cpuAccount>;

export const warmUp = strict({
  ...trialOfTarget,
  /** Exchanges that it got. */
  exchanges: count,
  /**
   * Exchanges that it had to get, with a margin and a least number, as was known when its warm-up ended; null
   * where its time was over before that was found out.
   */
  needed: count.nullable(),
  /**
   * Exchanges after which a search found its target to be warm: 0 where no slower level came first. A level
   * of fewer than five exchanges is not seen. null where no search came to its end, where the number was
   * fixed, and where an instance that had got what it needed was not warm.
   */
  warmAfter: count.nullable(),
});
/** How one fresh instance was warmed up before its measured exchanges. */
export type WarmUp = z.infer<typeof warmUp>;

/** What the measuring client was busy with in some time. */
export const clientUse = {
  wallMs: milliseconds,
  /** CPU time of the client's process. */
  cpuMs: milliseconds,
  /** How late the event loop was in 1 of 100 checks: stamps may be as late. */
  eventLoopDelayP99Ms: milliseconds,
};

export const clientLoad = strict({ caseId: z.string(), trial: count, ...clientUse });
/** What the measuring client itself was busy with while the rounds of one trial went on. */
export type ClientLoad = z.infer<typeof clientLoad>;

export const timeline = strict({
  ...trialOfTarget,
  /** From 0: each trial has several. */
  round: count,
  /**
   * Milliseconds since the request's write, and bytes of the body that had arrived by then. Both ascend.
   * Thinned: those of the first round to a hundred points, of later ones to the first part, the one with
   * which half of the body was there, and the last.
   */
  arrivals: z.array(z.tuple([milliseconds, count]).readonly()).readonly(),
});
/** How one streamed body arrived; measured apart from the rounds that count. */
export type Timeline = z.infer<typeof timeline>;

export const coldStart = strict({
  caseId: z.string(),
  target: z.string(),
  repetition: count,
  /** From the start of the host's processes to its first answer, that of `/identity`. */
  readyMs: milliseconds,
});
/** The start of a fresh instance while nothing else ran; its first exchanges are samples of phase "cold". */
export type ColdStart = z.infer<typeof coldStart>;
