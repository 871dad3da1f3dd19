import type { BeginLine, EndLine, ExchangeLine, LogLine } from "../protocol/index.ts";
import { ClientLog } from "./client-log.ts";
import { readLog } from "./read-log.ts";

/** Something that is wrong with what was read, in a sentence. */
export interface Problem {
  /** "fatal": what it is about cannot be told apart, or is of another measurement. "mixed": versions of HTTP. */
  readonly kind: "fatal" | "incomplete" | "mixed";
  readonly sentence: string;
}

/** Lines of which nobody knows the client, since its begin line was not read before them. */
interface Headless {
  readonly file: string;
  readonly nonce: string;
  lines: number;
}

/** Gets every exchange whose client is known. */
export type TakeExchange = (line: ExchangeLine, client: ClientLog) => void;

/** What was read from the logs of a measurement: clients in the order in which they appear, and what is wrong. */
export class Logs {
  readonly #plan: string;
  readonly #take: TakeExchange;
  readonly #clients = new Map<string, ClientLog>();
  readonly #headless = new Map<string, Headless>();
  readonly #problems: Problem[] = [];
  /** Nonces of clients that had another plan. */
  readonly #foreign = new Set<string>();
  /** Versions of HTTP: of each, which target it answered where. */
  readonly #versions = new Map<string, Set<string>>();

  /** @param plan the hash of the plan that the logs are to be of. */
  constructor(plan: string, take: TakeExchange) {
    this.#plan = plan;
    this.#take = take;
  }

  get clients(): readonly ClientLog[] {
    return [...this.#clients.values()];
  }

  /** Reads one file. @throws {UserError} when it cannot be read. */
  async read(file: string): Promise<void> {
    let [ours, foreign] = [0, ""];
    const broken: number[] = [];
    const whole = await readLog(file, {
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
      this.#fatal(`${file} has no line of a client; ${said}`);
    }
  }

  #takeLine(line: LogLine, file: string): void {
    if (line.evenbench === "exchange") this.#takeExchange(line, file);
    else if (line.plan !== this.#plan) this.#otherPlan(line, file);
    else if (line.evenbench === "begin") this.#takeBegin(line, file);
    else this.#clients.get(line.nonce)?.finish(line, file);
  }

  #takeBegin(begin: BeginLine, file: string): void {
    const known = this.#clients.get(begin.nonce);
    if (known === undefined) this.#clients.set(begin.nonce, new ClientLog(begin, file, this.#clients.size));
    else known.beginAgain(file);
  }

  #takeExchange(line: ExchangeLine, file: string): void {
    const client = this.#clients.get(line.nonce);
    if (client === undefined) {
      const seen = this.#headless.get(line.nonce) ?? { file, nonce: line.nonce, lines: 0 };
      this.#headless.set(line.nonce, seen);
      seen.lines += 1;
      return;
    }
    if (!client.exchange(line, file)) return;
    if (line.protocol !== null) {
      const seen = this.#versions.get(line.protocol) ?? new Set();
      this.#versions.set(line.protocol, seen);
      seen.add(`${line.target} from ${client.begin.vantage}`);
    }
    this.#take(line, client);
  }

  /** Its exchanges are then of a client that nobody knows. */
  #otherPlan({ nonce, plan }: BeginLine | EndLine, file: string): void {
    if (this.#foreign.has(nonce)) return;
    this.#foreign.add(nonce);
    this.#fatal(
      `${file} is of another plan (${plan.slice(0, 12)}…, and this folder has ${this.#plan.slice(0, 12)}…): collect it with the folder that its client was started from.`,
    );
  }

  /** Everything that is wrong, once all is read. */
  problems(): readonly Problem[] {
    return [...this.#problems, ...this.#cutHeads(), ...this.#doubles(), ...this.#lacking(), ...this.#mixed()];
  }

  #cutHeads(): Problem[] {
    const unknown = [...this.#headless.values()].filter(({ nonce }) => !this.#foreign.has(nonce));
    return unknown.map(({ file, nonce, lines }) => {
      const known = this.#clients.get(nonce);
      return known === undefined
        ? incomplete(
            `${file} has a cut head: ${lines} exchanges of a client whose begin line is missing, so that nobody knows where they were measured.`,
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

  #mixed(): Problem[] {
    if (this.#versions.size < 2) return [];
    const each = [...this.#versions].map(([version, where]) => `${version} (${[...where].join(", ")})`);
    const sentence = `Versions of HTTP are mixed: ${each.join("; ")}. Start every client with GODEBUG=http2client=0.`;
    return [{ kind: "mixed", sentence }];
  }

  #fatal(sentence: string): void {
    this.#problems.push(fatal(sentence));
  }

  #incomplete(sentence: string): void {
    this.#problems.push(incomplete(sentence));
  }
}

function fatal(sentence: string): Problem {
  return { kind: "fatal", sentence };
}

function incomplete(sentence: string): Problem {
  return { kind: "incomplete", sentence };
}
