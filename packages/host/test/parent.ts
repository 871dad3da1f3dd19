// A process that starts a host and then ends in one of the ways in which a command can end:
// `node parent.ts <platform.ts> <deployable> <log file> wait|throw|exit`. It prints the host's URL and pids once up.
import type { PlatformDefinition } from "@evenbench/core";

const [platformFile = "", deployable = "", logFile = "", ending = "wait"] = process.argv.slice(2);
const { default: platform }: { default: PlatformDefinition } = await import(platformFile);
const host = await platform.serve({ deployable, port: 0, logFile, cores: null, workers: 2, v8Flags: [] });
process.stdout.write(`${JSON.stringify({ url: host.url, pids: host.pids() })}\n`);

// The test says when, after it has looked at the processes.
process.stdin.once("data", () => {
  if (ending === "throw") throw new Error("on purpose");
  if (ending === "exit") process.exit(3);
});
