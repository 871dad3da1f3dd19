export function row(what: string, value: string): void {
  console.log(`${what.padEnd(56)} ${value}`);
}
