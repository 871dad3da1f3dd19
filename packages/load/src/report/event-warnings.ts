import type { Warning } from "@evenbench/report";
import { PREFLIGHT_KINDS } from "@evenbench/report/parts";
import type { LoadRun } from "@evenbench/results";

type LoadEvent = LoadRun["events"][number];
type Kind = Pick<Warning, "severity" | "title" | "remedy">;

/**
 * Every kind of event with what it means for the reader and what helps. null: it is of other runs, and no
 * load has it.
 */
const EVENT_KINDS: Readonly<Record<LoadEvent["kind"], Kind | null>> = {
  interrupted: {
    severity: "void",
    title: "The run was interrupted",
    remedy: "What was measured is below; what is missing there was not.",
  },
  "target-dropped": {
    severity: "void",
    title: "A subject was dropped",
    remedy:
      "What it did before is below; what is missing there was not measured. See its log in the folder logs.",
  },
  "vantage-incomplete": {
    severity: "void",
    title: "A machine's part is not whole",
    remedy: "What is there is in the figures, and nobody knows what it lacks. Measure again for the whole.",
  },
  "mixed-http": {
    severity: "caution",
    title: "Not all requests used the same version of HTTP",
    remedy:
      "Versions connect and send differently, so that what machines sent does not add up to one load. Start every client with GODEBUG=http2client=0.",
  },
  "pin-allowed": {
    severity: "caution",
    title: "A setting that must be equal differs",
    remedy: "It was allowed. The difference may come from the setting and not from the platform.",
  },
  ...PREFLIGHT_KINDS,
  "other-run-active": {
    severity: "caution",
    title: "The machine was not alone",
    remedy: "Measure again while nothing else runs.",
  },
  "warmup-unstable": {
    severity: "caution",
    title: "Warm-up was ended by the time",
    remedy: "Give the case more time (--time). Until then its times may still be falling.",
  },
  "build-failed": null,
  "case-failed": null,
  "error-budget": null,
  "host-restarted": null,
  "provider-cpu": null,
  "work-unproven": null,
};

/** What happened, a warning for each kind. */
export function eventWarnings(events: readonly LoadEvent[]): readonly Warning[] {
  return [...Map.groupBy(events, ({ kind }) => kind)].flatMap(([kind, group]) => {
    const known = EVENT_KINDS[kind];
    return known === null ? [] : [{ ...known, details: group.map(({ detail }) => detail) }];
  });
}
