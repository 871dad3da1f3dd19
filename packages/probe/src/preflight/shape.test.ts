import { randomBytes } from "node:crypto";
import { maskBody } from "@evenbench/core";
import { expect, test } from "vitest";
import { findShape, hasShape, maskedText, masksOf, type Shape } from "./shape.ts";

function shapeOf(bodies: readonly string[]): Shape {
  const outcome = findShape(bodies);
  if ("refusal" in outcome) {
    throw new Error(outcome.refusal);
  }
  return outcome.shape;
}

function refusalOf(bodies: readonly string[]): string {
  const outcome = findShape(bodies);
  return "refusal" in outcome ? outcome.refusal : "none";
}

/** Text that is long enough for a piece to be a small share of it. */
const LONG = "<p>The same text in every answer, which is long enough.</p>\n".repeat(20);

test.each<[string, readonly string[], string, string]>([
  ["a clock of one second", ["10:00:09", "10:00:09", "10:00:10"], "time stamp", "[time]"],
  ["a clock that reaches an hour of one digit", ["9:59:59 AM", "10:00:00 AM"], "time stamp", "[time]"],
  ["an ISO date", ["2026-11-27T10:00:00.001Z", "2026-11-27T10:00:00.5Z"], "time stamp", "[time]"],
  [
    "a date of HTTP",
    ["Fri, 27 Nov 2026 10:00:00 GMT", "Fri, 27 Nov 2026 10:00:01 GMT"],
    "time stamp",
    "[time]",
  ],
  ["milliseconds since 1970", ["1795777200123", "1795777201999"], "time stamp", "[number]"],
  ["a counter from 9 to 10", ["8", "9", "10"], "counter", "[number]"],
  ["a duration", ["0.25", "12.125", "3"], "number", "[number]"],
  ["a UUID", [uuid("a"), uuid("b")], "UUID", "[token]"],
  ["a nonce of base64", ["q1+c/3a", "Zz/9+x2b"], "random token", "[token]"],
  ["a random number in base 36", ["k3x9q0z1p", "zz81m"], "random token", "[token]"],
])("%s is found, hidden whole and named", (_, texts, title, label) => {
  const bodies = texts.map((text) => `${LONG}<b id="x">${text}</b>${LONG}`);
  const shape = shapeOf(bodies);
  expect(shape.slots).toMatchObject([{ title, samples: texts, places: 1 }]);
  expect(maskedText(shape)).toBe(`${LONG}<b id="x">${label}</b>${LONG}`);
  for (const body of bodies) {
    expect(hasShape(shape, body)).toBe(true);
    expect(masked(shape, bodies, body)).toBe(maskedText(shape));
  }
});

function uuid(letter: string): string {
  return "00000000-0000-4000-8000-00000000000x".replaceAll("x", letter);
}

function masked(shape: Shape, bodies: readonly string[], body: string): string {
  return maskBody(body, { masks: masksOf(shape, bodies) ?? [], variation: null });
}

test("the time stamps of a long list are one kind, though the clock moves on within an answer", () => {
  const items = (start: number, perMillisecond: number) => {
    const at = Array.from({ length: 1000 }, (_, item) => start + Math.floor(item / perMillisecond));
    const rows = at.map((time, item) => `<li>Item ${item}, made at ${time}</li>`);
    return `${rows.join("")}<script>[${at.map((time) => `{made:${time},of:"us"}`).join()}]</script>${LONG}`;
  };
  const bodies = [items(1795777200123, 90), items(1795777201999, 70), items(1795777203001, 1000)];
  const shape = shapeOf(bodies);
  expect(new Set(shape.slots.map(({ title }) => title))).toEqual(new Set(["time stamp"]));
  expect(new Set(bodies.map((body) => masked(shape, bodies, body))).size).toBe(1);
  expect(masked(shape, bodies, items(1795777300000, 50))).toBe(maskedText(shape));
});

test("time stamps of several forms behind the same text are pieces of their own", () => {
  const body = (second: number) =>
    `${LONG}<td>2026-11-27T10:00:0${second}Z</td><td>10:00:0${second} AM</td><td>179577720${second}</td>${LONG}`;
  const bodies = [body(1), body(2), body(4)];
  const shape = shapeOf(bodies);
  expect(shape.slots.map(({ family }) => family)).toEqual(["time", "time", "number"]);
  expect(bodies.map((text) => hasShape(shape, text))).toEqual([true, true, true]);
  expect(masked(shape, bodies, body(7))).toBe(maskedText(shape));
});

test("masks hide later texts of the same kind, and nothing else", () => {
  const body = (count: number, items: number) =>
    `${LONG}<i>visits: ${count}</i><i>items: ${items}</i>${LONG}`;
  const bodies = [body(8, 5), body(9, 5)];
  const shape = shapeOf(bodies);
  expect(masked(shape, bodies, body(12345, 5))).toBe(masked(shape, bodies, body(8, 5)));
  expect(masked(shape, bodies, body(8, 6))).not.toBe(masked(shape, bodies, body(8, 5)));
  expect(hasShape(shape, body(10, 5))).toBe(true);
  expect(hasShape(shape, body(10, 6))).toBe(false);
});

