import type { CallFrame } from "../cpu-profile.ts";

/** What kind of thing a sample was taken in. */
export type OwnerKind =
  | "case"
  | "package"
  | "adapter"
  | "harness"
  | "runtime"
  | "collector"
  | "program"
  | "idle"
  | "unattributed";

/** Whose code a function is: a row of the table. */
export interface Owner {
  readonly kind: OwnerKind;
  /** "react-dom", "Node.js internals", "garbage collector". */
  readonly name: string;
}

/** What is known of the scripts in a profile. */
export interface Attribution {
  ownerOf(frame: CallFrame): Owner;
  /** What people call a script: its path in the deployable or the repository, where it has one. */
  fileOf(url: string): string;
}
