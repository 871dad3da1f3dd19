import { UserError } from "@evenbench/core";

/** A deployment that could not be begun or ended; its message says what to do. */
export class DeployError extends UserError {
  override readonly name = "DeployError";
}
