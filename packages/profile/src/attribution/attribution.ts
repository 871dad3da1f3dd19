import type { Owner } from "@evenbench/results";
import type { CallFrame } from "../cpu-profile.ts";

export interface Attribution {
  ownerOf(frame: CallFrame): Owner;
  /** What people call a script: its path in the deployable or the repository, where it has one. */
  fileOf(url: string): string;
}
