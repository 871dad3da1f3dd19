// Takes the place of `serve` of @hono/node-server: each platform's own server asks what it was given.
let served;

const server = {
  on: () => server,
  once: () => server,
  listen: () => server,
  close: () => server,
  address: () => null,
};

export function serve(options) {
  served = options;
  return server;
}

export function createAdaptorServer(options) {
  return serve(options);
}

export default { fetch: (...values) => served.fetch(...values) };
