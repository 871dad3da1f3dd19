// How a Worker is started where its start-up is measured: behind a module that imports its main one.
import type { ServeOptions } from "@evenbench/core";
import type { UploadedModule } from "./modules.ts";
import type { WranglerConfiguration } from "./wrangler.ts";

/** The path whose first answer evaluates the modules of a Worker that was compiled alone. */
export const EVALUATED_AT = "/evenbench-start";
/** The name of the module in front. */
export const START_MODULE = "evenbench-start.mjs";

/**
 * Writes the module in front. With "app" it imports the main module at its own top level, where code from strings is
 * allowed; else it does so at `EVALUATED_AT`.
 */
export function startModule(main: string, startUp: ServeOptions["startUp"]): string {
  const module = JSON.stringify(`./${main}`);
  if (startUp === "app") {
    return `import ${module};
export default { fetch: () => new Response(null, { status: 204 }) };
`;
  }
  return `export default {
  async fetch(request) {
    if (new URL(request.url).pathname === ${JSON.stringify(EVALUATED_AT)}) await import(${module});
    return new Response(null, { status: 204 });
  },
};
`;
}

/** Leaves out of a configuration what needs the Worker's own exports, and files in front of it. */
export function startConfiguration(configuration: WranglerConfiguration): WranglerConfiguration {
  const { durable_objects: _objects, migrations: _migrations, services: _services, ...kept } = configuration;
  const { assets: _assets, ...rest } = kept;
  return rest as WranglerConfiguration;
}

/** Makes modules of the same names and bytes of which nothing is compiled. */
export function uncompiled(modules: readonly UploadedModule[]): readonly UploadedModule[] {
  return modules.map((module) => ({ ...module, kind: module.kind === "text" ? "text" : "data" }));
}
