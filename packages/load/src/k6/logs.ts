import { UserError } from "@evenbench/core";
import { systemReason } from "@evenbench/core/user-file";
import { eachLine, type LinesEnd, openRegular } from "@evenbench/results";
import { type BeginLine, type EndLine, type LogLine, lineSchema, type SentLine } from "./lines.ts";

/**
 * Bytes of a line beyond which a file is no log: no line of ours is near this long, and it must not fill the
 * memory.
 */
const MAX_LOG_LINE_BYTES = 256 * 1024;
/** Bytes of a log that is read: about two and a half million requests. All of it is kept in memory. */
const MAX_LOG_BYTES = 1024 ** 3;
/** The beginning of a line that the script writes. */
const RAW = '{"evenbench":"';
/**
 * The beginning of such a line where it is quoted: once by k6's logfmt and JSON, twice by what keeps such lines in
 * JSON of its own.
 */
const QUOTED = /\{\\+"evenbench\\+":/;

/**
 * Reads a line of a log, whatever an engine, kubectl or a collector of logs has put before and around it.
 *
 * @returns "foreign" for a line that the script did not write, "broken" for one that it did and that cannot
 * be read.
 */
export function readLine(text: string): LogLine | "broken" | "foreign" {
  const raw = text.indexOf(RAW);
  const quoted = raw === -1 ? QUOTED.exec(text) : null;
  if (raw === -1 && quoted === null) {
    return "foreign";
  }
  try {
    const ours = quoted === null ? text.slice(raw).trimEnd() : unquoted(text.slice(quoted.index));
    return lineSchema.safeParse(JSON.parse(ours)).data ?? "broken";
  } catch {
    return "broken";
  }
}

/** Takes the quotes off a line, as often as it has them. @throws {SyntaxError} where its end is missing. */
function unquoted(text: string): string {
  const end = /^(?:[^"\\]|\\.)*(?=")/.exec(text)?.[0];
  const inner: string = JSON.parse(`"${end ?? '"'}"`);
  return inner.startsWith(RAW) ? inner : unquoted(inner);
}

/** Something that is wrong with logs. */
export interface Problem {
  /**
   * - "fatal": requests cannot be told apart, or belong to another measurement.
   * - "incomplete": requests are missing.
   * - "mixed": the clients spoke several versions of HTTP.
   */
  readonly kind: "fatal" | "incomplete" | "mixed";
  /** The problem in a whole sentence. */
  readonly sentence: string;
}

/** Makes a problem for which logs are always refused. */
export function fatal(sentence: string): Problem {
  return { kind: "fatal", sentence };
}

/** Makes a problem of requests that are missing. */
export function incomplete(sentence: string): Problem {
  return { kind: "incomplete", sentence };
}

/** The lines of one nonce: they may lie in several files, and one file may have those of several clients. */
interface Written {
  /** The file with the first of them. */
  readonly file: string;
  /** The first line; null where it is missing. */
  begin: BeginLine | null;
  /** The lines of requests, in their order. */
  readonly lines: SentLine[];
  /** The last line; null where it is missing. */
  end: EndLine | null;
  /** The reason in a sentence why the order of its lines cannot be right; null where it can. */
  wrong: string | null;
}

/** The log of one client. */
export interface ClientLog extends Written {
  readonly begin: BeginLine;
  /** The name in texts: "eu/1", or of a load "eu 1/4". */
  readonly name: string;
  /** The lack of the log, in words that go behind its name; null where it is whole. */
  readonly lacks: string | null;
}

/** The contents of some files of logs. */
export interface ReadLogs {
  /** The logs of clients, in the order in which they first appear. */
  readonly clients: readonly ClientLog[];
  /** The last line that the engine wrote by itself; empty where it wrote none. */
  readonly lastWords: string;
  /** All that is wrong with the files. */
  readonly problems: readonly Problem[];
}

/**
 * Reads the logs of clients. One file may have several clients' lines, and several files those of one client.
 *
 * @throws {UserError} where a file cannot be read or is no log.
 */
export async function readLogs(files: readonly string[]): Promise<ReadLogs> {
  const byNonce = new Map<string, Written>();
  const problems: Problem[] = [];
  let lastWords = "";
  for (const file of files) {
    const read = await readLog(file, (line) => take(byNonce, line, file));
    problems.push(...read.problems);
    lastWords = read.lastWords;
  }
  const clients: ClientLog[] = [];
  for (const written of byNonce.values()) {
    const { begin, lines, file, wrong } = written;
    if (begin === null) {
      const lost = `${lines.length} requests of a client whose begin line is missing, so their vantage is unknown`;
      problems.push(incomplete(`${file} lacks its beginning: ${lost}.`));
      continue;
    }
    const { vantage, client, part } = begin;
    const name = part === null ? `${vantage}/${client}` : `${vantage} ${part.index + 1}/${part.count}`;
    const lacks = lacksOf(written, begin);
    clients.push({ ...written, begin, name, lacks });
    if (wrong !== null) {
      problems.push(fatal(wrong));
    } else if (lacks !== null) {
      problems.push(incomplete(`${file}: the log of ${name} ${lacks}.`));
    }
  }
  return { clients, lastWords, problems: [...problems, ...sharedNames(clients), ...mixed(clients)] };
}

/** Reads one file up to its first damage, as a run's samples are read. */
async function readLog(file: string, takeOurs: (line: LogLine) => void): Promise<Omit<ReadLogs, "clients">> {
  let number = 0;
  let ours = 0;
  let isDamaged = false;
  let lastWords = "";
  const takeLine = (text: string): boolean => {
    number += 1;
    const line = readLine(text);
    isDamaged = line === "broken";
    if (line === "foreign") {
      lastWords = text.trim() || lastWords;
    } else if (line !== "broken") {
      ours += 1;
      takeOurs(line);
    }
    return !isDamaged;
  };
  const { rest, isTooLong } = await readLogLines(file, takeLine).catch((error) => {
    throw new UserError(`${file} cannot be read (${systemReason(error)}). Give the logs that clients wrote.`);
  });
  if (isTooLong) {
    throw new UserError(`${file} is not a log: a line of it has no end.`);
  }
  if (rest !== "") {
    takeLine(rest);
  }
  const words = lastWords === "" ? "it is empty" : `it ends with: ${lastWords.slice(0, 200)}`;
  const damage = `${file} is damaged: line ${number} is incomplete. Only what stands before it was read.`;
  const problems = [
    ...(isDamaged ? [incomplete(damage)] : []),
    ...(ours > 0 ? [] : [fatal(`${file} has no line of a client; ${words}`)]),
  ];
  return { lastWords, problems };
}

/** Reads the lines of a file. Logs come from others, too: nothing is read through a link or a pipe. */
async function readLogLines(file: string, takeLine: (text: string) => boolean): Promise<LinesEnd> {
  await using handle = await openRegular(file);
  const { size } = await handle.stat();
  if (size > MAX_LOG_BYTES) {
    throw new Error(`it has ${size} bytes, and the limit is ${MAX_LOG_BYTES}`);
  }
  const stream = handle.createReadStream({ highWaterMark: 1024 * 1024, autoClose: false });
  return await eachLine(stream, MAX_LOG_LINE_BYTES, takeLine);
}

/** Adds a line to the client that wrote it. */
function take(byNonce: Map<string, Written>, line: LogLine, file: string): void {
  const written = byNonce.get(line.nonce) ?? { file, begin: null, lines: [], end: null, wrong: null };
  byNonce.set(line.nonce, written);
  if (line.evenbench === "begin" && written.begin === null) {
    if (written.lines.length > 0) {
      written.wrong = `${written.file} goes on where ${file} ends: give ${file} first.`;
    }
    written.begin = line;
  } else if (line.evenbench === "begin" || written.end !== null) {
    const where = written.file === file ? file : `${written.file} and ${file}`;
    written.wrong ??= `${where} have lines of one client twice: a log was read twice. Give it once, from its start to its end.`;
  } else if (line.evenbench === "end") {
    written.end = line;
  } else {
    written.lines.push(line);
  }
}

/** Says what a client's log lacks, in words that go behind its name; null where it is whole. */
function lacksOf({ end, lines }: Written, { exchanges: planned }: BeginLine): string | null {
  const came = `${lines.length}${planned === null ? "" : ` of ${planned}`} requests`;
  if (end === null) {
    return `has no end: ${came} are there`;
  }
  if (end.exchanges !== lines.length) {
    return `has ${lines.length} requests, and its end line counts ${end.exchanges}`;
  }
  if (end.stopped !== null) {
    return `stopped after ${came}: ${end.stopped}`;
  }
  if (planned !== null && lines.length !== planned) {
    return `ended after ${came}, and does not say why`;
  }
  const failed = lines.filter(({ error }) => error !== null).length;
  if (end.failed !== failed) {
    return `counts ${end.failed} failed requests in its end line, and its lines have ${failed}`;
  }
  return null;
}

/** Finds different clients of one name: nothing says which one a request is of. */
function sharedNames(clients: readonly ClientLog[]): Problem[] {
  const shared = [...Map.groupBy(clients, ({ name }) => name)].filter(([, logs]) => logs.length > 1);
  return shared.map(([name, logs]) =>
    fatal(
      `${logs.map(({ file }) => file).join(" and ")} are of different clients that are both called ${name}. Leave out the log that was given up, or measure again with a name for each (EVENBENCH_VANTAGE, EVENBENCH_CLIENT).`,
    ),
  );
}

/** Finds whether the clients spoke several versions of HTTP. */
function mixed(clients: readonly ClientLog[]): Problem[] {
  const versions = new Map<string, Set<string>>();
  for (const { lines, name, begin } of clients) {
    for (const line of lines) {
      if (line.protocol === null) {
        continue;
      }
      const place = line.evenbench === "exchange" ? `${line.target} from ${begin.vantage}` : name;
      versions.set(line.protocol, (versions.get(line.protocol) ?? new Set()).add(place));
    }
  }
  if (versions.size < 2) {
    return [];
  }
  const each = [...versions].map(([version, where]) => `${version} (${[...where].join(", ")})`);
  const sentence = `Versions of HTTP are mixed: ${each.join("; ")}. Start every client with GODEBUG=http2client=0.`;
  return [{ kind: "mixed", sentence }];
}
