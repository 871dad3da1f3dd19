import { formatDuration, terminalLine } from "@evenbench/core";
import type { Progress } from "@evenbench/runner";
import { isQuiet } from "./say.ts";

const USUAL_COLUMNS = 80;

const WORDS = {
  preflight: "preflight",
  start: "starting",
  warmup: "warming up",
  measure: "measuring",
  transfer: "measuring the transfer time",
  cold: "cold starts",
  stop: "stopping",
};

export interface ProgressDisplay {
  show(progress: Progress): void;
  /** Lines that stand above the line of progress from now on. */
  stand(lines: readonly string[]): void;
  /** Takes everything away, so that something else can be written. */
  clear(): void;
}

/**
 * Shows where a run is: what it found so far and a line below that, both rewritten in place on a terminal;
 * elsewhere once a turn, and a line at each change of case. It writes only when told of progress (between
 * exchanges); a spinner's timer would fire inside the exchanges that are being timed.
 */
export function progressLine(stream: NodeJS.WriteStream): ProgressDisplay {
  let lastCase: string | null = null;
  let standing: readonly string[] = [];
  let drawn = 0;
  const erase = () => {
    if (drawn > 0) stream.write(`\r${drawn > 1 ? `\u001b[${drawn - 1}A` : ""}\u001b[J`);
    drawn = 0;
  };
  return {
    show(progress) {
      if (isQuiet()) return;
      const text = terminalLine(describe(progress));
      if (stream.isTTY) {
        // What is higher than the terminal cannot be rewritten in place.
        const above = standing.length + 1 < (stream.rows || 0) ? standing : [];
        const lines = [...above, fitted(text, stream)];
        erase();
        stream.write(lines.join("\n"));
        drawn = lines.length;
      } else if (progress.caseId !== lastCase) stream.write(`${text}\n`);
      lastCase = progress.caseId;
    },
    stand(lines) {
      if (isQuiet()) return;
      standing = lines;
      if (!stream.isTTY) stream.write(lines.map((line) => `${line}\n`).join(""));
    },
    clear() {
      if (stream.isTTY && !isQuiet()) erase();
    },
  };
}

/** What a line of a terminal has room for; one without a size says 0. */
export function fitted(text: string, { columns }: NodeJS.WriteStream): string {
  return text.slice(0, (columns || USUAL_COLUMNS) - 1);
}

function describe(progress: Progress): string {
  const parts = [WORDS[progress.phase]];
  if (progress.caseId !== null) {
    parts.unshift(`[${progress.caseIndex + 1}/${progress.caseCount}] ${progress.caseId}`);
    parts.push(`trial ${progress.trial + 1} of ${progress.trials}`, `round ${progress.roundIndex + 1}`);
  }
  const { etaMs, why } = progress;
  if (etaMs !== null) parts.push(etaMs < 1000 ? "ending" : `${formatDuration(etaMs)} left`);
  if (why !== null) parts.push(why);
  return parts.join(" · ");
}
