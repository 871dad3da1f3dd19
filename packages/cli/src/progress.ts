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

/**
 * Shows where a run is: one line that is rewritten on a terminal, one line at each change of case elsewhere.
 * It writes only when told of progress (between exchanges); a spinner's timer would fire inside the exchanges
 * that are being timed.
 */
export function progressLine(stream: NodeJS.WriteStream): { show(progress: Progress): void; clear(): void } {
  let lastCase: string | null = null;
  return {
    show(progress) {
      if (isQuiet()) return;
      const text = terminalLine(describe(progress));
      if (stream.isTTY) stream.write(`\r\u001b[2K${fitted(text, stream)}`);
      else if (progress.caseId !== lastCase) stream.write(`${text}\n`);
      lastCase = progress.caseId;
    },
    clear() {
      if (stream.isTTY && !isQuiet()) stream.write("\r\u001b[2K");
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
  const { etaMs } = progress;
  if (etaMs !== null) parts.push(etaMs < 1000 ? "ending" : `${formatDuration(etaMs)} left`);
  return parts.join(" · ");
}
