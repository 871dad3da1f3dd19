import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { claimPort } from "@evenbench/host";
import { afterEach, expect, test } from "vitest";
import { connectInspector, ProfileError } from "./inspector.ts";

let inspected: ChildProcess | undefined;
afterEach(async () => {
  const ended = inspected;
  inspected = undefined;
  if (ended === undefined || !ended.kill("SIGKILL")) return;
  await once(ended, "exit");
});

/** An idle process of its own: an inspector opened and closed within the test's process can crash it. */
async function openPort(): Promise<number> {
  const port = await claimPort(0);
  inspected = spawn(
    process.execPath,
    [`--inspect=127.0.0.1:${port}`, "-e", "console.log('ready'); setInterval(() => {}, 1000)"],
    { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, NODE_OPTIONS: "" } },
  );
  await once(inspected.stdout as NodeJS.ReadableStream, "data");
  return port;
}

test("a method's result comes back; one that does not exist is refused in the inspector's words", async () => {
  const session = await connectInspector(await openPort());
  expect(await session.call("Runtime.evaluate", { expression: "6 * 7" })).toMatchObject({
    result: { value: 42 },
  });
  await expect(session.call("Nothing.such")).rejects.toThrow("'Nothing.such' wasn't found");
  session.close();
});

test("a connection that ends fails what was asked, and all that comes after", async () => {
  const session = await connectInspector(await openPort());
  const asked = session.call("Runtime.evaluate", {
    expression: "new Promise(() => {})",
    awaitPromise: true,
  });
  session.close();
  await expect(asked).rejects.toThrow(ProfileError);
  await expect(session.call("Profiler.enable")).rejects.toThrow("ended");
});

test("a port where nothing listens is said, with the reason", async () => {
  const port = await claimPort(0);
  await expect(connectInspector(port)).rejects.toThrow(
    new RegExp(`does not answer at http://127\\.0\\.0\\.1:${port}/json .*ECONNREFUSED`),
  );
});
