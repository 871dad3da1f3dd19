import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, TOKEN_VARIABLE, UserError } from "@evenbench/core";
import { LOGS_FOLDER } from "../protocol/plan.ts";
import type { Place } from "./at.ts";
import { findK6, HOW_TO_GET_K6 } from "./find-k6.ts";
import { type Playable, type Played, playAt } from "./play-at.ts";

export interface VantageOutcome {
  readonly vantage: string;
  readonly log: string | null;
  readonly exchanges: number;
  readonly problem: string | null;
}

export interface RunVantagesOptions {
  readonly playable: Playable;
  readonly places: readonly Place[];
  /** All at the same time: they queue behind each other in one instance. */
  readonly together: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  onStart?(place: Place): void;
  onEnd?(outcome: VantageOutcome): void;
}

/**
 * Plays a plan at several vantages, one after another. One that fails does not keep the others from
 * playing.
 */
export async function runVantages(options: RunVantagesOptions): Promise<readonly VantageOutcome[]> {
  const { playable, places, together, environment, signal } = options;
  const token = environment[TOKEN_VARIABLE] || null;
  if (playable.closed.length > 0 && token === null) {
    throw new UserError(
      `${playable.closed.join(", ")} serve only callers with their token, and ${TOKEN_VARIABLE} is not set. Set it; \`deploy\` keeps it in deployments.json.`,
    );
  }
  const k6 = await findK6(environment);
  if (k6 === null && places.some(({ destination }) => destination === null))
    throw new UserError(HOW_TO_GET_K6);
  await mkdir(join(playable.folder, LOGS_FOLDER), { recursive: true });
  await refuseWholeLogs(playable, places);
  const terms = playable.termsFor(places);
  const play = async (place: Place, index: number) => {
    options.onStart?.(place);
    const outcome = await outcomeOf(place, { playable, terms: terms[index] ?? {}, token, k6, signal });
    options.onEnd?.(outcome);
    return outcome;
  };
  if (together) return Promise.all(places.map(play));
  const outcomes: VantageOutcome[] = [];
  for (const [index, place] of places.entries()) {
    if (signal?.aborted) break;
    outcomes.push(await play(place, index));
  }
  return outcomes;
}

/** What is not whole is played again in its place; what is whole was paid for. */
async function refuseWholeLogs(playable: Playable, places: readonly Place[]): Promise<void> {
  for (const { vantage } of places) {
    const log = join(playable.folder, LOGS_FOLDER, `${vantage}.log`);
    if (!existsSync(log) || (await playable.judge(log)).problem !== null) continue;
    throw new UserError(
      `${vantage} has played this plan already: ${log} is whole. Move it away, or give this vantage another name.`,
    );
  }
}

async function outcomeOf(place: Place, played: Played): Promise<VantageOutcome> {
  const { vantage } = place;
  try {
    const log = await playAt(place, played);
    return { vantage, log, ...(await played.playable.judge(log)) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { vantage, log: null, exchanges: 0, problem: messageOf(error) };
  }
}
