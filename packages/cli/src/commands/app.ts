import type { Command } from "@commander-js/extra-typings";
import { ExitCode, exit } from "../exit.ts";
import { withExamples } from "../help.ts";
import { type AppOptions, addAppOptions } from "../options.ts";
import { say, sayNote } from "../say.ts";

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** Declares the command `app`. */
export function declare(program: Command) {
  const command = program
    .command("app")
    .helpGroup("Measure:")
    .description(
      "build your own app for all platforms in a private copy, and measure the paths that you name",
    )
    .argument(
      "<folder>",
      "the app's folder, such as ../my-app, with Next.js, SvelteKit, Astro, Hono, a module with fetch, a finished .vercel/output, or a Worker with a wrangler configuration; any other server takes --start. Nothing in it is changed",
    );
  addAppOptions(command);
  return withExamples(
    command,
    ["npm run bench -- app ../my-app", "what it is, its sizes and its routes"],
    ["npm run bench -- app ../my-app --path /api/hello", "measured on every platform that it is built for"],
    [
      'npm run bench -- app ../my-app --build "npm run build" --start "npm start" --on node --path /',
      "a server that Evenbench does not know, in a copy of its own",
    ],
  );
}

/**
 * Builds a user's app for all platforms. Without `--path` it prints what the app is; otherwise it measures
 * the paths.
 */
export default async function app(folder: string, options: AppOptions): Promise<void> {
  const { appSummaryOf, assertBuilt, buildApp, describeApp, proposal } = await import("../own-app.ts");
  const built = await buildApp(folder, options);
  if (options.path === undefined) {
    if (options.json) {
      const { sayJson } = await import("../say.ts");
      sayJson(appSummaryOf(built), 2);
    } else {
      say(`${describeApp(built)}\n${proposal(built, folder)}`);
    }
    if (built.targets.length === 0) {
      exit.code = ExitCode.failed;
    }
    return;
  }
  sayNote(describeApp(built));
  assertBuilt(built, options);
  const { measureApp } = await import("../measure-app.ts");
  await measureApp(built, folder, options);
}
