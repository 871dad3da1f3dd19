import { UserError } from "@evenbench/core";

export class ProfileError extends UserError {
  override readonly name = "ProfileError";
}
