// vinext's own server for production, as its documentation starts it ("Custom standalone entries"). It closes
// connections after 5 s without a request, and drops requests in flight at SIGTERM.
import { join } from "node:path";
import { startProdServer } from "vinext/server/prod-server";

const { server } = await startProdServer({
  port: Number(process.env.PORT),
  host: process.env.HOST,
  outDir: join(import.meta.dirname, "dist"),
});

server.keepAliveTimeout = Number(process.env.KEEP_ALIVE_TIMEOUT ?? 65_000);

process.once("SIGTERM", () => {
  // Requests in flight are finished. Their connections turn idle only after that.
  setInterval(() => server.closeIdleConnections(), 20);
  server.close(() => process.exit(0));
});
