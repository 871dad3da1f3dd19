export type AuditKind =
  | "client-busy"
  | "client-late"
  | "cold"
  | "drift"
  | "instance-changed"
  | "littles-law"
  | "not-alone"
  | "reconnected";

export interface AuditFinding {
  readonly kind: AuditKind;
  readonly detail: string;
}
