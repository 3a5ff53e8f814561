/** Counts by name. A missing name means zero. */
export type Counts<Name extends string = string> = Readonly<Record<Name, number>>;

/** Subtracts the counts before from those after. */
export function subtractCounts<Name extends string>(after: Counts<Name>, before: Partial<Counts<Name>>): Counts<Name> {
  return mapCounts(after, (count, name) => count - (before[name] ?? 0));
}

/** Returns what each of a number of steps adds. */
export function divideCounts<Name extends string>(counts: Counts<Name>, steps: number): Counts<Name> {
  return mapCounts(counts, (count) => count / steps);
}

function mapCounts<Name extends string>(
  counts: Counts<Name>,
  map: (count: number, name: Name) => number,
): Counts<Name> {
  const entries = Object.entries<number>(counts).map(([name, count]) => [name, map(count, name as Name)]);
  return Object.fromEntries(entries) as Counts<Name>;
}
