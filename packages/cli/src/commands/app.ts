import type { Command } from "@commander-js/extra-typings";
import { EVENBENCH } from "@evenbench/core/called";
import { UsageError } from "@evenbench/core/errors";
import { ExitCode, exit } from "../exit.ts";
import { type HelpTopics, withExamples, withTopics } from "../help.ts";
import { type AppOptions, addAppOptions } from "../own-app-options.ts";
import { OF_OWN_SERVERS } from "../own-server-options.ts";
import { say, sayJson, sayNote } from "../say.ts";

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** Declares the command `app`. */
export function declare(program: Command) {
  const command = program
    .command("app")
    .helpGroup("Measure:")
    .summary("build your own app for all platforms in a private copy, and measure the paths that you name")
    .description(
      `Builds your app for Cloudflare's workerd, Vercel's adapter and Node.js in a copy of its folder. Without --path: says what it is, how large, and its routes. With one: measures that path on all three.

Takes Next.js, SvelteKit, Astro, React Router, Nuxt, TanStack Start, vinext, Waku, and others by Nitro, Hono, Elysia, a module with fetch, a server that listens on a port, such as Express, NestJS or fastify-cli, a finished .vercel/output, or a Worker with a wrangler configuration. Any other server: --start. The routes of vercel.json count on Vercel.`,
    )
    .argument("<folder>", "the app's folder, such as ../my-app; nothing in it is changed");
  command.showHelpAfterError(`(such as: ${EVENBENCH} app ../my-app; add --help for the options)`);
  addAppOptions(command);
  withTopics(command, HELP);
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

const HELP: HelpTopics = {
  usage: "app <folder> [options]",
  short: ["--path", "--time", "--on", "--env-file", "--start", "--build", "--json"],
  topics: { own: { about: "headers, bodies, and answers that may differ", options: OF_OWN_SERVERS } },
};

/** Builds a user's app for all platforms. Without `--path` it prints what the app is; else it measures the paths. */
export default async function app(folder: string, options: AppOptions): Promise<void> {
  assertMeasures(options);
  const { assertBuilt, buildApp } = await import("../own-app.ts");
  const { appSummaryOf, describeApp, proposal } = await import("../app-words.ts");
  const built = await buildApp(folder, options);
  if (options.path === undefined) {
    if (options.json) {
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

/** @throws {UsageError} for what needs a measurement where none is asked for. */
function assertMeasures({ path, failOn, limits, export: exported }: AppOptions): void {
  const asked = Object.entries({ "--fail-on": failOn, limits, "--export": exported });
  const [name] = asked.find(([, value]) => value !== undefined) ?? [];
  if (path === undefined && name !== undefined) {
    throw new UsageError(`${name} is for what is measured. Add --path, such as --path /, or leave it out.`);
  }
}
