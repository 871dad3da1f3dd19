import { mkdtemp, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import {
  createRunFolder,
  ResultsError,
  type Run,
  type RunEvent,
  SAMPLES_FILE,
  systemReason,
} from "@evenbench/results";
import type { z } from "zod";
import type { BeginLine, EndLine, ExchangeLine } from "../protocol/line.ts";
import { readLog } from "./read-log.ts";

export interface Problem {
  /**
   * "fatal": what it is about cannot be told apart, or is of another measurement. "mixed": versions of
   * HTTP.
   */
  readonly kind: "fatal" | "incomplete" | "mixed";
  readonly sentence: string;
}

type BeginShape = Pick<BeginLine, "evenbench" | "plan" | "nonce" | "startedAt">;
type ExchangeShape = Pick<ExchangeLine, "evenbench" | "nonce" | "protocol">;
type EndShape = Pick<EndLine, "evenbench" | "plan" | "nonce">;

export abstract class ClientLog<B extends BeginShape, X extends ExchangeShape, E extends EndShape> {
  readonly begin: B;
  readonly file: string;
  end: E | null = null;
  twice: string | null = null;

  constructor(begin: B, file: string) {
    this.begin = begin;
    this.file = file;
  }

  abstract get name(): string;
  abstract get lacks(): string | null;
  /** @returns whether the line is new. */
  abstract exchange(line: X, file: string): boolean;

  finish(end: E, file: string): void {
    if (this.end !== null) this.twice ??= file;
    this.end = end;
  }
}

export interface PlanLogsOptions<B, X, E, C> {
  readonly plan: string;
  readonly schema: z.ZodType<B | X | E>;
  clientOf(begin: B, file: string, index: number): C;
  take(line: X, client: C): void;
  /** Where a line was measured, as far as versions of HTTP go. */
  placeOf(line: X, client: C): string;
}

/** Lines of which nobody knows the client, since its begin line was not read before them. */
interface Headless {
  readonly file: string;
  readonly nonce: string;
  lines: number;
}

export class PlanLogs<
  B extends BeginShape,
  X extends ExchangeShape,
  E extends EndShape,
  C extends ClientLog<B, X, E>,
> {
  readonly #options: PlanLogsOptions<B, X, E, C>;
  readonly #clients = new Map<string, C>();
  readonly #headless = new Map<string, Headless>();
  readonly #problems: Problem[] = [];
  readonly #foreign = new Set<string>();
  readonly #versions = new Map<string, Set<string>>();

  constructor(options: PlanLogsOptions<B, X, E, C>) {
    this.#options = options;
  }

  get clients(): readonly C[] {
    return [...this.#clients.values()];
  }

  async read(file: string): Promise<void> {
    let [ours, foreign] = [0, ""];
    const damaged = await readLog(file, {
      schema: this.#options.schema,
      take: (line) => {
        ours += 1;
        this.#takeLine(line, file);
      },
      foreign: (text) => {
        if (text.trim() !== "") foreign = text.trim();
      },
    });
    if (damaged !== null)
      this.#problems.push(
        incomplete(`${file} is damaged: line ${damaged} is not whole. Only what stands before it was read.`),
      );
    if (ours === 0) {
      const said = foreign === "" ? "it is empty" : `it ends with: ${foreign.slice(0, 200)}`;
      this.#problems.push(fatal(`${file} has no line of a client; ${said}`));
    }
  }

  #takeLine(line: B | X | E, file: string): void {
    if (isExchange(line)) this.#takeExchange(line, file);
    else if (line.plan !== this.#options.plan) this.#otherPlan(line, file);
    else if (isBegin(line)) this.#takeBegin(line, file);
    else this.#clients.get(line.nonce)?.finish(line, file);
  }

  #takeBegin(begin: B, file: string): void {
    const known = this.#clients.get(begin.nonce);
    if (known === undefined)
      this.#clients.set(begin.nonce, this.#options.clientOf(begin, file, this.#clients.size));
    else known.twice ??= file;
  }

  #takeExchange(line: X, file: string): void {
    const client = this.#clients.get(line.nonce);
    if (client !== undefined) {
      if (client.exchange(line, file)) {
        this.#seeVersion(line, client);
        this.#options.take(line, client);
      }
      return;
    }
    const seen = this.#headless.get(line.nonce) ?? { file, nonce: line.nonce, lines: 0 };
    this.#headless.set(line.nonce, seen);
    seen.lines += 1;
  }

  #otherPlan({ nonce, plan }: BeginShape | EndShape, file: string): void {
    if (this.#foreign.has(nonce)) return;
    this.#foreign.add(nonce);
    this.#problems.push(
      fatal(
        `${file} is of another plan (${plan.slice(0, 12)}…, and this folder has ${this.#options.plan.slice(0, 12)}…): collect it with the folder that its client was started from.`,
      ),
    );
  }

  problems(): readonly Problem[] {
    return [...this.#problems, ...this.#cutHeads(), ...this.#doubles(), ...this.#lacking(), ...this.#mixed()];
  }

  #cutHeads(): Problem[] {
    const unknown = [...this.#headless.values()].filter(({ nonce }) => !this.#foreign.has(nonce));
    return unknown.map(({ file, nonce, lines }) => {
      const known = this.#clients.get(nonce);
      return known === undefined
        ? incomplete(
            `${file} has a cut head: ${lines} requests of a client whose begin line is missing, so that nobody knows where they were measured.`,
          )
        : fatal(`${file} goes on where ${known.file} ends: give ${known.file} first.`);
    });
  }

  #doubles(): Problem[] {
    const twice = this.clients.flatMap(({ name, file, twice: again }) =>
      again === null
        ? []
        : [
            fatal(
              again === file
                ? `${file} has lines of ${name} twice. Take its log again, from its start to its end.`
                : `${file} and ${again} have the same lines of ${name}: a log was read twice. Give it once.`,
            ),
          ],
    );
    const named = [...Map.groupBy(this.clients, ({ name }) => name)].filter(([, own]) => own.length > 1);
    const shared = named.map(([name, own]) =>
      fatal(
        `${own.map(({ file }) => file).join(" and ")} are of different clients that are both called ${name}. Leave out the log that was given up, or measure again with a name for each (EVENBENCH_VANTAGE, EVENBENCH_CLIENT).`,
      ),
    );
    return [...twice, ...shared];
  }

  #lacking(): Problem[] {
    return this.clients.flatMap(({ name, file, lacks, twice }) =>
      lacks === null || twice !== null ? [] : [incomplete(`${file}: the log of ${name} ${lacks}.`)],
    );
  }

  #seeVersion(line: X, client: C): void {
    if (line.protocol === null) return;
    const places = this.#versions.get(line.protocol) ?? new Set();
    this.#versions.set(line.protocol, places.add(this.#options.placeOf(line, client)));
  }

  #mixed(): Problem[] {
    if (this.#versions.size < 2) return [];
    const each = [...this.#versions].map(([version, where]) => `${version} (${[...where].join(", ")})`);
    const sentence = `Versions of HTTP are mixed: ${each.join("; ")}. Start every client with GODEBUG=http2client=0.`;
    return [{ kind: "mixed", sentence }];
  }
}

