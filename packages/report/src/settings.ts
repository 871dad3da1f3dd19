import { counted, type Definitions, formatMs, range, type Table } from "@evenbench/page";
import type { Run, RunMachine } from "@evenbench/results";
import { targetCell } from "./cells.ts";
import type { ReportData } from "./data.ts";
import { coreDivision, processorOf } from "./names.ts";

/** The two kinds of settings: their list in an identity, the heading, the noun, and the class of cells that differ. */
const SETTING_KINDS = [
  ["pins", "Settings that must be equal", "setting", "differs"],
  ["facts", "Facts", "fact", ""],
] as const;

/** The fact that names the runtime a function is deployed for, where that is not the newest. */
const FUNCTION_RUNTIME = "functionRuntime";

/** The settings or the facts of one app's targets. */
export interface SettingGroup {
  readonly heading: string;
  /** Settings that differ between the targets: a line for each setting, a column for each target. */
  readonly table: Table;
  /** Settings that are equal on all, as a sentence; empty where there are none. */
  readonly equal: string;
}

/** Groups settings by app, since only targets of one app are compared: settings that must be equal, then facts. */
export function settingGroups(data: Pick<ReportData, "run" | "targets">): readonly SettingGroup[] {
  const { identities } = data.run;
  const identified = data.targets.filter(({ name }) => identities[name] !== undefined);
  const apps = [...Map.groupBy(identified, ({ app }) => app)];
  return SETTING_KINDS.flatMap(([kind, title, what, className]) =>
    apps.flatMap(([app, targets]) => {
      const names = new Set(targets.flatMap(({ name }) => Object.keys(identities[name]?.[kind] ?? {})));
      if (names.size === 0) {
        return [];
      }
      const settings = [...names].sort().map((name) => {
        const values = targets.map(({ name: target, place }) => {
          const known = identities[target]?.[kind] ?? {};
          const value = known[name] ?? "–";
          return place === "local" && value !== "–" ? valueHere(name, value, known) : value;
        });
        return { name, values, isEqual: new Set(values).size === 1 && values.length > 1 };
      });
      const differing = settings.filter(({ isEqual }) => !isEqual);
      const same = settings.filter(({ values, isEqual }) => isEqual && values[0] !== "–");
      const table = {
        head: [what, ...targets.map(({ name }) => targetCell(name, data))],
        rows: differing.map(({ name, values }) => [name, ...values.map((text) => ({ text, className }))]),
      };
      const list = same.map(({ name, values }) => `${name} ${values[0]}`).join("; ");
      const equal = list && `✓ ${counted(same.length, what)} equal on all: ${list}.`;
      return [{ heading: apps.length === 1 ? title : `${title}: ${app}`, table, equal }];
    }),
  );
}

/**
 * Writes a fact of a target that runs on this machine, where the platform's own value is not what it has here.
 *
 * @param known all facts of the target, by their names.
 */
function valueHere(name: string, value: string, known: Readonly<Record<string, string | null>>): string {
  if (name === "region") {
    return `none (emulated: ${value})`;
  }
  const { runtime = null } = known;
  return name === FUNCTION_RUNTIME && runtime !== null ? `built for ${value}; run here on ${runtime}` : value;
}

/** Lists the plan of a run, as far as the command for repeating it does not say it. */
export function planEntries({ plan, ...run }: Run): Definitions {
  return [
    ["Run", run.id],
    ["Evenbench", run.evenbenchVersion],
    ["Started", run.startedAt],
    ["Finished", run.finishedAt ?? "–"],
    [
      "Warm-up",
      plan.warmUpExchanges === null
        ? "what each target was found to need, alone and back to back"
        : `${counted(plan.warmUpExchanges, "request")}, as asked (--warm-up)`,
    ],
    ["Trials", trialsOfPlan(plan.trials)],
    ["Bodies checked", `every measured one; of warm-ups every ${plan.digestEvery}`],
    ["Settings allowed to differ", plan.allowedPins.join(", ") || "none"],
    ...(run.machine === null ? [] : clientEntries(run.machine, run.usage)),
  ];
}

/** Says how many trials a case was to have, and which of them it got. */
function trialsOfPlan(trials: Run["plan"]["trials"]): string {
  const open = trials.minimum === trials.maximum ? "" : ", as many as the time is for while it is unclear";
  return `${range(trials)} for each case, each a fresh start${open}`;
}

/** Lists how CPU time was read, the machine and the client. */
function clientEntries(machine: RunMachine, usage: Run["usage"]): Definitions {
  const { source } = machine.cpuAccount;
  const account = `the operating system's account of each instance's processes, read from ${source}; ${readingError(machine, usage)}`;
  return [
    ["CPU time and memory", usage.length > 0 ? account : "not reported: no local instance"],
    ...machineEntries(machine),
    ["Client", `Node.js ${machine.clientNode}`],
  ];
}

/**
 * Says how far off CPU time can be: what one reading lacks the next one has, so that it is that of one reading over a
 * whole trial.
 */
function readingError({ cpuAccount: { resolutionMs } }: RunMachine, usage: Run["usage"]): string {
  const requests = usage.flatMap(({ exchanges }) => (exchanges > 0 ? exchanges : []));
  const fewest = Math.min(...requests);
  const most = Math.max(...requests);
  const reading = `a reading can be short by up to ${resolutionMs} ms, which the next one has`;
  if (requests.length === 0) {
    return reading;
  }
  const ends = [resolutionMs / most, resolutionMs / fewest].map(formatMs);
  const each = [...new Set(ends)].join(" to ");
  const trials = range({ minimum: fewest, maximum: most });
  return `${reading}: over a trial (${trials} requests here) at most ${each} a request`;
}

/** Describes the machine that measured, as names and values. */
export function machineEntries(machine: RunMachine): Definitions {
  return [
    ["System", machine.system],
    ["Processor", processorOf(machine)],
    ["Memory", memoryWords(machine)],
    ["Cores", coreDivision(machine)],
  ];
}

/** Writes a machine's memory, with the limit of a container. */
function memoryWords({ memoryBytes, limits }: RunMachine): string {
  const gibibytes = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
  const limit = limits?.memoryBytes ?? null;
  const all = `${gibibytes(memoryBytes)} GiB`;
  return limit === null ? all : `${gibibytes(limit)} of ${all} (limit of the container)`;
}
