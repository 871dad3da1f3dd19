/** Keeps the collector busy: what is allocated lives for a while. */
export function churn(): number {
  const kept: { index: number; text: string }[] = [];
  for (let index = 0; index < 60_000; index++) kept.push({ index, text: `item ${index}` });
  return kept.length;
}
