import { hash } from "node:crypto";

/**
 * Derives a seed for one purpose from a run's seed, from 0 to 2^32 - 1: the same purpose always gives the
 * same one.
 *
 * @param purpose what it is for, such as a case's id, the trial and the phase.
 */
export function deriveSeed(seed: number, ...purpose: readonly (string | number)[]): number {
  return hash("sha256", [seed, ...purpose].join("/"), "buffer").readUInt32BE(0);
}
