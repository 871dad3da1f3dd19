// A schema says what a field may be. Here stands how the fields of a record belong together.
import { firstRepeated } from "@evenbench/core";
import type { ExperimentsRun } from "./schema/experiment.ts";
import type { LoadRun, LoadSample } from "./schema/load.ts";
import type { Run, RunPlan, RunTarget } from "./schema/run.ts";
import { COLD_EXCHANGES, type Sample, samplePhase } from "./schema/sample.ts";

/** A nanosecond in milliseconds: less than any clock here tells apart, and more than sums of times are rounded by. */
const NANOSECOND_MS = 1e-6;

/** Number of letters of a name that are shown: a file may have names of any length. */
const MAX_NAME_LETTERS = 80;

/** Quotes a name for a message as it is in the file, cut where it is too long. */
function quoted(name: string): string {
  const shown = name.length > MAX_NAME_LETTERS ? `${name.slice(0, MAX_NAME_LETTERS)}…` : name;
  return JSON.stringify(shown);
}

/** The part of a plan that runs and loads have in common. */
interface CommonPlan extends Pick<RunPlan, "cases"> {
  readonly targets: readonly Pick<RunTarget, "name" | "copyOf">[];
}

/** Says what is wrong with the names of a plan, as half a sentence; null where nothing is. */
function whyNoPlan({ cases, targets }: CommonPlan): string | null {
  if (targets.length === 0) {
    return "its plan has no target";
  }
  if (cases.length === 0) {
    return "its plan has no case";
  }
  const target = firstRepeated(targets.map(({ name }) => name));
  if (target !== null) {
    return `its plan has the target ${quoted(target)} twice`;
  }
  const caseId = firstRepeated(cases.map(({ id }) => id));
  if (caseId !== null) {
    return `its plan has the case ${quoted(caseId)} twice`;
  }
  const originals = new Set(targets.filter(({ copyOf }) => copyOf === null).map(({ name }) => name));
  const stray = targets.find(({ copyOf }) => copyOf !== null && !originals.has(copyOf));
  if (stray === undefined) {
    return null;
  }
  return `its target ${quoted(stray.name)} is a copy of ${quoted(stray.copyOf ?? "")}, which is no other target, or a copy itself`;
}

interface MeasuredEntry {
  /** Id of its case; not there where it is of no case. */
  readonly caseId?: string;
  /** Name of its target; not there where it is of all targets. */
  readonly target?: string;
  /** Number of the trial that the entry is of, from 0; not there where it is of all trials. */
  readonly trial?: number;
}

/**
 * Says which entry of a list is of a case, target or trial that the plan does not have, as half a sentence; null where
 * none is.
 */
function strayIn(
  name: string,
  entries: readonly MeasuredEntry[],
  plan: CommonPlan,
  trials: number,
): string | null {
  const ids = new Set(plan.cases.map(({ id }) => id));
  const targets = new Set(plan.targets.map((target) => target.name));
  for (const [index, { caseId, target, trial = 0 }] of entries.entries()) {
    const place = `${name}[${index}]`;
    if (caseId !== undefined && !ids.has(caseId)) {
      return `${place} is of the case ${quoted(caseId)}, which its plan does not have`;
    }
    if (target !== undefined && !targets.has(target)) {
      return `${place} is of the target ${quoted(target)}, which its plan does not have`;
    }
    if (trial >= trials) {
      return `${place} is of trial ${trial + 1}, and its plan has ${trials} at most`;
    }
  }
  return null;
}

/** Counts the trials that a case can have at most: of several clients each has its own. */
function maxTrials({ plan, vantages }: Pick<Run, "plan" | "vantages">): number {
  if (vantages === undefined) {
    return plan.trials.maximum;
  }
  const ends = vantages.flatMap(({ clients }) =>
    clients.map(({ firstTrial, trials }) => firstTrial + trials),
  );
  return Math.max(0, ...ends);
}

