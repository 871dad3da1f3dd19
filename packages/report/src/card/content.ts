import type { RatioInterval, Verdict } from "@evenbench/stats";
import type { RatioScale } from "../html/scale.ts";

/** Everything that a card shows, before it has a form. */
export interface CardContent {
  /** What was asked: above the answer, and in the head of the file. */
  readonly question: string;
  readonly answer: string;
  /** "2026-11-22" */
  readonly date: string;
  readonly rows: readonly CardRow[];
  /** One for each platform, from top to bottom in every row. */
  readonly platforms: readonly CardPlatform[];
  /** What 1× is, such as "node". */
  readonly baselines: string;
  readonly scale: RatioScale;
  readonly machine: string;
  readonly versions: string;
  readonly command: string;
  /** Of Evenbench. */
  readonly version: string;
}

export interface CardPlatform {
  readonly name: string;
  readonly colour: string;
}

export interface CardRow {
  readonly label: string;
  /** Smaller, below it. */
  readonly under: string | null;
  readonly marks: readonly CardMark[];
}

export interface CardMark {
  /** The line of the row that it stands on: index into the platforms. */
  readonly line: number;
  /** null where there is nothing to draw: not warm, or too few trials. */
  readonly ratio: RatioInterval | null;
  readonly verdict: Verdict;
  /** The same in numbers. */
  readonly text: string;
}
