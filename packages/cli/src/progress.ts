import { formatDuration, terminalLine } from "@evenbench/core";
import type { LoadProgress } from "@evenbench/load";
import type { Progress } from "@evenbench/runner";
import { isQuiet } from "./say.ts";

/** A terminal without a size says 0. */
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

export interface Shown {
  readonly text: string;
  /** Without a terminal, each new one is a line; null is none. */
  readonly key: string | null;
}

/** Writes only when told, between exchanges: a spinner's timer would fire inside those that are timed. */
export function progressDisplay(stream: NodeJS.WriteStream = process.stderr) {
  let lastKey: string | null = null;
  let standing: readonly string[] = [];
  let drawn = 0;
  const erase = () => {
    if (drawn > 0) stream.write(`\r${drawn > 1 ? `\u001b[${drawn - 1}A` : ""}\u001b[J`);
    drawn = 0;
  };
  return {
    show(shown: Shown) {
      if (isQuiet()) return;
      const { key } = shown;
      const text = terminalLine(shown.text);
      if (stream.isTTY) {
        // What is higher than the terminal cannot be rewritten in place.
        const above = standing.length + 1 < (stream.rows || 0) ? standing : [];
        const lines = [...above, text.slice(0, (stream.columns || USUAL_COLUMNS) - 1)];
        erase();
        stream.write(lines.join("\n"));
        drawn = lines.length;
      } else if (key !== null && key !== lastKey) stream.write(`${text}\n`);
      lastKey = key ?? lastKey;
    },
    stand(lines: readonly string[]) {
      if (isQuiet()) return;
      standing = lines;
      if (!stream.isTTY) stream.write(lines.map((line) => `${line}\n`).join(""));
    },
    clear() {
      if (stream.isTTY && !isQuiet()) erase();
    },
  };
}

export function describeRun(progress: Progress): Shown {
  const parts = [WORDS[progress.phase]];
  if (progress.caseId !== null) {
    parts.unshift(`[${progress.caseIndex + 1}/${progress.caseCount}] ${progress.caseId}`);
    parts.push(
      `trial ${progress.trial + 1} of ${progress.trials} at most`,
      `round ${progress.roundIndex + 1}`,
    );
  }
  const { etaMs } = progress;
  if (etaMs !== null) parts.push(etaMs < 1000 ? "ending" : `${formatDuration(etaMs)} left`);
  return { text: parts.join(" · "), key: String(progress.caseId) };
}

const LOAD_PHASES = { preflight: "preflight", start: "starting and warming up", load: "loading" } as const;

export function describeLoad(progress: LoadProgress): Shown {
  const { phase, caseId, target, load, stagesDone, stagesMost } = progress;
  const parts: string[] = [LOAD_PHASES[phase]];
  if (caseId !== null) parts.unshift(caseId, `trial ${progress.trial + 1} of ${progress.trials}`);
  if (target !== null) parts.push(target);
  if (load?.kind === "closed") parts.push(`concurrency ${load.connections}`);
  else if (load !== null) parts.push(`${load.perSecond.toPrecision(3)}/s`);
  if (stagesMost > 0) parts.push(`stage ${stagesDone + 1} of ${stagesMost} at most`);
  const key = phase === "load" ? null : `${phase} ${caseId} ${progress.trial}`;
  return { text: parts.join(" · "), key };
}
