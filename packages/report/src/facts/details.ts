// What the page alone shows of a run, as data: the file details.json. It holds what drawings and folded tables need, and
// nothing that a verdict, a count or a notice depends on.
import type { WhyCold } from "@evenbench/stats";
import type { Found } from "./facts.ts";

/** The details of one run. */
export interface Details {
  readonly schema: 1;
  /** By case, in the order of facts. */
  readonly cases: readonly CaseDetails[];
  /** What holds for the whole run and asks for nothing, such as bodies that were normalised. */
  readonly remarks: readonly { readonly code: string; readonly found: readonly Found[] }[];
}

/** The details of one case. */
export interface CaseDetails {
  readonly case: string;
  /** The distribution of each target's times: the share of requests, from 0 to 0.98, that took at most `ms`. */
  readonly distributions: readonly {
    readonly target: string;
    readonly points: readonly { readonly share: number; readonly ms: number }[];
  }[];
  /** How each target warmed up. */
  readonly warmUps: readonly WarmUpDetails[];
  /** Trials that do not count, since a target was not warm in them. */
  readonly coldTrials: readonly {
    readonly target: string;
    readonly trial: number;
    readonly why: WhyCold;
  }[];
  /** Cold starts, by their parts: medians in milliseconds. */
  readonly coldStarts: readonly {
    readonly target: string;
    readonly starts: number;
    readonly readyMs: number;
    readonly firstMs: number;
    readonly secondMs: number;
  }[];
  /** Failed requests of all phases, by kind, with the words of the first one. */
  readonly failures: readonly {
    readonly target: string;
    readonly kind: string;
    readonly quote: string;
    readonly count: number;
  }[];
  /** What caches said of answers, by target. */
  readonly cacheAnswers: readonly {
    readonly target: string;
    readonly said: "hit" | "stale" | "miss";
    readonly measured: number;
    readonly medianMs: number | null;
    readonly warmUps: number;
  }[];
  /** What each place saw of each target, the nearest place first; empty where one machine measured. */
  readonly places: readonly {
    readonly place: string;
    readonly target: string;
    /** Median time of opening a connection; null where none was opened. */
    readonly connectMs: number | null;
    /** The platform's edges that answered, and the number of instances. */
    readonly edges: readonly string[];
    readonly instances: number;
    /** Its time less the baseline's from there, with the ends of the 99 % interval; null for the baseline. */
    readonly difference: {
      readonly estimateMs: number;
      readonly lowMs: number | null;
      readonly highMs: number | null;
    } | null;
  }[];
  /** CPU time and memory of whole trials. */
  readonly usage: readonly {
    readonly target: string;
    readonly systemShare: number | null;
    readonly minorFaults: number | null;
    readonly peakResidentBytes: number | null;
  }[];
  /** Where the time of its trials went. */
  readonly spent: { readonly warmUpMs: number; readonly measuringMs: number };
  /** What asks for nothing, with its numbers: one process for a whole run, how far the control reaches. */
  readonly remarks: readonly { readonly code: string; readonly found: readonly Found[] }[];
}

/** The warm-up of a target in one case: medians over its instances. */
export interface WarmUpDetails {
  readonly target: string;
  /** Times of its first requests, at places that grow further apart; `request` counts from 1. */
  readonly points: readonly {
    readonly request: number;
    readonly lastByteMs: number | null;
    readonly cpuMs: number | null;
  }[];
  /** Number of the first warm request, from 1; null where that is not known. */
  readonly warmFrom: number | null;
  /** A warm request; null where no instance was warm. */
  readonly warm: { readonly lastByteMs: number | null; readonly cpuMs: number | null };
  /** Time of the first 10, and of the first 100 requests beyond that of as many warm ones. */
  readonly first: readonly {
    readonly requests: number;
    readonly lastByteMs: number | null;
    readonly cpuMs: number | null;
  }[];
}
