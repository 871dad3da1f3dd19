import handler from "./handler.mjs";

const server = Deno.serve(
  {
    hostname: process.env.HOST ?? "127.0.0.1",
    port: Number(process.env.PORT ?? 3000),
    reusePort: Number(process.env.EVENBENCH_WORKERS ?? 1) > 1,
    onListen: () => process.send?.("listening"),
  },
  (request) => handler.fetch(request),
);

process.once("SIGTERM", () => void server.shutdown().finally(() => process.exit(0)));
