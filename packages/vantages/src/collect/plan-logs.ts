import { mkdtemp, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import {
  createRunFolder,
  ResultsError,
  type Run,
  type RunEvent,
  type RunFolder,
  SAMPLES_FILE,
  systemReason,
} from "@evenbench/results";
import type { z } from "zod";
import { readLog } from "./read-log.ts";

export interface Problem {
  /**
   * "fatal": what it is about cannot be told apart, or is of another measurement. "mixed": versions of
   * HTTP.
   */
  readonly kind: "fatal" | "incomplete" | "mixed";
  readonly sentence: string;
}

/**
 * What lines of a log have at least: a plan's hash in the first and the last one of a client, its nonce in
 * all.
 */
export interface BeginShape {
  readonly evenbench: "begin";
  readonly plan: string;
  readonly nonce: string;
}
export interface ExchangeShape {
  readonly evenbench: "exchange";
  readonly nonce: string;
}
export interface EndShape {
  readonly evenbench: "end";
  readonly plan: string;
  readonly nonce: string;
}

export interface PlanClient<X, E> {
  readonly name: string;
  readonly file: string;
  readonly twice: string | null;
  readonly lacks: string | null;
  exchange(line: X, file: string): boolean;
  beginAgain(file: string): void;
  finish(end: E, file: string): void;
}

export interface PlanLogsOptions<B, X, E, C> {
  readonly plan: string;
  readonly schema: z.ZodType<B | X | E>;
  clientOf(begin: B, file: string, index: number): C;
  take(line: X, client: C): void;
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
  C extends PlanClient<X, E>,
> {
  readonly #options: PlanLogsOptions<B, X, E, C>;
  readonly #clients = new Map<string, C>();
  readonly #headless = new Map<string, Headless>();
  readonly #problems: Problem[] = [];
  readonly #foreign = new Set<string>();

  constructor(options: PlanLogsOptions<B, X, E, C>) {
    this.#options = options;
  }

  get clients(): readonly C[] {
    return [...this.#clients.values()];
  }

  async read(file: string): Promise<void> {
    let [ours, foreign] = [0, ""];
    const broken: number[] = [];
    const whole = await readLog(file, {
      schema: this.#options.schema,
      take: (line) => {
        ours += 1;
        this.#takeLine(line, file);
      },
      broken: (number) => broken.push(number),
      foreign: (text) => {
        if (text.trim() !== "") foreign = text.trim();
      },
    });
    const torn = whole ? undefined : broken.pop();
    if (torn !== undefined)
      this.#incomplete(`${file} has a torn tail: its last line, ${torn}, is not whole.`);
    if (broken.length > 0)
      this.#incomplete(`${file} has ${broken.length} damaged lines, the first is line ${broken[0]}.`);
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
    else known.beginAgain(file);
  }

  #takeExchange(line: X, file: string): void {
    const client = this.#clients.get(line.nonce);
    if (client !== undefined) {
      if (client.exchange(line, file)) this.#options.take(line, client);
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
    return [...this.#problems, ...this.#cutHeads(), ...this.#doubles(), ...this.#lacking()];
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

  #incomplete(sentence: string): void {
    this.#problems.push(incomplete(sentence));
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

export class HttpVersions {
  readonly #seen = new Map<string, Set<string>>();

  see(protocol: string | null, where: string): void {
    if (protocol === null) return;
    const places = this.#seen.get(protocol) ?? new Set();
    this.#seen.set(protocol, places);
    places.add(where);
  }

  problems(): readonly Problem[] {
    if (this.#seen.size < 2) return [];
    const each = [...this.#seen].map(([version, where]) => `${version} (${[...where].join(", ")})`);
    const sentence = `Versions of HTTP are mixed: ${each.join("; ")}. Start every client with GODEBUG=http2client=0.`;
    return [{ kind: "mixed", sentence }];
  }
}

/**
 * What a run's record says of problems that were let pass. Nothing is missing where versions of HTTP are
 * mixed.
 */
export function outcomeOf(problems: readonly Problem[]): Pick<Run, "status" | "events"> {
  const isWhole = problems.every(({ kind }) => kind === "mixed");
  return { status: isWhole ? "complete" : "interrupted", events: problems.map(eventOf) };
}

function eventOf({ kind, sentence }: Problem): RunEvent {
  const what = kind === "mixed" ? "mixed-http" : "vantage-incomplete";
  return { atMs: 0, kind: what, caseId: null, target: null, trial: null, detail: sentence };
}

export function refuse(problems: readonly Problem[], anyway: boolean): void {
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

/** A run that is not made yet: its samples wait here until all logs were found to be good. */
export interface CollectingFolder {
  readonly folder: string;
  become(startedAt: Date): Promise<RunFolder>;
}

export async function collecting<T>(out: string, work: (folder: CollectingFolder) => Promise<T>): Promise<T> {
  const folder = await makeDraft(out);
  try {
    return await work({
      folder,
      async become(startedAt) {
        const made = await createRunFolder(out, startedAt);
        await rename(join(folder, SAMPLES_FILE), join(made.folder, SAMPLES_FILE));
        return made;
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
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
