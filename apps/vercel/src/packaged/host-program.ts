// Takes the place of ../host-program.ts in the published package.
import { moduleFile } from "@evenbench/host";

/** Gives the absolute path of the program of an instance, which the build of the package made. */
export async function hostProgram(): Promise<string> {
  return moduleFile("apps/vercel/src/instance");
}
