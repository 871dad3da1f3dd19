import { type CaseManifest, formatDuration, terminalLine } from "@evenbench/core";
import type { Progress } from "@evenbench/runner";
import stringWidth from "string-width";

/** Columns of a terminal without a size, which says 0. */
const USUAL_COLUMNS = 80;

/** Words of preflight, of a run and of a load. */
export const CHECKING = "checking that all targets send the same bytes";

const WORDS = {
  preflight: CHECKING,
  start: "starting",
  warmup: "warming up",
  measure: "measuring",
  transfer: "measuring the transfer time",
  cold: "cold starts",
  memory: "reading memory",
  startUp: "measuring starts",
  stop: "stopping",
};

/** The text of a display of progress. */
export interface Shown {
  readonly text: string;
  /** The step: without a terminal, each new one is a line; null is none. */
  readonly key: string | null;
  /** That line. Default: the text. */
  readonly line?: string;
}

/** The part of a stream to a terminal that a display needs. */
interface DisplayStream extends Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns" | "rows">> {
  write(text: string): unknown;
}

/** A display of progress. */
export interface ProgressDisplay {
  /** Shows a text in the place of the one before. */
  show(shown: Shown): void;
  /**
   * Sets lines that stand above the text; each call replaces those before. Without a terminal they are written once.
   */
  stand(lines: readonly string[]): void;
  /** Removes all that is shown. */
  clear(): void;
}

/** Makes a display of progress. It writes only when it is called: a timer would fire inside timed exchanges. */
export function progressDisplay(
  stream: DisplayStream = process.stderr,
  environment: NodeJS.ProcessEnv = process.env,
): ProgressDisplay {
  // A dumb terminal cannot go back: it gets lines, as a file does.
  const rewrites = stream.isTTY && environment.TERM !== "dumb";
  const columns = () => stream.columns || USUAL_COLUMNS;
  let lastKey: string | null = null;
  let standing: readonly string[] = [];
  let drawn: readonly string[] = [];
  const erase = () => {
    // A terminal that was made narrower since has broken what was drawn into more rows.
    const rows = drawn.reduce((sum, line) => sum + terminalRowsOf(line, columns()), 0);
    if (rows > 0) {
      stream.write(`\r${rows > 1 ? `\u001b[${rows - 1}A` : ""}\u001b[J`);
    }
    drawn = [];
  };
  return {
    show(shown: Shown) {
      const { key } = shown;
      const text = terminalLine(shown.text);
      if (rewrites) {
        // What is higher than the terminal cannot be rewritten in place.
        const above = standing.length + 1 < (stream.rows || 0) ? standing : [];
        const lines = [...above, text].map((line) => cutToColumns(line, columns() - 1));
        erase();
        stream.write(lines.join("\n"));
        drawn = lines;
      } else if (key !== null && key !== lastKey) {
        stream.write(`${terminalLine(shown.line ?? text)}\n`);
      }
      lastKey = key ?? lastKey;
    },
    stand(lines: readonly string[]) {
      standing = lines;
      if (!rewrites) {
        stream.write(lines.map((line) => `${line}\n`).join(""));
      }
    },
    clear() {
      if (rewrites) {
        erase();
      }
    },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours begin with.
const COLOUR = /(\u001b\[[\d;]*m)/;

/** Cuts a line to some columns, and keeps all of its colours, so that none is left on. */
function cutToColumns(line: string, columns: number): string {
  let left = columns;
  const parts = line.split(COLOUR).map((part, index) => {
    if (index % 2 === 1) {
      return part;
    }
    let kept = "";
    for (const character of part) {
      left -= stringWidth(character);
      if (left < 0) {
        break;
      }
      kept += character;
    }
    return kept;
  });
  return parts.join("");
}

/** Counts the rows that a line takes; an empty one takes a row, too. */
function terminalRowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(stringWidth(line) / columns));
}

/** The cases of a measurement, by app. */
export type CasesByApp = Readonly<Record<string, readonly Pick<CaseManifest, "id" | "title">[]>>;

/** Makes the function that names a case by its id, as reports do. */
export function namesOfCases(cases: CasesByApp): (id: string) => string {
  const all = Object.values(cases).flat();
  const names = new Map(all.map(({ id, title }) => [id, title]));
  return (id) => names.get(id) ?? id;
}

/** Makes the function that describes the progress of a run. A step is a start of all servers for a case. */
export function runDescriber(cases: CasesByApp): (progress: Progress) => Shown {
  const nameOf = namesOfCases(cases);
  return (progress) => describeRun(progress, nameOf);
}

function describeRun(progress: Progress, nameOf: (id: string) => string): Shown {
  const { phase, caseId, trial, etaMs } = progress;
  const left = etaMs === null ? [] : [etaMs < 1000 ? "ending" : `about ${formatDuration(etaMs)} left`];
  if (caseId === null) {
    const text = [WORDS[phase], ...left].join(" · ");
    return { text, line: text, key: phase };
  }
  const name = `[${progress.caseIndex + 1}/${progress.caseCount}] ${nameOf(caseId)}`;
  if (phase === "cold" || phase === "memory") {
    const part = phase === "cold" ? `cold start ${trial + 1}` : WORDS.memory;
    const text = [name, part, ...left].join(" · ");
    return { text, line: text, key: `${phase} ${caseId}` };
  }
  const place = [name, `start ${trial + 1}`];
  return {
    text: [...place, WORDS[phase], ...left].join(" · "),
    line: [...place, ...left].join(" · "),
    key: `${caseId} ${trial}`,
  };
}
