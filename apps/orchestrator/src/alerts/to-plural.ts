/** Formats a number with its noun: `1 message waits`, `2 messages wait`. */
export function toPlural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
