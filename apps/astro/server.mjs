// Astro's own server closes connections after 5 s without a request, and drops requests in flight at SIGTERM.
process.env.ASTRO_NODE_AUTOSTART = "disabled";
process.env.ASTRO_NODE_LOGGING = "disabled";
const { startServer } = await import(new URL("server/entry.mjs", import.meta.url).href);
const { server } = startServer().server;

server.keepAliveTimeout = Number(process.env.KEEP_ALIVE_TIMEOUT ?? 65_000);

process.once("SIGTERM", () => {
  // Requests in flight are finished. Their connections turn idle only after that.
  setInterval(() => server.closeIdleConnections(), 20);
  server.close(() => process.exit(0));
});
