import type { Place } from "./at.ts";

/** What k6 is given besides at one vantage. */
export interface ClientTerms {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A plan's folder, as far as playing it goes. */
export interface Playable {
  readonly folder: string;
  /** Hash of the plan: it names files on other machines. */
  readonly hash: string;
  /** Name of the script in the folder. */
  readonly script: string;
  /** Names of targets that serve only callers with their token. */
  readonly closed: readonly string[];
  /** For each place, in their order. Called when all are about to begin. */
  termsFor(places: readonly Place[]): readonly ClientTerms[];
  /** How a log ended. `problem`: why it is not whole, or null. */
  judge(log: string): Promise<{ readonly exchanges: number; readonly problem: string | null }>;
}
