// Takes the place of `serve` of @hono/node-server and of Bun: each platform's own server asks what it was given.
let served;

const server = {
  port: 0,
  hostname: "localhost",
  url: new URL("http://localhost/"),
  stop: () => {},
  on: () => server,
  once: () => server,
  listen: () => server,
  close: () => server,
  address: () => null,
};

export function serve(options) {
  // An app of Hono has routes, too: a list.
  if (typeof options?.fetch !== "function" || (options.routes && !Array.isArray(options.routes))) {
    throw new TypeError(
      "The server was given no fetch, or routes of Bun's own beside it: these are for Bun alone.",
    );
  }
  served = options;
  return server;
}

export { serve as serveOfBun };

export function createAdaptorServer(options) {
  return serve(options);
}

export default { fetch: (...values) => served.fetch(...values) };
