// Apart from everything else: processes that serve import this alone, and start sooner.
import { UserError } from "@evenbench/core/basics";

export const LOOPBACK = "127.0.0.1";

/** The message says why and what to do. */
export class HostError extends UserError {
  override readonly name = "HostError";
}
