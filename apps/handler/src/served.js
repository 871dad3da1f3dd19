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
  if (typeof options?.fetch !== "function") {
    throw new TypeError("The server was given no fetch. Routes of Bun's own are for Bun alone.");
  }
  served = options;
  return server;
}

export { serve as serveOfBun };

export function createAdaptorServer(options) {
  return serve(options);
}

export default { fetch: (...values) => served.fetch(...values) };
