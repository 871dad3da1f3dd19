import handler from "./handler.mjs";

const server = Bun.serve({
  fetch: (request) => handler.fetch(request),
  hostname: process.env.HOST ?? "127.0.0.1",
  port: Number(process.env.PORT ?? 3000),
  // The most that Bun takes: a kept connection must not be closed between two rounds.
  idleTimeout: 255,
  reusePort: Number(process.env.EVENBENCH_WORKERS ?? 1) > 1,
});
process.send?.("listening");

process.once("SIGTERM", () => void server.stop().finally(() => process.exit(0)));
