import { counted, type Definitions, range, type Table } from "@evenbench/page";
import type { Run, RunMachine } from "@evenbench/results";
import { targetCell } from "./cells.ts";
import type { ReportData } from "./data.ts";
import { coreDivision, processorOf } from "./names.ts";

/** The two kinds of settings: their list in an identity, the heading, the noun, and the class of cells that differ. */
const SETTING_KINDS = [
  ["pins", "Settings that must be equal", "setting", "differs"],
  ["facts", "Facts", "fact", ""],
] as const;

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
          const value = identities[target]?.[kind][name] ?? "–";
          return name === "region" && value !== "–" && place === "local"
            ? `none (emulated: ${value})`
            : value;
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
    ["Trials", `${range(plan.trials)} for each case`],
    ["Bodies checked", `every measured one; of warm-ups every ${plan.digestEvery}`],
    ["Allowed to differ", plan.allowedPins.join(", ") || "nothing"],
    ...(run.machine === null ? [] : clientEntries(run.machine, run.usage.length > 0)),
  ];
}

/** Lists how CPU time was read, the machine and the client. */
function clientEntries(machine: RunMachine, hasUsage: boolean): Definitions {
  const { source, resolutionMs } = machine.cpuAccount;
  const account = `the operating system's account of each instance's processes, read from ${source}; a reading can be short by up to ${resolutionMs} ms`;
  return [
    ["CPU time and memory", hasUsage ? account : "not reported: no local instance"],
    ...machineEntries(machine),
    ["Client", `Node.js ${machine.clientNode}`],
  ];
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
