import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readIfThere, systemReason } from "@evenbench/core/user-file";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";

const root = testFolder();

/** What may be in the place of a user's file, with the words of the refusal. */
const NO_TEXTS: readonly (readonly [name: string, make: (file: string) => void, why: string])[] = [
  ["a folder", (file) => mkdirSync(file), "it is not a regular file"],
  ["a pipe", (file) => execFileSync("mkfifo", [file]), "it is not a regular file"],
  ["a device", (file) => symlinkSync("/dev/zero", file), "it is not a regular file"],
  ["a dangling link", (file) => symlinkSync("nowhere", file), "it is a link that leads nowhere"],
  ["a link to itself", (file) => symlinkSync(file, file), "ELOOP"],
  ["NUL characters", (file) => writeFileSync(file, "A=b\0"), "it has NUL characters"],
  ["UTF-16", (file) => writeFileSync(file, "\uFEFFA=b", "utf16le"), "it is written in UTF-16"],
  ["Latin 1", (file) => writeFileSync(file, "A=é", "latin1"), "it is no UTF-8 text"],
  ["65 MB", (file) => writeFileSync(file, Buffer.alloc(65 * 2 ** 20)), "the limit is"],
];

test.skipIf(process.platform === "win32").each(NO_TEXTS)(
  "%s in the place of a file is refused in one line, and not waited for",
  (name, make, why) => {
    const file = join(root, name);
    make(file);
    const refusal = new RegExp(`^${file} cannot be read: .*${why}.*Correct it, or move it away\\.$`);
    expect(() => readIfThere(file)).toThrow(refusal);
  },
);

test("a text is read without its byte order mark, also through a link; nothing is where nothing lies", () => {
  writeFileSync(join(root, "text"), "\uFEFFA=b\n");
  symlinkSync("text", join(root, "link"));
  expect(readIfThere(join(root, "link"))).toBe("A=b\n");
  expect(readIfThere(join(root, "none"))).toBeNull();
  expect(readIfThere(join(root, "text/below"))).toBeNull();
});

test.each([
  ["EACCES", "", /^EACCES: (.+) is user \d+'s and group \d+'s with mode \d+, and this is user \d+$/],
  ["EPERM", "none", /^EPERM: (.+?) is user /],
  ["ENOENT", "none", /^ENOENT$/],
])(
  "the reason of %s of a path below a folder says whose that is where it may not be used",
  (code, name, reason) => {
    const error = Object.assign(new Error("refused"), { code, path: join(root, name) });
    const [, path = root] = reason.exec(systemReason(error)) ?? ["", "no match"];
    expect(path).toBe(root);
  },
);