function isExchange<X extends ExchangeShape>(line: X | BeginShape | EndShape): line is X {
  return line.evenbench === "exchange";
}

function isBegin<B extends BeginShape>(line: B | EndShape): line is B {
  return line.evenbench === "begin";
}

function fatal(sentence: string): Problem {
  return { kind: "fatal", sentence };
}

export function incomplete(sentence: string): Problem {
  return { kind: "incomplete", sentence };
}

export function outcomeOf(problems: readonly Problem[]): Pick<Run, "status" | "events"> {
  const isWhole = problems.every(({ kind }) => kind === "mixed");
  return { status: isWhole ? "complete" : "interrupted", events: problems.map(eventOf) };
}

function eventOf({ kind, sentence }: Problem): RunEvent {
  const what = kind === "mixed" ? "mixed-http" : "vantage-incomplete";
  return { atMs: 0, kind: what, caseId: null, target: null, trial: null, detail: sentence };
}

function refuse(problems: readonly Problem[], anyway: boolean): void {
  const refused = problems.filter(({ kind }) => kind === "fatal" || !anyway);
  if (refused.length === 0) return;
  const lines = refused.map(({ sentence }) => sentence);
  const canGoOn = problems.every(({ kind }) => kind !== "fatal");
  const next = canGoOn ? " --anyway makes a run of what is there, and the report says what is missing." : "";
  throw new UserError(
    lines.length === 1
      ? `${lines[0]}${next}`
      : `${lines.length} things are wrong with these logs.${next}\n${lines.map((line) => `  ${line}`).join("\n")}`,
  );
}

export interface CollectTerms {
  readonly logs: readonly string[];
  readonly out: string;
  /** Whether logs that are not whole, or mix versions of HTTP, make a run all the same: one that says so. */
  readonly anyway?: boolean;
}

export interface Collected<R> {
  readonly folder: string;
  readonly run: R;
  readonly problems: readonly string[];
}

interface Draft<R> {
  readonly clients: readonly { readonly begin: BeginShape }[];
  readonly problems: readonly Problem[];
  make(startedAt: string): R;
  write(folder: string, run: R): Promise<void>;
}

/** Makes a run's folder of logs. `read` puts their samples into a draft, which is gone whatever comes. */
export async function collecting<R extends { readonly id: string }>(
  { logs, out, anyway = false }: CollectTerms,
  read: (draft: string) => Promise<Draft<R>>,
): Promise<Collected<R>> {
  if (logs.length === 0)
    throw new UserError("There is no log to collect. Name the files that clients wrote.");
  const draft = await makeDraft(out);
  try {
    const { clients, problems, make, write } = await read(draft);
    refuse(problems, anyway);
    const startedAt = clients.map(({ begin }) => begin.startedAt).sort()[0];
    if (startedAt === undefined)
      throw new UserError("No log has a client's begin line, so nothing can be collected.");
    const { folder, id } = await createRunFolder(out, new Date(startedAt));
    await rename(join(draft, SAMPLES_FILE), join(folder, SAMPLES_FILE));
    const run = { ...make(startedAt), id };
    await write(folder, run);
    return { folder, run, problems: problems.map(({ sentence }) => sentence) };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function makeDraft(out: string): Promise<string> {
  try {
    makeFolder(out);
    return await mkdtemp(join(resolve(out), ".collect-"));
  } catch (error) {
    throw new ResultsError(
      `Cannot write results to ${out}: ${systemReason(error)}. Give a folder that can be written to: --out <folder>.`,
    );
  }
}
