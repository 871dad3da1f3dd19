import type { AuditKind } from "./audit-finding.ts";
import type { CaseReport, Warning } from "./data.ts";

const AUDIT_KINDS: Readonly<Record<AuditKind, Omit<Warning, "details">>> = {
  "littles-law": {
    severity: "void",
    title: "The books do not add up",
    remedy: "This is a defect of the client, or its clock jumped. Do not use the times of these cases.",
  },
  "client-busy": {
    severity: "caution",
    title: "The client was busy itself",
    remedy: "Its own work may be in the times. Measure fewer bytes, or on a machine with a faster core.",
  },
  "client-late": {
    severity: "caution",
    title: "Client timing unreliable",
    remedy: "Something kept the client's process from running. Measure again while nothing else runs.",
  },
  cold: {
    severity: "caution",
    title: "Cold requests among the measured ones",
    remedy: "An instance was replaced while it was measured. Its first request is slower than the others.",
  },
  "not-alone": {
    severity: "caution",
    title: "Somebody else asked the same instances",
    remedy: "Waiting for others is in these times. Measure instances that nobody else uses.",
  },
  "instance-changed": {
    severity: "caution",
    title: "Another instance answered within a trial",
    remedy:
      "A trial is to be one instance. See why its process was replaced, or what sends requests elsewhere.",
  },
  reconnected: {
    severity: "caution",
    title: "Connections did not stay open",
    remedy:
      "A request on a new connection takes longer. Let the target keep connections open between rounds.",
  },
  drift: {
    severity: "caution",
    title: "Times moved while they were measured",
    remedy:
      "The machine changed, which rounds in turns even out; or instances were not warm, and then the verdict is that. Measure again while nothing else runs.",
  },
};

/** What the run found against itself, one warning for each kind. */
export function auditWarnings(cases: readonly CaseReport[]): Warning[] {
  const findings = cases.flatMap(({ audit }) => audit);
  return [...Map.groupBy(findings, ({ kind }) => kind)].map(([kind, group]) => ({
    ...AUDIT_KINDS[kind],
    details: group.map(({ detail }) => detail),
  }));
}
