import type { LoadSample, LoadStage } from "@evenbench/results";
import { timesOf } from "@evenbench/vantages";
import { LATE_MS } from "../engine/open-loop.ts";
import { UNMEASURED_SHARE } from "../engine/stage.ts";
import { dueRequests, meanUnderWay, sampleOf } from "../k6/requests.ts";
import { dueCount, type OwnArrivals } from "../k6/stage-plan.ts";
import { loadOf, stagePlanOf } from "./embed.ts";
import type { LoadExchangeLine } from "./lines.ts";
import type { MachineLog } from "./machine-log.ts";
import type { MachinesPlan } from "./plan.ts";

type Added = Pick<LoadStage, "sent" | "late" | "dropped" | "completed" | "meanInFlight">;
const NOTHING: Added = { sent: 0, late: 0, dropped: 0, completed: 0, meanInFlight: 0 };

/**
 * Adds up what several machines put on together. Each one's times are taken from the start of the stage by
 * its own clock: nothing is compared between two clocks.
 */
export class MergedStages {
  readonly #plan: MachinesPlan;
  readonly #sample: (sample: LoadSample) => void;
  readonly #stages: Added[];
  /** Connections of machines before each one: theirs have numbers of their own. */
  readonly #firstConnection = new Map<MachineLog, number>();
  #connections = 0;

  constructor(plan: MachinesPlan, sample: (sample: LoadSample) => void) {
    this.#plan = plan;
    this.#sample = sample;
    this.#stages = plan.stages.map(() => NOTHING);
  }

  add(machine: MachineLog, index: number, lines: readonly LoadExchangeLine[]): void {
    const before = this.#stages[index];
    if (before === undefined) return;
    const arrivals = this.#arrivalsOf(machine, index);
    const warmUpMs = arrivals.stageMs * UNMEASURED_SHARE;
    const requests = dueRequests(lines, arrivals);
    const first = this.#connectionOf(machine);
    for (const one of requests) {
      const { nonce: _nonce, stage: _stage, protocol: _protocol, ...line } = one.line;
      const request = { ...one, line: { ...line, evenbench: "request" } as const };
      this.#sample({
        stage: index,
        ...sampleOf(request, this.#startOf(index), warmUpMs),
        connection: first + line.connection,
        ...timesOf(line),
      });
    }
    const isIn = ({ error, overAtMs }: LoadExchangeLine) =>
      error === null && overAtMs >= warmUpMs && overAtMs < arrivals.stageMs;
    this.#stages[index] = {
      sent: before.sent + requests.length,
      late: before.late + requests.filter(({ dueAtMs, sentAtMs }) => sentAtMs - dueAtMs > LATE_MS).length,
      dropped: before.dropped + Math.max(0, dueCount(arrivals) - requests.length),
      completed: before.completed + lines.filter(isIn).length,
      meanInFlight: before.meanInFlight + meanUnderWay(lines, warmUpMs, arrivals.stageMs),
    };
  }

  /** All stages of the plan, in its order. @param ended why one that nobody played was not; null where nobody knows. */
  stages(ended: string | null): readonly LoadStage[] {
    return this.#plan.stages.map((stage, index): LoadStage => {
      const { stageMs } = this.#plan.load;
      const windowMs = stageMs * (1 - UNMEASURED_SHARE);
      return {
        caseId: stage.caseId,
        subject: stage.subject,
        trial: stage.trial,
        load: loadOf(this.#plan, stage),
        startedAtMs: this.#startOf(index) + stageMs * UNMEASURED_SHARE,
        windowMs,
        ...(this.#stages[index] ?? NOTHING),
        queued: 0,
        usage: null,
        client: { wallMs: windowMs, cpuMs: null, eventLoopDelayP99Ms: null },
        ended: this.#stages[index]?.sent === 0 ? (ended ?? "no machine played it") : null,
      };
    });
  }

  #arrivalsOf({ begin: { part } }: MachineLog, index: number): OwnArrivals {
    const stage = this.#plan.stages[index];
    if (stage === undefined) throw new Error(`The plan has no stage ${index}.`);
    return { ...stagePlanOf(this.#plan, stage), first: part.index, every: part.of };
  }

  /** By the plan, from its start. */
  #startOf(index: number): number {
    return index * this.#plan.slotMs;
  }

  #connectionOf(machine: MachineLog): number {
    const known = this.#firstConnection.get(machine);
    if (known !== undefined) return known;
    const first = this.#connections;
    this.#firstConnection.set(machine, first);
    const most = this.#plan.load.loads.map((load) => load.connections);
    this.#connections += Math.max(...most);
    return first;
  }
}