/** Says why a record cannot be that of a run, as half a sentence; null where it can. */
export function whyNoRun(run: Run): string | null {
  const { plan, machine, vantages } = run;
  const wrong = whyNoPlan(plan);
  if (wrong !== null) {
    return wrong;
  }
  if (plan.trials.minimum > plan.trials.maximum) {
    return "its plan has more trials at least than at most";
  }
  if (machine === null && (vantages ?? []).length === 0) {
    return "it names neither the machine that measured nor vantages";
  }
  const vantage = firstRepeated((vantages ?? []).map(({ name }) => name));
  if (vantage !== null) {
    return `it has the vantage ${quoted(vantage)} twice`;
  }
  const stranger = Object.keys(run.identities).find((name) => !plan.targets.some((one) => one.name === name));
  if (stranger !== undefined) {
    return `it has an identity of ${quoted(stranger)}, which is no target of its plan`;
  }
  const trials = maxTrials(run);
  const coldStarts = run.coldStarts.map(({ repetition, ...start }) => ({ ...start, trial: repetition }));
  const startUps = (run.startUps ?? []).map(({ target, repetition }) => ({ target, trial: repetition }));
  const ofTrials = ["usage", "warmUps", "clientLoad", "timelines"] as const;
  const strays = [
    ...ofTrials.map((name) => strayIn(name, run[name], plan, trials)),
    strayIn("coldStarts", coldStarts, plan, plan.coldStarts),
    strayIn("startUps", startUps, plan, plan.startUps ?? 0),
    strayIn("memory", run.memory ?? [], plan, 1),
  ];
  return strays.find((why) => why !== null) ?? null;
}

/** Says why a record cannot be that of a load, as half a sentence; null where it can. */
export function whyNoLoad({ plan, machine, clients, stages }: LoadRun): string | null {
  const wrong = whyNoPlan(plan);
  if (wrong !== null) {
    return wrong;
  }
  if (machine === null && (clients ?? []).length === 0) {
    return "it names neither the machine that measured nor clients";
  }
  return strayIn("stages", stages, plan, plan.trials);
}

/** Says why a record cannot be that of experiments, as half a sentence; null where it can. */
export function whyNoExperiments({ results }: ExperimentsRun): string | null {
  const twice = firstRepeated(results.map(({ id }) => id));
  return twice === null ? null : `it has the experiment ${quoted(twice)} twice`;
}

/**
 * Makes the check of a run's samples, one by one in order: it says what the run cannot have measured, as the end of a
 * sentence; null where nothing.
 */
export function sampleCheck(run: Run): (sample: Sample) => string | null {
  const whyNotPlanned = plannedCheck(run);
  const whyNoAnswer = answerCheck(run.plan);
  const placeOf = placesOf(run.plan);
  const seen = new Map<number, RoundsSeen>();
  return (sample) => {
    const stray = whyNotPlanned(sample);
    if (stray !== null) {
      return stray;
    }
    const place = placeOf(sample);
    let rounds = seen.get(place);
    if (rounds === undefined) {
      rounds = new RoundsSeen();
      seen.set(place, rounds);
    }
    if (!rounds.add(sample.roundIndex)) {
      return "repeats the case, target, trial, phase and round of one before it";
    }
    return whyNoAnswer(sample);
  };
}

/** Makes a function that numbers samples of a plan: those that only their rounds tell apart have one number. */
function placesOf({ cases, targets }: RunPlan): (sample: Sample) => number {
  const caseIndexes = new Map(cases.map(({ id }, index) => [id, index]));
  const targetIndexes = new Map(targets.map(({ name }, index) => [name, index]));
  const phaseIndexes = new Map(samplePhase.options.map((phase, index) => [phase, index]));
  return ({ caseId, target, trial, phase }) => {
    const ofCase = trial * cases.length + (caseIndexes.get(caseId) ?? 0);
    const ofTarget = ofCase * targets.length + (targetIndexes.get(target) ?? 0);
    return ofTarget * phaseIndexes.size + (phaseIndexes.get(phase) ?? 0);
  };
}

