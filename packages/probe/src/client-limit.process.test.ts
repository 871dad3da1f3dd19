import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SCRIPT = `
  import { createServer } from "node:http";
  import { createProbe } from ${JSON.stringify(join(import.meta.dirname, "probe.ts"))};
  const server = createServer((request, response) => response.end("hello"));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = "http://127.0.0.1:" + server.address().port;
  const expected = { status: 200, contentType: null, bytes: 5, sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", masks: [], variation: null, isPage: false };
  const kinds = [];
  const probes = Array.from({ length: 100 }, () => createProbe(url));
  for (const probe of probes) {
    const { error } = await probe.exchange("/", expected);
    kinds.push(error === null ? "answered" : error.kind + ": " + error.detail);
  }
  process.stdout.write(JSON.stringify(kinds));
  process.exit();
`;

test("a connection that the client's limit on open files forbids is the client's error, in its words", async () => {
  const command = 'ulimit -n 80 && exec "$0" --input-type=module-typescript -e "$1"';
  const { stdout } = await promisify(execFile)("sh", ["-c", command, process.execPath, SCRIPT]);
  const kinds = JSON.parse(stdout) as string[];
  const failed = kinds.filter((kind) => kind !== "answered");
  expect(failed.length).toBeGreaterThan(0);
  expect(kinds.length).toBeGreaterThan(failed.length);
  for (const kind of failed) {
    expect(kind).toBe(
      "client-limit: this process has as many open files as it may have (ulimit -n) (EMFILE)",
    );
  }
});
