// Apart from everything else: processes that serve import this alone, and start sooner.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "@evenbench/core/errors";

/** The address that everything here listens on. */
export const LOOPBACK = "127.0.0.1";

/** An error of starting or serving something on this machine. Its message says why and what to do. */
export class HostError extends UserError {
  override readonly name = "HostError";
}

/** Gives the path of a file in a deployable. @throws {HostError} where it is not there. */
export function builtFile(folder: string, name: string): string {
  const file = join(folder, name);
  if (existsSync(file)) {
    return file;
  }
  throw new HostError(`There is no ${name} in ${folder}. Build it with \`npm run build\`.`);
}