/** The rounds of one instance that were seen: nearly always all up to one, which is a number and no set. */
class RoundsSeen {
  /** All rounds below it were seen. */
  #first = 0;
  /** Rounds from there on that were seen. */
  readonly #later = new Set<number>();

  /** Adds a round. @returns false where it was seen before. */
  add(round: number): boolean {
    if (round === this.#first && this.#later.size === 0) {
      this.#first += 1;
      return true;
    }
    if (round < this.#first || this.#later.has(round)) {
      return false;
    }
    this.#later.add(round);
    while (this.#later.delete(this.#first)) {
      this.#first += 1;
    }
    return true;
  }
}

/** Makes a function that says why a sample is none of the plan; null where it can be one. */
function plannedCheck({ plan, vantages }: Pick<Run, "plan" | "vantages">): (sample: Sample) => string | null {
  const caseIds = new Set(plan.cases.map(({ id }) => id));
  const targets = new Set(plan.targets.map(({ name }) => name));
  const trials = maxTrials({ plan, vantages });
  const rounds = maxRounds(plan);
  return ({ caseId, target, trial, phase, roundIndex }) => {
    if (!caseIds.has(caseId)) {
      return `is of the case ${quoted(caseId)}, which the plan does not have`;
    }
    if (!targets.has(target)) {
      return `is of the target ${quoted(target)}, which the plan does not have`;
    }
    if (phase === "cold") {
      if (trial < plan.coldStarts && roundIndex < COLD_EXCHANGES) {
        return null;
      }
      const planned = `${plan.coldStarts} cold starts of ${COLD_EXCHANGES} exchanges`;
      return `has exchange ${roundIndex + 1} of cold start ${trial + 1}, and the plan has ${planned}`;
    }
    if (trial >= trials) {
      return `has trial ${trial + 1}, and the plan has ${trials} at most`;
    }
    if (phase === "measure" && rounds !== null && roundIndex >= rounds) {
      return `has round ${roundIndex + 1}, and the plan has ${rounds} in a trial`;
    }
    return null;
  };
}

/** Counts the rounds of a trial where the user fixed them, in whole turns of the spacing; null where time decides. */
function maxRounds({ roundsPerTrial, spacing }: RunPlan): number | null {
  return roundsPerTrial === null ? null : Math.ceil(roundsPerTrial / spacing) * spacing;
}

/** Makes a function that says why a sample's answer cannot have been seen; null where it can. */
function answerCheck(plan: RunPlan): (sample: Sample) => string | null {
  const goldenStatus = new Map(plan.cases.map(({ id, golden }) => [id, golden?.status]));
  return ({ caseId, phase, firstByteMs, lastByteMs, status, error }) => {
    if (firstByteMs !== null && lastByteMs !== null && firstByteMs > lastByteMs + NANOSECOND_MS) {
      return "has its first byte after its last";
    }
    if (error !== null) {
      return null;
    }
    const expected = phase === "transfer" ? 200 : goldenStatus.get(caseId);
    // Who measures how a server refuses says so.
    const highest = plan.sameWork === "assumed" ? 599 : 399;
    const isFine = expected === undefined ? status !== null && status <= highest : status === expected;
    return isFine ? null : `has status ${status}, and no error`;
  };
}

/** Makes the check of a load's samples, one by one in order: it says what is wrong, as the end of a sentence, or null. */
export function loadSampleCheck({ stages, status }: LoadRun): (sample: LoadSample) => string | null {
  // What was killed has samples of a stage that its record does not have yet.
  const isEnded = status !== "running";
  let reached = 0;
  return ({ stage }) => {
    if (isEnded && stage >= stages.length) {
      return `is of stage ${stage + 1}, and load.json has ${stages.length}`;
    }
    if (stage < reached) {
      return `is of stage ${stage + 1}, behind one of stage ${reached + 1}`;
    }
    reached = stage;
    return null;
  };
}
