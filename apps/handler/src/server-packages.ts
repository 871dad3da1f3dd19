interface ServerPackage {
  /** The name that Vercel's CLI has for apps of it. Default: the CLI knows none. */
  readonly vercel?: string;
  /** Why Workers cannot have its apps, in one sentence. Default: they can. */
  readonly notOnWorkers?: string;
}

/** Makes the reason of a server that listens too late for Workers. */
function listensLater(name: string, what: string): string {
  return `${name} listens only once it has ${what}, behind the start of its module, and a Worker does nothing between its start and a request.`;
}

/** Packages by which servers are written, by name. */
export const SERVER_PACKAGES: Readonly<Record<string, ServerPackage>> = {
  "@nestjs/core": {
    vercel: "nestjs",
    notOnWorkers: listensLater("NestJS", "made the objects of its modules"),
  },
  express: { vercel: "express" },
  fastify: { vercel: "fastify", notOnWorkers: listensLater("Fastify", "loaded its plugins") },
  koa: { vercel: "koa" },
  connect: {},
  polka: {},
  restify: {},
  "@hapi/hapi": {},
};

/** An import of one of them in the text of a module. */
export const IMPORTS_SERVER: RegExp = new RegExp(
  `(?:from|require\\()\\s*["'](?:${Object.keys(SERVER_PACKAGES).join("|")})["']`,
);
