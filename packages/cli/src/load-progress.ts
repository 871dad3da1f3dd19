import { terminalLine } from "@evenbench/core";
import type { LoadProgress } from "@evenbench/load";
import { fitted } from "./progress.ts";
import { isQuiet } from "./say.ts";

const WORDS = { preflight: "preflight", start: "starting and warming up", load: "loading" } as const;

/**
 * Shows where a load run is, before each stage: one line that is rewritten on a terminal, one line a trial
 * elsewhere.
 */
export function loadProgressLine(stream: NodeJS.WriteStream): {
  show(progress: LoadProgress): void;
  clear(): void;
} {
  return {
    show(progress) {
      if (isQuiet()) return;
      const text = terminalLine(describe(progress));
      if (stream.isTTY) stream.write(`\r\u001b[2K${fitted(text, stream)}`);
      else if (progress.phase !== "load") stream.write(`${text}\n`);
    },
    clear() {
      if (stream.isTTY && !isQuiet()) stream.write("\r\u001b[2K");
    },
  };
}

function describe({
  phase,
  caseId,
  trial,
  trials,
  subject,
  load,
  stagesDone,
  stagesMost,
}: LoadProgress): string {
  const parts: string[] = [WORDS[phase]];
  if (caseId !== null) parts.unshift(caseId, `trial ${trial + 1} of ${trials}`);
  if (subject !== null) parts.push(subject);
  if (load !== null)
    parts.push(
      load.kind === "closed" ? `concurrency ${load.connections}` : `${load.perSecond.toPrecision(3)}/s`,
    );
  if (stagesMost > 0) parts.push(`stage ${stagesDone + 1} of ${stagesMost} at most`);
  return parts.join(" · ");
}
