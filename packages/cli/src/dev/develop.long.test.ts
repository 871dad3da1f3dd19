import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { stillRunning } from "@evenbench/host/testing";
import { listen } from "@evenbench/probe/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type DevCommand, startDev } from "../../test/dev-command.ts";
import { evenbench, testFolder, words } from "../../test/evenbench.ts";
import { type ScratchRepository, scratchRepository } from "../../test/scratch-repository.ts";
import { createFolder } from "../commands/new.ts";

testFolder();

/** A server that is being started again refuses requests: polls ask again. */
const ask = (url: string) => fetch(url, { signal: AbortSignal.timeout(5_000) });

describe("over a copy of the repository", () => {
  let scratch: ScratchRepository;
  let dev: DevCommand;
  beforeAll(async () => {
    scratch = await scratchRepository();
    dev = await startDev(scratch.root, "--filter", "cloudflare,node,vercel");
  });
  afterAll(() => scratch?.[Symbol.asyncDispose]());
  beforeEach(({ onTestFailed }) => onTestFailed(() => console.error(dev.output.join("\n"))));

  const source = () => join(scratch.root, "packages/cases/fresh/case.ts");
  /** Writes once, however much is replaced: each time that it is written all targets are built. */
  const edit = async (...replaced: readonly (readonly [from: string, to: string])[]) => {
    let text = await readFile(source(), "utf8");
    for (const [from, to] of replaced) {
      expect(text).toContain(from);
      text = text.replace(from, to);
    }
    await writeFile(source(), text);
  };
  async function everywhere(path: string): Promise<Record<string, string>> {
    const bodies = dev.servers().map(async ({ name, url }) => [name, await (await ask(url + path)).text()]);
    return Object.fromEntries(await Promise.all(bodies));
  }
  const all = (body: string) => ({ cloudflare: body, node: body, vercel: body });
  const servedFresh = (edited: string) =>
    expect
      .poll(() => everywhere("/fresh?every=5"))
      .toEqual(all(`{"every":5,"range":"published","sum":"0.0000"${edited}}\n`));

  test("every target says that it is for developing, and a run refuses to measure it", async () => {
    expect(dev.output[0]).toContain("Not to be measured");
    const servers = dev.servers();
    for (const { url } of servers) {
      expect(await (await fetch(`${url}/identity`)).json()).toMatchObject({
        pins: { mode: "development", "nodeEnv.artifact": "development" },
      });
    }
    const targets = servers.flatMap(({ name, url }) => ["--target", `my-${name}=${url}`]);
    const args = words`run --no-build --case empty --out ${scratch.root}`;
    const { code, stderr } = await evenbench(...args, ...targets);
    for (const { name, url } of servers) {
      expect(stderr).toContain(
        `my-${name} at ${url} is a development server, and development builds are never measured.`,
      );
    }
    expect(code).toBe(1);
  });

  test("a new case is served by all targets", async () => {
    await createFolder("case", "fresh", scratch.root);
    await servedFresh("");
  });

  test("an edited case gives its new body, also by a server that died: it is started again then", async () => {
    // It may answer before it is known to be up.
    await expect.poll(() => dev.last("cloudflare")).toMatch(/^cloudflare is up/);
    const [, pids = ""] = /\(pid (.*)\)/.exec(dev.last("cloudflare")) ?? [];
    for (const pid of pids.split(", ")) {
      process.kill(Number(pid), "SIGKILL");
    }
    await expect.poll(() => dev.last("cloudflare")).toMatch(/^cloudflare is down: /);
    await edit(["{ every, range, sum: rounded(sum) }", "{ every, range, sum: rounded(sum), edited: true }"]);
    await servedFresh(',"edited":true');
  });

  test("a case that breaks is named with its reason while the others go on, and comes back when it is fixed", async () => {
    await edit(
      ["export default", "throw new Error('on purpose');\nexport default"],
      ["const sum", "if (every === 7) throw new RangeError('x\\nseven');\n    const sum"],
    );
    await expect
      .poll(() => dev.last("packages/cases/fresh/case.ts"))
      .toContain("is left out: its top level threw: Error: on purpose");
    const [server] = dev.servers();
    const broken = async () => {
      const response = await ask(`${server?.url}/fresh`);
      return { status: response.status, body: await response.text() };
    };
    await expect
      .poll(broken)
      .toEqual({ status: 500, body: expect.stringContaining("its top level threw: Error: on purpose") });
    await expect.poll(() => everywhere("/empty")).toEqual(all(""));
    await edit(["throw new Error('on purpose');\n", ""]);
    await servedFresh(',"edited":true');
  });

  test("what a handler throws is in the answer of each, and once in the terminal with its place in the source", async () => {
    const told = expect.stringContaining('"detail":"case \\"fresh\\" threw: RangeError: x\\nseven"');
    await expect.poll(() => everywhere("/fresh?every=7")).toEqual(all(told));
    const line = (await readFile(source(), "utf8")).split(/^.*seven/m)[0]?.split("\n").length;
    const places = () => dev.output.join("\n").match(/(?<=seven\n +at .*\()packages.*(?=:\d+\))/g);
    await expect.poll(places).toEqual([`packages/cases/fresh/case.ts:${line}`]);
  });

  test("what a framework's page throws is in the terminal, too", async () => {
    const page = "apps/sveltekit/src/routes/sveltekit-page/+page.server.ts";
    const text = await readFile(join(scratch.root, page), "utf8");
    await scratch.write(
      page,
      text.replace("  return {", "  if (page) throw new RangeError('eight');\n  return {"),
    );
    const framework = await startDev(scratch.root, "--filter", "sveltekit");
    if (scratch.root.includes("'")) {
      const said = framework.output.join("\n");
      expect(said).toContain(
        "sveltekit: SvelteKit's own server does not work below a folder with ' in its name",
      );
      return;
    }
    expect((await ask(`${framework.servers()[0]?.url}/sveltekit-page`)).status).toBe(500);
    const output = () => framework.output.join("\n");
    await expect.poll(output).toMatch(/^sveltekit: RangeError: eight\n +at load \(.*\+page\.server\.ts:\d+/m);
    await framework.interrupt();
  });

  test("Ctrl-C ends every process", async () => {
    const { code, below } = await dev.interrupt();
    expect(code).toBe(130);
    expect(below.length).toBeGreaterThan(3);
    expect(await stillRunning(below)).toEqual([]);
  });
});

test("a port that is taken is one clear line, and nothing was started", async () => {
  const { port } = new URL(await listen(createServer()));
  const { code, stderr } = await evenbench("dev", "--filter", "node", "--port", port);
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`^evenbench: Port ${port} on 127.0.0.1 is taken.*\n$`));
});