test("several pieces are told apart, also where little stands between them", () => {
  const shape = shapeOf(['{"at":"10:00:01","n":8,"ok":true}', '{"at":"10:00:02","n":9,"ok":true}']);
  expect(maskedText(shape)).toBe('{"at":"[time]","n":[number],"ok":true}');
  const list = shapeOf([`${LONG}[1,5,2,3]`, `${LONG}[2,5,3,40]`]);
  expect(maskedText(list)).toBe(`${LONG}[[number],5,[number],[number]]`);
  const bodies = [`${LONG}[1,5,2,3]`, `${LONG}[2,5,3,40]`];
  expect(masked(list, bodies, `${LONG}[9,5,8,77]`)).toBe(maskedText(list));
  expect(masked(list, bodies, `${LONG}[9,6,8,77]`)).not.toBe(maskedText(list));
});

test("a nonce at many places is one piece, and one mask hides it", () => {
  const page = (nonce: string) =>
    LONG.repeat(10) +
    Array.from({ length: 30 }, (_, index) => `<script src="/${index}.js" nonce="${nonce}"></script>`).join(
      "",
    );
  const bodies = ["a1b2c3d4e5f60718", "00ff00ff00ff00f1", "deadbeefdeadbee2"].map(page);
  const shape = shapeOf(bodies);
  expect(shape.slots).toMatchObject([{ title: "random token", places: 30 }]);
  const masks = masksOf(shape, bodies) ?? [];
  expect(masks).toHaveLength(1);
  expect(masked(shape, bodies, page("ffffffffffffff11"))).toBe(maskedText(shape));
  expect(masked(shape, bodies, page("short"))).not.toBe(maskedText(shape));
});

test("what differs between targets in each of their answers is hidden by no mask of either", () => {
  const body = (time: string, items: number) => `${LONG}<p>${items} items at ${time}</p>`;
  const a = shapeOf([body("10:00:01", 5), body("10:00:02", 5)]);
  const b = shapeOf([body("10:00:01", 6), body("10:00:03", 6)]);
  expect(maskedText(a)).not.toBe(maskedText(b));
  const constant = shapeOf([body("10:00:01", 5)]);
  expect(maskedText(a)).not.toBe(maskedText(constant));
});

test.each<[string, readonly string[], string]>([
  ["words", ["Alice", "Bob"].map((name) => `${LONG}<p>Hello ${name}</p>`), "no time, number or random token"],
  ["a body that is nothing but a token", ["a1b2c3d4e5", "f6a7b8c9d0"], "nothing of it stays the same"],
  ["nine numbers", [nine(0), nine(1)], "9 parts of it vary, and 8 may"],
  [
    "a large share of a body",
    ["a", "b"].map((digit) => `${LONG}${`${digit}1`.repeat(60)}`),
    "120 of its 1320 bytes vary, and 5 % may",
  ],
  ["bodies with nothing in common", [LONG, LONG.toUpperCase()], "too much of it varies"],
  [
    "another order of elements",
    [`${LONG}<a>1</a><b>2</b>`, `${LONG}<b>2</b><a>1</a>`],
    "no time, number or random",
  ],
  ["an element more", [`${LONG}<li>1</li>`, `${LONG}<li>1</li><li>2</li>`], "cannot be told"],
])("of %s no shape is found, with the reason", (_, bodies, reason) => {
  expect(refusalOf(bodies)).toContain(reason);
});

function nine(offset: number): string {
  return (
    LONG + Array.from({ length: 9 }, (_, index) => `<p>${index * 10 + offset + index ** 2}</p>`).join(" and ")
  );
}

test("random and binary bodies are refused", () => {
  const random = () => randomBytes(5000).toString("latin1");
  expect(refusalOf([random(), random(), random()])).toContain("too much of it varies");
  const hexadecimal = () => randomBytes(5000).toString("hex");
  expect(refusalOf([hexadecimal(), hexadecimal()])).not.toBe("none");
});

test("long bodies of which everything or a little differs are judged without an end that is not near", {
  timeout: 60_000,
}, () => {
  const megabytes = 10 * 2 ** 20;
  const long = LONG.repeat(Math.ceil(megabytes / LONG.length));
  const clock = (second: number) => `${long}<p>10:00:0${second}</p>${long}`;
  expect(shapeOf([1, 1, 2, 3].map(clock)).slots).toMatchObject([{ title: "time stamp" }]);
  const random = () => randomBytes(megabytes).toString("latin1");
  expect(refusalOf([random(), random()])).not.toBe("none");
  const alike = (letter: string) => `${"a".repeat(200)}${letter}`.repeat(megabytes / 201);
  expect(refusalOf([alike("1"), alike("2")])).not.toBe("none");
});
