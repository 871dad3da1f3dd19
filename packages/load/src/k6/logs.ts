import { UserError } from "@evenbench/core";
import { eachLine, openRegular, systemReason } from "@evenbench/results";
import { type BeginLine, type EndLine, type LogLine, lineSchema, type SentLine } from "./lines.ts";

/** No line of ours is near this long; more without a line's end is no log, and must not fill the memory. */
const MOST_BYTES = 256 * 1024;
/** About two and a half million requests; all of a log is kept in memory. */
const MOST_LOG_BYTES = 1024 ** 3;
const RAW = '{"evenbench":"';
/** Quoted by k6's logfmt and JSON once, by what keeps such lines in JSON of its own twice. */
const QUOTED = /\{\\+"evenbench\\+":/;

/** One of ours, whatever an engine, kubectl or a collector of logs has put before and around it. */
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

/** @throws where its end is missing. */
function unquoted(text: string): string {
  const end = /^(?:[^"\\]|\\.)*(?=")/.exec(text)?.[0];
  const inner: string = JSON.parse(`"${end ?? '"'}"`);
  return inner.startsWith(RAW) ? inner : unquoted(inner);
}

/** "fatal": what it is about cannot be told apart, or is of another measurement. "mixed": versions of HTTP. */
export interface Problem {
  readonly kind: "fatal" | "incomplete" | "mixed";
  readonly sentence: string;
}

export function fatal(sentence: string): Problem {
  return { kind: "fatal", sentence };
}

export function incomplete(sentence: string): Problem {
  return { kind: "incomplete", sentence };
}

/** The lines of one nonce: they may lie in several files, and one file may have those of several clients. */
interface Written {
  readonly file: string;
  begin: BeginLine | null;
  readonly lines: SentLine[];
  end: EndLine | null;
  /** Of the order in which its lines were read. */
  wrong: string | null;
}

export interface ClientLog extends Written {
  readonly begin: BeginLine;
  readonly name: string;
  readonly lacks: string | null;
}

/** @returns `lastWords`: the last words of an engine itself. */
export async function readLogs(files: readonly string[]) {
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

/** Up to the first damage, as a run's samples are read. */
async function readLog(file: string, takeOurs: (line: LogLine) => void) {
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
  const { rest, isTooLong } = await linesOf(file, takeLine).catch((error) => {
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

/** Logs come from others, too: nothing is read through a link or a pipe. */
async function linesOf(file: string, takeLine: (text: string) => boolean): ReturnType<typeof eachLine> {
  await using handle = await openRegular(file);
  const { size } = await handle.stat();
  if (size > MOST_LOG_BYTES) {
    throw new Error(`it has ${size} bytes, and the limit is ${MOST_LOG_BYTES}`);
  }
  const stream = handle.createReadStream({ highWaterMark: 1024 * 1024, autoClose: false });
  return await eachLine(stream, MOST_BYTES, takeLine);
}

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

function sharedNames(clients: readonly ClientLog[]): Problem[] {
  const shared = [...Map.groupBy(clients, ({ name }) => name)].filter(([, logs]) => logs.length > 1);
  return shared.map(([name, logs]) =>
    fatal(
      `${logs.map(({ file }) => file).join(" and ")} are of different clients that are both called ${name}. Leave out the log that was given up, or measure again with a name for each (EVENBENCH_VANTAGE, EVENBENCH_CLIENT).`,
    ),
  );
}

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
