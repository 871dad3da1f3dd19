import { defineCase, wholeResponse } from "@evenbench/core";

/** Addresses as servers get them; "#" stands for the number of the address. */
const SHAPES = [
  "https://shop.example/products/#?colour=green&size=m",
  "http://user:secret@host-#.example:8080/a/b/../c/./d",
  "https://example.com/search?q=caf%C3%A9+#&page=2&sort=price%20asc#results",
  "https://xn--bcher-kva.example/%7Euser/#/index.html",
  "https://[2001:db8::#]/status",
  "https://192.168.0.1/very/long/path/with/many/segments/#/and/a/file.tar.gz",
  "HTTPS://EXAMPLE.COM:443/Upper/Case/#",
  "https://cdn.example/images/a b/#.png?w=640&h=480&fit=crop",
] as const;
/** Numbers that stand for "#": each shape has so many addresses. */
const NUMBERS = 1000;
/** A base and its relative references, which every request resolves, too. */
const BASE = "https://example.com/docs/guide/intro?draft=1";
const REFERENCES = ["../api", "./next#top", "?page=3", "//other.example/x", "/root", "a/b/c?d=e"] as const;
/** The modulus of the checksum: a prime below 2^31. */
const MODULUS = 2_147_483_629;

export default defineCase({
  title: "URL parsing",
  kind: "URLs",
  description: "Parses 8,000 addresses with URL and URLSearchParams, changes each, and writes it again.",
  parameters: {
    passes: {
      type: "integer",
      default: 2,
      minimum: 1,
      maximum: 20,
      description: "Times that all addresses are parsed.",
    },
  },
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 34,
    sha256: "140a380065a8cb030835d49c7daad43a1ab84e997dd2245a8bb230a53a56f10b",
  },
  handle(_request, { passes }) {
    let sum = 0;
    let parsed = 0;
    for (let pass = 0; pass < passes; pass++) {
      for (const address of addresses()) {
        sum = checksum(sum, rewritten(address, pass));
        parsed += 1;
      }
      for (const reference of REFERENCES) {
        sum = checksum(sum, new URL(reference, BASE).href);
        parsed += 1;
      }
    }
    return wholeResponse(`${JSON.stringify({ parsed, sum })}\n`, "application/json");
  },
});

/** The addresses are the input, not the work: they are made once for each instance. */
let made: readonly string[] | undefined;

function addresses(): readonly string[] {
  made ??= Array.from({ length: NUMBERS }, (_, number) =>
    SHAPES.map((shape) => shape.replace("#", String(number))),
  ).flat();
  return made;
}

/** Parses an address, reads all of its parts, sets a parameter and writes it again. */
function rewritten(address: string, pass: number): string {
  const url = new URL(address);
  let values = 0;
  for (const [name, value] of url.searchParams) {
    values += name.length + value.length;
  }
  url.searchParams.set("pass", String(pass));
  const { protocol, hostname, port, pathname, hash } = url;
  return `${protocol}${hostname}${port}${pathname}${hash}${values}${url.href}`;
}

function checksum(before: number, text: string): number {
  let sum = before;
  for (let at = 0; at < text.length; at++) {
    sum = (sum * 31 + text.charCodeAt(at)) % MODULUS;
  }
  return sum;
}
