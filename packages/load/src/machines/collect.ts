import { join } from "node:path";
import {
  LOAD_FILE,
  LOAD_SCHEMA_VERSION,
  type LoadRun,
  type LoadSample,
  type LoadStage,
  SampleWriter,
  writeWhole,
} from "@evenbench/results";
import {
  ClientLog,
  type Collected,
  type CollectTerms,
  collecting,
  incomplete,
  outcomeOf,
  PlanLogs,
  type Problem,
  type RateBeginLine,
  type RateEndLine,
  type RateExchangeLine,
  type RatePlan,
  rateLineSchema,
  timesOf,
} from "@evenbench/vantages";
import { LATE_MS } from "../engine/loops.ts";
import { UNMEASURED_SHARE } from "../engine/stage.ts";
import { dueRequests, meanUnderWay, sampleOf } from "../k6/requests.ts";
import { dueCount, type OwnArrivals } from "../k6/stage-plan.ts";
import { loadOf, stagePlanOf } from "./embed.ts";

/** Rounding of parts that make one load. */
const NEARLY = 1e-9;

export interface CollectLoadOptions extends CollectTerms {
  readonly plan: RatePlan;
  readonly hash: string;
}

export function collectLoad({ plan, hash, ...terms }: CollectLoadOptions): Promise<Collected<LoadRun>> {
  return collecting(terms, async (draft) => {
    const writer = new SampleWriter<LoadSample>(draft);
    const merged = new MergedStages(plan, (sample) => writer.append(sample));
    const found = new PlanLogs<RateBeginLine, RateExchangeLine, RateEndLine, MachineLog>({
      plan: hash,
      schema: rateLineSchema,
      clientOf: (begin, file) =>
        new MachineLog(begin, file, (machine, stage, lines) => {
          merged.add(machine, stage, lines);
          writer.flush();
        }),
      take() {},
      placeOf: (_line, { name }) => name,
    });
    for (const log of terms.logs) await found.read(log);
    const { clients } = found;
    for (const machine of clients) machine.close();
    writer.close();
    const problems = [...found.problems(), ...parts(clients), ...apart(clients, plan.load.stageMs)];
    const make = (startedAt: string) => runOf(plan, clients, problems, merged, startedAt);
    const write = (folder: string, run: LoadRun) =>
      writeWhole(join(folder, LOAD_FILE), `${JSON.stringify(run, null, 2)}\n`);
    return { clients, problems, make, write };
  });
}

function parts(machines: readonly MachineLog[]): readonly Problem[] {
  const whole = machines.reduce((sum, { share }) => sum + share, 0);
  if (machines.length === 0 || Math.abs(whole - 1) < NEARLY) return [];
  return [
    incomplete(
      `The parts of these ${machines.length} logs (${machines.map(({ name }) => name).join(", ")}) make ${Math.round(whole * 100)} % of the load. Give the log of every machine, once.`,
    ),
  ];
}

/**
 * Clocks are set by the network, to some milliseconds: what is apart by more than the part that is not
 * measured did not send together.
 */
function apart(machines: readonly MachineLog[], stageMs: number): readonly Problem[] {
  const began = machines.map(({ begin }) => Date.parse(begin.startedAt));
  const spreadMs = Math.max(...began) - Math.min(...began);
  if (machines.length === 0 || spreadMs <= stageMs * UNMEASURED_SHARE) return [];
  return [
    incomplete(
      `The machines did not send at the same time: by their clocks they began ${(spreadMs / 1000).toFixed(1)} s apart, and a stage's unmeasured part is ${((stageMs * UNMEASURED_SHARE) / 1000).toFixed(1)} s. Start them together.`,
    ),
  ];
}

function runOf(
  plan: RatePlan,
  machines: readonly MachineLog[],
  problems: readonly Problem[],
  merged: MergedStages,
  startedAt: string,
): LoadRun {
  const lacking = machines.find(({ lacks }) => lacks !== null);
  const tookMs = plan.stages.length * plan.slotMs;
  return {
    schemaVersion: LOAD_SCHEMA_VERSION,
    id: "",
    startedAt,
    finishedAt: new Date(Date.parse(startedAt) + tookMs).toISOString(),
    ...outcomeOf(problems),
    evenbenchVersion: plan.evenbenchVersion,
    plan: plan.load,
    machine: null,
    clients: machines.map(({ name, begin, logged, lacks }) => ({
      name,
      nonce: begin.nonce,
      startedAt: begin.startedAt,
      logged,
      lacks,
    })),
    identities: plan.identities,
    stages: merged.stages(lacking === undefined ? null : `a machine's log ${lacking.lacks}`),
  };
}

