import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, test, vi } from "vitest";
import { folderOfEachTest } from "../test/folder.ts";
import { ownFolder, ownVisibleFolder, scratchFolder } from "./own-folder.ts";

let folder: string;
folderOfEachTest((path) => {
  folder = path;
  vi.stubEnv("XDG_CACHE_HOME", join(folder, "deep", "caches"));
  vi.stubEnv("TMPDIR", join(folder, "temporary"));
});

test("Evenbench's folder lies in the user's caches, and nobody else can look into it", () => {
  const found = ownFolder("ports");
  expect(found).toBe(join(folder, "deep/caches/evenbench/ports"));
  expect(lstatSync(found).mode & 0o777).toBe(0o700);
  expect(ownFolder("ports")).toBe(found);
});

test("a relative XDG_CACHE_HOME is ignored, as its specification says, and a relative TMPDIR means one place", async () => {
  vi.stubEnv("XDG_CACHE_HOME", "caches");
  vi.stubEnv("HOME", join(folder, "home"));
  expect(ownFolder("ports")).toBe(join(folder, "home/.cache/evenbench/ports"));
  vi.stubEnv("TMPDIR", relative("", folder));
  expect(dirname((await scratchFolder("relative")).path)).toBe(folder);
});

test("servers are started from no folder below one whose name begins with a dot", () => {
  expect(ownVisibleFolder("served")).toBe(ownFolder("served"));
  vi.stubEnv("XDG_CACHE_HOME", join(folder, ".caches"));
  vi.stubEnv("HOME", folder);
  expect(ownVisibleFolder("served")).toBe(join(folder, "evenbench-copies", "served"));
});

const spoil: Record<string, (place: string) => void> = {
  "a link": (place) => {
    mkdirSync(join(folder, "victim"));
    symlinkSync(join(folder, "victim"), place);
  },
  "a file": (place) => writeFileSync(place, ""),
  "a folder that others can write": (place) => {
    mkdirSync(place);
    chmodSync(place, 0o777);
  },
};

test.each(Object.keys(spoil))("%s in its place is not used", (kind) => {
  const caches = join(folder, "deep/caches");
  mkdirSync(caches, { recursive: true });
  spoil[kind]?.(join(caches, "evenbench"));
  const instead = join(folder, "temporary", `evenbench-${userInfo().uid}`, "ports");
  expect(ownFolder("ports")).toBe(instead);
  rmSync(instead, { recursive: true });
  spoil["a file"]?.(instead);
  expect(() => ownFolder("ports")).toThrow(
    /no folder to keep ports in: .* (is not a folder|EEXIST).*XDG_CACHE_HOME/,
  );
});

test("a folder is not made where others could put another one in its place", () => {
  const caches = join(folder, "deep/caches");
  mkdirSync(caches, { recursive: true });
  chmodSync(caches, 0o777);
  expect(ownFolder("ports")).toContain(join(folder, "temporary"));
  chmodSync(caches, 0o1777);
  expect(ownFolder("ports")).toContain(caches);
});
