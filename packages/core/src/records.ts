/** Makes a record without a prototype, safe for keys that others chose, such as "constructor" and "__proto__". */
export function openRecord<T>(entries: Iterable<readonly [string, T]> = []): Record<string, T> {
  const record: Record<string, T> = Object.create(null);
  for (const [key, value] of entries) {
    record[key] = value;
  }
  return record;
}