class MachineLog extends ClientLog<RateBeginLine, RateExchangeLine, RateEndLine> {
  readonly #onStage: (machine: MachineLog, stage: number, lines: readonly RateExchangeLine[]) => void;
  readonly #logged = new Map<number, number>();
  #stage = 0;
  #lines: RateExchangeLine[] = [];
  #late = 0;

  constructor(
    begin: RateBeginLine,
    file: string,
    onStage: (machine: MachineLog, stage: number, lines: readonly RateExchangeLine[]) => void,
  ) {
    super(begin, file);
    this.#onStage = onStage;
  }

  get name(): string {
    const { vantage, part } = this.begin;
    return `${vantage} ${part.index + 1}/${part.of}`;
  }

  get share(): number {
    return 1 / this.begin.part.of;
  }

  get logged(): number {
    return [...this.#logged.values()].reduce((sum, count) => sum + count, 0);
  }

  exchange(line: RateExchangeLine, file: string): boolean {
    if (this.end !== null) {
      this.twice ??= file;
      return false;
    }
    if (line.stage < this.#stage) {
      this.#late += 1;
      return false;
    }
    if (line.stage > this.#stage) this.#close(line.stage);
    this.#logged.set(line.stage, (this.#logged.get(line.stage) ?? 0) + 1);
    this.#lines.push(line);
    return true;
  }

  override finish(end: RateEndLine, file: string): void {
    super.finish(end, file);
    this.close();
  }

  close(): void {
    this.#close(this.#stage + 1);
  }

  #close(next: number): void {
    const lines = this.#lines;
    const stage = this.#stage;
    this.#lines = [];
    this.#stage = next;
    if (lines.length > 0) this.#onStage(this, stage, lines);
  }

  get lacks(): string | null {
    const { end } = this;
    if (end === null) return `has no end: ${this.logged} requests are there`;
    if (end.stopped !== null) return `stopped: ${end.stopped}`;
    if (this.#late > 0) return `has ${this.#late} requests of a stage after those of the next one`;
    const wrong = end.exchanges.findIndex((count, stage) => (this.#logged.get(stage) ?? 0) !== count);
    if (wrong === -1) return null;
    return `has ${this.#logged.get(wrong) ?? 0} requests of stage ${wrong + 1}, and its end line counts ${end.exchanges[wrong]}`;
  }
}

type Added = Pick<LoadStage, "sent" | "late" | "dropped" | "completed" | "meanInFlight">;
const NOTHING: Added = { sent: 0, late: 0, dropped: 0, completed: 0, meanInFlight: 0 };

/**
 * Adds up what several machines put on together. Each one's times are taken from the start of the stage by
 * its own clock: nothing is compared between two clocks.
 */
class MergedStages {
  readonly #plan: RatePlan;
  readonly #sample: (sample: LoadSample) => void;
  readonly #stages: Added[];
  /** Connections of machines before each one: theirs have numbers of their own. */
  readonly #firstConnection = new Map<MachineLog, number>();
  #connections = 0;

  constructor(plan: RatePlan, sample: (sample: LoadSample) => void) {
    this.#plan = plan;
    this.#sample = sample;
    this.#stages = plan.stages.map(() => NOTHING);
  }

  add(machine: MachineLog, index: number, lines: readonly RateExchangeLine[]): void {
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
    const isIn = ({ error, overAtMs }: RateExchangeLine) =>
      error === null && overAtMs >= warmUpMs && overAtMs < arrivals.stageMs;
    this.#stages[index] = {
      sent: before.sent + requests.length,
      late: before.late + requests.filter(({ dueAtMs, sentAtMs }) => sentAtMs - dueAtMs > LATE_MS).length,
      dropped: before.dropped + Math.max(0, dueCount(arrivals) - requests.length),
      completed: before.completed + lines.filter(isIn).length,
      meanInFlight: before.meanInFlight + meanUnderWay(lines, warmUpMs, arrivals.stageMs),
    };
  }

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
