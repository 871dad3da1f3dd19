/** What of the root's manifest is the package's, too. */
interface RootManifest {
  readonly version: string;
  readonly license: string;
}

/** The manifest of the published package. All code is bundled, so it asks for no other package. */
export function manifestOf({ version, license }: RootManifest): object {
  return {
    name: "evenbench",
    version,
    license,
    description:
      "Measures servers against one another in turns, with an A/A control, 99 % intervals and verdicts.",
    keywords: ["benchmark", "http", "latency", "cpu", "compare", "statistics"],
    type: "module",
    engines: { node: ">=20" },
    bin: { evenbench: "cli.js" },
    exports: {
      ".": { types: "./index.d.ts", default: "./index.js" },
      "./package.json": "./package.json",
    },
  };
}
