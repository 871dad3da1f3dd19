import { UserError } from "@evenbench/core";
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
import { collecting, HttpVersions, outcomeOf, PlanLogs, type Problem, refuse } from "./plan-logs.ts";

const BATCH = 1000;

export interface CollectOptions {
  readonly plan: VantagePlan;
  readonly hash: string;
  readonly logs: readonly string[];
  readonly out: string;
  /** Whether logs that are not whole, or mix versions of HTTP, make a run all the same: one that says so. */
  readonly anyway?: boolean;
}

export interface Collected {
  readonly folder: string;
  readonly run: Run;
  readonly problems: readonly string[];
}

/**
 * Makes a run's folder of the logs that clients wrote: `run.json` and `samples.ndjson`, as any run has
 * them. Logs are read line by line.
 */
export async function collectLogs({
  plan,
  hash,
  logs,
  out,
  anyway = false,
}: CollectOptions): Promise<Collected> {
  if (logs.length === 0)
    throw new UserError("There is no log to collect. Name the files that clients wrote.");
  return collecting(out, async (unfinished) => {
    const writer = new SampleWriter(unfinished.folder);
    const found = new Logs(hash, writerFor(writer, plan));
    for (const log of logs) await found.read(log);
    writer.close();
    const problems = found.problems();
    refuse(problems, anyway);
    const run = runOf(plan, found.clients, problems, writer.written);
    const { folder, id } = await unfinished.become(new Date(run.startedAt));
    await writeRun(folder, { ...run, id });
    return { folder, run: { ...run, id }, problems: problems.map(({ sentence }) => sentence) };
  });
}

function writerFor(writer: SampleWriter, plan: VantagePlan): TakeExchange {
  let queued = 0;
  return (line, client) => {
    writer.append(sampleOf(line, client.begin, firstTrialOf(client, plan)));
    queued += 1;
    if (queued % BATCH === 0) writer.flush();
  };
}

function runOf(
  plan: VantagePlan,
  clients: readonly ClientLog[],
  problems: readonly Problem[],
  samples: SamplesDigest,
): Run {
  const startedAt = clients.map(({ begin }) => begin.startedAt).sort()[0];
  if (startedAt === undefined)
    throw new UserError("No log has a client's begin line, so nothing can be collected.");
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

function clientOf(client: ClientLog, plan: VantagePlan): VantageClient {
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
function firstTrialOf({ index }: ClientLog, { run }: VantagePlan): number {
  return index * run.trials.maximum;
}

class ClientLog {
  readonly begin: BeginLine;
  readonly file: string;
  readonly index: number;
  #end: EndLine | null = null;
  #next = 0;
  #logged = 0;
  #failed = 0;
  #gaps = 0;
  #twice: string | null = null;

  constructor(begin: BeginLine, file: string, index: number) {
    this.begin = begin;
    this.file = file;
    this.index = index;
  }

  get name(): string {
    return `${this.begin.vantage}/${this.begin.client}`;
  }

  get logged(): number {
    return this.#logged;
  }

  get end(): EndLine | null {
    return this.#end;
  }

  get twice(): string | null {
    return this.#twice;
  }

  exchange({ seq, error }: ExchangeLine, file: string): boolean {
    if (seq < this.#next || this.#end !== null) {
      this.#twice ??= file;
      return false;
    }
    this.#gaps += seq - this.#next;
    this.#next = seq + 1;
    this.#logged += 1;
    if (error !== null) this.#failed += 1;
    return true;
  }

  beginAgain(file: string): void {
    this.#twice ??= file;
  }

  finish(end: EndLine, file: string): void {
    if (this.#end !== null) this.#twice ??= file;
    this.#end = end;
  }

  get lacks(): string | null {
    const { exchanges: planned } = this.begin;
    const end = this.#end;
    if (end === null)
      return `has no end: ${this.#logged} of ${planned} requests are there${this.#gaps > 0 ? `, with ${this.#gaps} missing in between` : ""}`;
    if (this.#logged !== end.exchanges)
      return `lacks ${end.exchanges - this.#logged} of the ${end.exchanges} requests that its end line counts`;
    if (end.stopped !== null) return `stopped after ${end.exchanges} of ${planned} requests: ${end.stopped}`;
    if (end.exchanges !== planned)
      return `ended after ${end.exchanges} of ${planned} requests, and does not say why`;
    if (end.failed !== this.#failed)
      return `counts ${end.failed} failed requests in its end line, and its lines have ${this.#failed}`;
    return null;
  }
}

type TakeExchange = (line: ExchangeLine, client: ClientLog) => void;

class Logs {
  readonly #logs: PlanLogs<BeginLine, ExchangeLine, EndLine, ClientLog>;
  readonly #versions = new HttpVersions();

  constructor(plan: string, take: TakeExchange) {
    this.#logs = new PlanLogs<BeginLine, ExchangeLine, EndLine, ClientLog>({
      plan,
      schema: lineSchema,
      clientOf: (begin, file, index) => new ClientLog(begin, file, index),
      take: (line, client) => {
        this.#versions.see(line.protocol, `${line.target} from ${client.begin.vantage}`);
        take(line, client);
      },
    });
  }

  get clients(): readonly ClientLog[] {
    return this.#logs.clients;
  }

  read(file: string): Promise<void> {
    return this.#logs.read(file);
  }

  problems(): readonly Problem[] {
    return [...this.#logs.problems(), ...this.#versions.problems()];
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
