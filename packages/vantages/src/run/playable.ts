import { UserError } from "@evenbench/core";
import { counted } from "@evenbench/report/parts";
import type { z } from "zod";
import { readLog } from "../collect/read-log.ts";
import type { ReadPlan } from "../plan/embed.ts";
import { type EndLine, lineSchema, type RateEndLine, rateLineSchema } from "../protocol/line.ts";
import { SCRIPT_FILES } from "../protocol/plan.ts";
import type { Place } from "./at.ts";
import type { ClientTerms, Playable } from "./play-at.ts";

/** Until all have k6 up, from when they are told to start: ssh copies the script first. */
const LEAD_MS = { here: 4000, elsewhere: 30_000 };

export function playableOf({ folder, plan, hash }: ReadPlan): Playable {
  return {
    folder,
    hash,
    script: SCRIPT_FILES[plan.kind],
    closed: plan.closed,
    termsFor: (places) => (plan.kind === "rounds" ? places.map(() => ({})) : partsFor(places, plan.machines)),
    judge: (log) => judge(log, plan.kind === "rounds" ? plan.counts.exchanges : null),
  };
}

/** Equal parts of the load, one for each place. */
function partsFor(places: readonly Place[], machines: number): readonly ClientTerms[] {
  if (places.length !== machines) {
    throw new UserError(
      `The plan's load is divided among ${counted(machines, "machine")}, and ${places.length} ${places.length === 1 ? "is" : "are"} named. Name ${machines} with --at, or plan for --machines ${places.length}.`,
    );
  }
  const isHere = places.every(({ destination }) => destination === null);
  const startAt = Date.now() + (isHere ? LEAD_MS.here : LEAD_MS.elsewhere);
  const edges = Array.from({ length: machines + 1 }, (_, edge) =>
    edge === 0 ? "0" : edge === machines ? "1" : `${edge}/${machines}`,
  );
  return places.map((_place, index) => ({
    args:
      machines === 1
        ? []
        : [
            `--execution-segment=${edges[index]}:${edges[index + 1]}`,
            `--execution-segment-sequence=${edges.join(",")}`,
          ],
    env: { EVENBENCH_START_AT: String(startAt) },
  }));
}

/**
 * How a client ended, by its log: k6's exit code is 0 although nothing was sent.
 *
 * @param planned how many requests there are to be; null where only the end line counts them.
 */
async function judge(log: string, planned: number | null): ReturnType<Playable["judge"]> {
  let [exchanges, said] = [0, ""];
  let end: EndLine | RateEndLine | null = null as EndLine | RateEndLine | null;
  await readLog<z.infer<typeof lineSchema> | z.infer<typeof rateLineSchema>>(log, {
    schema: planned === null ? rateLineSchema : lineSchema,
    take(line) {
      if (line.evenbench === "exchange") exchanges += 1;
      if (line.evenbench === "end") end = line;
    },
    foreign(text) {
      if (text.trim() !== "") said = text.trim();
    },
  });
  return { exchanges, problem: problemOf(end, exchanges, planned, said) };
}

function problemOf(
  end: EndLine | RateEndLine | null,
  exchanges: number,
  planned: number | null,
  said: string,
): string | null {
  if (end === null) return `it did not come to its end${said === "" ? "" : `: ${said}`}`;
  if (end.stopped !== null) return `it stopped: ${end.stopped}`;
  const expected = planned ?? [end.exchanges].flat().reduce((sum, count) => sum + count, 0);
  return exchanges === expected ? null : `its log has ${exchanges} requests of ${expected}`;
}
