import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOfEachTest } from "../test/folder.ts";
import { exclusively } from "./exclusively.ts";

let folder: string;
folderOfEachTest((path) => {
  folder = path;
});

test("work under one lock waits for the process that holds it, names it, and goes on where that one is killed", async () => {
  const lock = join(folder, "dist/lock");
  const log = join(folder, "log");
  const source = `import { appendFileSync } from "node:fs";
    import { exclusively } from ${JSON.stringify(join(import.meta.dirname, "exclusively.ts"))};
    await exclusively(${JSON.stringify(lock)}, async () => {
      process.stdout.write("held");
      await new Promise((resolve) => process.stdin.once("data", resolve));
      appendFileSync(${JSON.stringify(log)}, "killed");
      process.kill(process.pid, "SIGKILL");
    });`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  const holders: (number | null)[] = [];
  const read = await exclusively(lock, () => readFile(log, "utf8"), {
    onWait(pid) {
      holders.push(pid);
      holder.stdin.write("end");
    },
  });
  expect(read).toBe("killed");
  expect(holders).toEqual([holder.pid]);
});

test("in one process, too, one work ends before the next begins", async () => {
  const log = join(folder, "log");
  const work = async (name: string): Promise<void> => {
    await appendFile(log, `${name} begins\n`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await appendFile(log, `${name} ends\n`);
  };
  const names = ["a", "b", "c"];
  await Promise.all(names.map((name) => exclusively(join(folder, "lock"), () => work(name))));
  const lines = (await readFile(log, "utf8")).trim().split("\n");
  const pairs = [0, 2, 4].map((index) => lines.slice(index, index + 2).join(", "));
  expect(pairs.sort()).toEqual(names.map((name) => `${name} begins, ${name} ends`));
});

test("waiting ends where its signal aborts, and the lock is free again", async () => {
  const lock = join(folder, "lock");
  const controller = new AbortController();
  await exclusively(lock, async () => {
    const waiting = exclusively(lock, async () => "never", {
      signal: controller.signal,
      onWait: () => controller.abort(),
    });
    await expect(waiting).rejects.toThrow("aborted");
  });
  expect(await exclusively(lock, async () => "free")).toBe("free");
});
