import { writeFiles } from "@evenbench/host/testing/folder";

/** The contents of a folder of the Build Output API of an app that nobody here wrote. */
export interface Output {
  /** Sources of functions by path. "main" is added when it is not there, and takes what nothing else takes. */
  readonly functions?: Readonly<Record<string, string>>;
  /** Other files by path in the output. */
  readonly files?: Readonly<Record<string, string>>;
  readonly routes?: readonly object[];
  readonly lastRoutes?: readonly object[];
  /** Settings of image optimisation. */
  readonly images?: object;
  /** More of the settings of functions, by path. */
  readonly settings?: Readonly<Record<string, object>>;
  readonly environment?: (path: string) => Readonly<Record<string, string>>;
}

const READY = `if (new URL(request.url).pathname === "/identity") return new Response("{}");`;
export const MAIN = web(`return new Response("main");`);
const CATCH_ALL = [{ src: "/.*", dest: "/main" }];

/** A module whose `fetch` has the given body, but answers readiness. */
export function web(body: string): string {
  return `export default { fetch(request) { ${READY} ${body} } };`;
}

/** Writes the folder and gives it back. */
export function writeOutput(folder: string, output: Output): string {
  const { functions = {}, files = {}, routes = [], lastRoutes = CATCH_ALL } = output;
  const all = [...routes, { handle: "filesystem" }, ...lastRoutes];
  writeFiles(folder, { "config.json": { version: 3, routes: all, images: output.images }, ...files });
  const settings = { runtime: "nodejs24.x", handler: "index.mjs", launcherType: "Nodejs" };
  for (const [path, source] of Object.entries({ main: MAIN, ...functions })) {
    const environment = output.environment?.(path) ?? {};
    const configuration = { ...settings, environment, ...output.settings?.[path] };
    writeFiles(`${folder}/functions/${path}.func`, { "index.mjs": source, ".vc-config.json": configuration });
  }
  return folder;
}
