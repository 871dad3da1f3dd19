/**
 * Makes a record without a prototype, which is safe for keys that others chose: nothing is found under "constructor",
 * and "__proto__" is a key like any other.
 */
export function openRecord<T>(entries: Iterable<readonly [string, T]> = []): Record<string, T> {
  const record: Record<string, T> = Object.create(null);
  for (const [key, value] of entries) {
    record[key] = value;
  }
  return record;
}
