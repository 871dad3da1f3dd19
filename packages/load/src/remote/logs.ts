import { createReadStream } from "node:fs";
import { UserError } from "@evenbench/core";
import { eachLine, systemReason } from "@evenbench/results";
import { type BeginLine, type EndLine, type LogLine, lineSchema, type SentLine } from "./lines.ts";

/** No line of ours is near this long; more without a line's end is no log, and must not fill the memory. */
const MOST_BYTES = 256 * 1024;
const RAW = '{"evenbench":"';
/** Quoted by k6's logfmt and JSON once, by what keeps such lines in JSON of its own twice. */
const QUOTED = /\{\\+"evenbench\\+":/;

/** One of ours, whatever an engine, kubectl or a collector of logs has put before and around it. */
export function readLine(text: string): LogLine | "broken" | "foreign" {
  const raw = text.indexOf(RAW);
  const quoted = raw === -1 ? QUOTED.exec(text) : null;
  if (raw === -1 && quoted === null) return "foreign";
  const ours = quoted === null ? text.slice(raw).trimEnd() : unquoted(text.slice(quoted.index));
  try {
    return lineSchema.safeParse(JSON.parse(ours ?? "")).data ?? "broken";
  } catch {
    return "broken";
  }
}

function unquoted(text: string): string | null {
  const end = /^(?:[^"\\]|\\.)*(?=")/.exec(text)?.[0];
  if (end === undefined) return null;
  try {
    const inner: string = JSON.parse(`"${end}"`);
    return inner.startsWith(RAW) ? inner : unquoted(inner);
  } catch {
    return null;
  }
}

/** "fatal": what it is about cannot be told apart, or is of another measurement. "mixed": versions of HTTP. */
export interface Problem {
  readonly kind: "fatal" | "incomplete" | "mixed";
  readonly sentence: string;
}

const fatal = (sentence: string): Problem => ({ kind: "fatal", sentence });
export const incomplete = (sentence: string): Problem => ({ kind: "incomplete", sentence });

export class ClientLog {
  readonly begin: BeginLine;
  readonly file: string;
  readonly index: number;
  /** Of its requests. */
  readonly lines: SentLine[] = [];
  end: EndLine | null = null;
  twice: string | null = null;

  constructor(begin: BeginLine, file: string, index: number) {
    this.begin = begin;
    this.file = file;
    this.index = index;
  }

  get name(): string {
    const { vantage, client, part } = this.begin;
    return part === null ? `${vantage}/${client}` : `${vantage} ${part.index + 1}/${part.of}`;
  }

  get lacks(): string | null {
    const { end, lines, begin } = this;
    const planned = begin.exchanges;
    const came = `${lines.length}${planned === null ? "" : ` of ${planned}`} requests`;
    if (end === null) return `has no end: ${came} are there`;
    if (end.exchanges !== lines.length)
      return `has ${lines.length} requests, and its end line counts ${end.exchanges}`;
    if (end.stopped !== null) return `stopped after ${came}: ${end.stopped}`;
    if (planned !== null && lines.length !== planned) return `ended after ${came}, and does not say why`;
    const failed = lines.filter(({ error }) => error !== null).length;
    if (end.failed !== failed)
      return `counts ${end.failed} failed requests in its end line, and its lines have ${failed}`;
    return null;
  }

  problems(plan: string): readonly Problem[] {
    const { name, file, lacks, twice, begin } = this;
    if (begin.plan !== plan)
      return [
        fatal(
          `${file} is of another plan (${begin.plan.slice(0, 12)}…, and this folder has ${plan.slice(0, 12)}…): collect it with the folder that its client was started from.`,
        ),
      ];
    if (twice === file)
      return [fatal(`${file} has lines of ${name} twice. Take its log again, from its start to its end.`)];
    if (twice !== null)
      return [
        fatal(`${file} and ${twice} have the same lines of ${name}: a log was read twice. Give it once.`),
      ];
    return lacks === null ? [] : [incomplete(`${file}: the log of ${name} ${lacks}.`)];
  }
}

/** What one client wrote may lie in several files, and one file may have the lines of several clients. */
export class Logs {
  /** The last words of an engine itself. */
  said = "";
  readonly #clients = new Map<string, ClientLog>();
  /** Lines of which nobody knows the client, since its begin line was not read before them. */
  readonly #headless: { readonly nonce: string; readonly file: string }[] = [];
  readonly #problems: Problem[] = [];

  static async read(files: readonly string[]): Promise<Logs> {
    const logs = new Logs();
    for (const file of files) await logs.#read(file);
    return logs;
  }

  get clients(): readonly ClientLog[] {
    return [...this.#clients.values()];
  }

  /** Up to the first damage, as a run's samples are read. */
  async #read(file: string): Promise<void> {
    let [number, ours, isDamaged] = [0, 0, false];
    this.said = "";
    const takeLine = (text: string): boolean => {
      number += 1;
      const line = readLine(text);
      isDamaged = line === "broken";
      if (line === "foreign") this.said = text.trim() || this.said;
      else if (line !== "broken") {
        ours += 1;
        this.#take(line, file);
      }
      return !isDamaged;
    };
    const stream = createReadStream(file, { highWaterMark: 1024 * 1024 });
    const { rest, isTooLong } = await eachLine(stream, MOST_BYTES, takeLine).catch((error) => {
      throw new UserError(
        `${file} cannot be read (${systemReason(error)}). Give the logs that clients wrote.`,
      );
    });
    if (isTooLong) throw new UserError(`${file} is not a log: a line of it has no end.`);
    if (rest !== "") takeLine(rest);
    if (isDamaged)
      this.#problems.push(
        incomplete(`${file} is damaged: line ${number} is incomplete. Only what stands before it was read.`),
      );
    if (ours > 0) return;
    const said = this.said === "" ? "it is empty" : `it ends with: ${this.said.slice(0, 200)}`;
    this.#problems.push(fatal(`${file} has no line of a client; ${said}`));
  }

  #take(line: LogLine, file: string): void {
    const client = this.#clients.get(line.nonce);
    if (client === undefined) {
      if (line.evenbench === "begin")
        this.#clients.set(line.nonce, new ClientLog(line, file, this.#clients.size));
      else if (line.evenbench !== "end") this.#headless.push({ nonce: line.nonce, file });
    } else if (line.evenbench === "begin" || client.end !== null) client.twice ??= file;
    else if (line.evenbench === "end") client.end = line;
    else client.lines.push(line);
  }

  /** @param plan the hash of the plan that they should be of. */
  problems(plan: string): readonly Problem[] {
    const own = this.clients.flatMap((client) => client.problems(plan));
    return [...this.#problems, ...this.#cutHeads(), ...this.#sharedNames(), ...own, ...this.#mixed()];
  }

  #cutHeads(): Problem[] {
    return [...Map.groupBy(this.#headless, ({ nonce }) => nonce)].map(([nonce, lines]) => {
      const [file, known] = [lines[0]?.file, this.#clients.get(nonce)];
      return known === undefined
        ? incomplete(
            `${file} lacks its beginning: ${lines.length} requests of a client whose begin line is missing, so their vantage is unknown.`,
          )
        : fatal(`${file} goes on where ${known.file} ends: give ${known.file} first.`);
    });
  }

  #sharedNames(): Problem[] {
    const shared = [...Map.groupBy(this.clients, ({ name }) => name)].filter(([, own]) => own.length > 1);
    return shared.map(([name, own]) =>
      fatal(
        `${own.map(({ file }) => file).join(" and ")} are of different clients that are both called ${name}. Leave out the log that was given up, or measure again with a name for each (EVENBENCH_VANTAGE, EVENBENCH_CLIENT).`,
      ),
    );
  }

  #mixed(): Problem[] {
    const versions = new Map<string, Set<string>>();
    for (const { lines, name, begin } of this.clients)
      for (const line of lines) {
        if (line.protocol === null) continue;
        const places = versions.get(line.protocol) ?? new Set();
        const place = line.evenbench === "exchange" ? `${line.target} from ${begin.vantage}` : name;
        versions.set(line.protocol, places.add(place));
      }
    if (versions.size < 2) return [];
    const each = [...versions].map(([version, where]) => `${version} (${[...where].join(", ")})`);
    const sentence = `Versions of HTTP are mixed: ${each.join("; ")}. Start every client with GODEBUG=http2client=0.`;
    return [{ kind: "mixed", sentence }];
  }
}
