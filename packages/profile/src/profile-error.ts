import { UserError } from "@evenbench/core";

/** A profile that could not be taken. The message says why and what to do. */
export class ProfileError extends UserError {
  override readonly name = "ProfileError";
}
