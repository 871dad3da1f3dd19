import {
  RUN_SCHEMA_VERSION,
  type Run,
  type Sample,
  type SamplesDigest,
  SampleWriter,
  type VantageClient,
  writeRun,
} from "@evenbench/results";
import { type BeginLine, type EndLine, type ExchangeLine, lineSchema } from "../protocol/line.ts";
import type { VantagePlan } from "../protocol/plan.ts";
import {
  ClientLog,
  type Collected,
  type CollectTerms,
  collecting,
  outcomeOf,
  PlanLogs,
  type Problem,
} from "./plan-logs.ts";

const BATCH = 1000;

export interface CollectOptions extends CollectTerms {
  readonly plan: VantagePlan;
  readonly hash: string;
}

export function collectLogs({ plan, hash, ...terms }: CollectOptions): Promise<Collected<Run>> {
  return collecting(terms, async (draft) => {
    const writer = new SampleWriter(draft);
    const found = new PlanLogs<BeginLine, ExchangeLine, EndLine, VantageLog>({
      plan: hash,
      schema: lineSchema,
      clientOf: (begin, file, index) => new VantageLog(begin, file, index),
      take: takerFor(writer, plan),
      placeOf: ({ target }, { begin }) => `${target} from ${begin.vantage}`,
    });
    for (const log of terms.logs) await found.read(log);
    writer.close();
    const { clients } = found;
    const problems = found.problems();
    const make = (startedAt: string) => runOf(plan, clients, problems, writer.written, startedAt);
    return { clients, problems, make, write: writeRun };
  });
}

function takerFor(writer: SampleWriter, plan: VantagePlan) {
  let queued = 0;
  return (line: ExchangeLine, client: VantageLog): void => {
    writer.append(sampleOf(line, client.begin, firstTrialOf(client, plan)));
    queued += 1;
    if (queued % BATCH === 0) writer.flush();
  };
}

function runOf(
  plan: VantagePlan,
  clients: readonly VantageLog[],
  problems: readonly Problem[],
  samples: SamplesDigest,
  startedAt: string,
): Run {
  const ends = clients.map(({ begin, end }) => Date.parse(begin.startedAt) + (end?.elapsedMs ?? 0));
  const byVantage = Map.groupBy(clients, ({ begin }) => begin.vantage);
  return {
    schemaVersion: RUN_SCHEMA_VERSION,
    id: "",
    startedAt,
    finishedAt: new Date(Math.max(...ends)).toISOString(),
    ...outcomeOf(problems),
    evenbenchVersion: plan.evenbenchVersion,
    source: plan.source,
    samples,
    plan: plan.run,
    machine: null,
    vantages: [...byVantage].map(([name, own]) => ({
      name,
      clients: own.map((one) => clientOf(one, plan)),
    })),
    identities: plan.identities,
    deployables: {},
    usage: [],
    warmUps: [],
    clientLoad: [],
    timelines: [],
    coldStarts: [],
  };
}

function clientOf(client: VantageLog, plan: VantagePlan): VantageClient {
  const { begin, end, logged, lacks } = client;
  return {
    client: begin.client,
    nonce: begin.nonce,
    startedAt: begin.startedAt,
    elapsedMs: end?.elapsedMs ?? null,
    planned: begin.exchanges,
    logged,
    lacks,
    firstTrial: firstTrialOf(client, plan),
    trials: plan.run.trials.maximum,
  };
}

/** Trials are numbered through: those of the first client that appears come first. */
function firstTrialOf({ index }: VantageLog, { run }: VantagePlan): number {
  return index * run.trials.maximum;
}

class VantageLog extends ClientLog<BeginLine, ExchangeLine, EndLine> {
  readonly index: number;
  logged = 0;
  #next = 0;
  #failed = 0;
  #gaps = 0;

  constructor(begin: BeginLine, file: string, index: number) {
    super(begin, file);
    this.index = index;
  }

  get name(): string {
    return `${this.begin.vantage}/${this.begin.client}`;
  }

  exchange({ seq, error }: ExchangeLine, file: string): boolean {
    if (seq < this.#next || this.end !== null) {
      this.twice ??= file;
      return false;
    }
    this.#gaps += seq - this.#next;
    this.#next = seq + 1;
    this.logged += 1;
    if (error !== null) this.#failed += 1;
    return true;
  }

  get lacks(): string | null {
    const { exchanges: planned } = this.begin;
    const { end } = this;
    if (end === null)
      return `has no end: ${this.logged} of ${planned} requests are there${this.#gaps > 0 ? `, with ${this.#gaps} missing in between` : ""}`;
    if (this.logged !== end.exchanges)
      return `lacks ${end.exchanges - this.logged} of the ${end.exchanges} requests that its end line counts`;
    if (end.stopped !== null) return `stopped after ${end.exchanges} of ${planned} requests: ${end.stopped}`;
    if (end.exchanges !== planned)
      return `ended after ${end.exchanges} of ${planned} requests, and does not say why`;
    if (end.failed !== this.#failed)
      return `counts ${end.failed} failed requests in its end line, and its lines have ${this.#failed}`;
    return null;
  }
}

/** Below this a time is none: a clock was set back meanwhile. */
const LEAST_MS = 1e-6;

function sampleOf(line: ExchangeLine, { vantage, client }: BeginLine, firstTrial: number): Sample {
  const { edge, protocol } = line;
  return {
    caseId: line.case,
    target: line.target,
    trial: firstTrial + line.trial,
    phase: line.phase,
    roundIndex: line.round,
    position: line.position,
    startedAtMs: line.startedAtMs,
    connectMs: line.connectMs,
    ...timesOf(line),
    cpuMs: null,
    minorFaults: null,
    status: line.status,
    bodyBytes: line.bodyBytes,
    instanceId: line.instanceId,
    served: line.served,
    inFlight: line.inFlight,
    from: { vantage, client, edge, httpVersion: protocol },
  };
}

/** A line's times; where the client's clock was set back meanwhile there are none, and that is its error. */
export function timesOf({
  firstByteMs,
  lastByteMs,
  error,
}: Pick<ExchangeLine, "firstByteMs" | "lastByteMs" | "error">): Pick<
  Sample,
  "firstByteMs" | "lastByteMs" | "error"
> {
  const stepped = [firstByteMs, lastByteMs].some((ms) => ms !== null && ms < LEAST_MS);
  if (!stepped) return { firstByteMs, lastByteMs, error };
  const detail = "no time passed: the client's clock was set back";
  return { firstByteMs: null, lastByteMs: null, error: error ?? { kind: "connection", detail } };
}
