import { UserError } from "@evenbench/core";
import { counted } from "@evenbench/report/parts";
import { type ClientTerms, type Place, type Playable, readLog } from "@evenbench/vantages";
import { LOAD_SCRIPT_FILE, type LoadEndLine, loadLineSchema, type ReadMachinesPlan } from "./plan.ts";

/** Until all have k6 up, from when they are told to start: ssh copies the script first. */
const LEAD_MS = { here: 4000, elsewhere: 30_000 };

export function machinesPlayable({ folder, plan, hash }: ReadMachinesPlan): Playable {
  return {
    folder,
    hash,
    script: LOAD_SCRIPT_FILE,
    closed: plan.closed,
    termsFor: (places) => termsFor(places, plan.machines),
    judge,
  };
}

function termsFor(places: readonly Place[], machines: number): readonly ClientTerms[] {
  if (places.length !== machines) {
    throw new UserError(
      `The plan's load is divided among ${counted(machines, "machine")}, and ${places.length} ${places.length === 1 ? "is" : "are"} named. Name ${machines} with --at, or plan for --machines ${places.length}.`,
    );
  }
  const isHere = places.every(({ destination }) => destination === null);
  const startAt = Date.now() + (isHere ? LEAD_MS.here : LEAD_MS.elsewhere);
  const edges = Array.from({ length: machines + 1 }, (_, edge) =>
    edge === 0 ? "0" : edge === machines ? "1" : `${edge}/${machines}`,
  );
  return places.map((_place, index) => ({
    args:
      machines === 1
        ? []
        : [
            `--execution-segment=${edges[index]}:${edges[index + 1]}`,
            `--execution-segment-sequence=${edges.join(",")}`,
          ],
    env: { EVENBENCH_START_AT: String(startAt) },
  }));
}

async function judge(log: string): ReturnType<Playable["judge"]> {
  let [exchanges, said] = [0, ""];
  let end: LoadEndLine | null = null;
  await readLog(log, {
    schema: loadLineSchema,
    take(line) {
      if (line.evenbench === "exchange") exchanges += 1;
      if (line.evenbench === "end") end = line;
    },
    broken() {},
    foreign(text) {
      if (text.trim() !== "") said = text.trim();
    },
  });
  return { exchanges, problem: problemOf(end, exchanges, said) };
}

function problemOf(end: LoadEndLine | null, exchanges: number, said: string): string | null {
  if (end === null) return `it did not come to its end${said === "" ? "" : `: ${said}`}`;
  if (end.stopped !== null) return `it stopped: ${end.stopped}`;
  const counted = end.exchanges.reduce((sum, count) => sum + count, 0);
  return counted === exchanges ? null : `its log has ${exchanges} requests of ${counted}`;
}
