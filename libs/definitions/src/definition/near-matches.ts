/** Suggests known names for a misspelt one: at most three that are equally close. Case, `_`, `-` and white space are ignored. */
export function findNearMatches(name: string, known: Iterable<string>): readonly string[] {
  const wanted = normalise(name);
  if (wanted === '' || wanted.length > 100) return [];
  const scored = [...known].map((candidate) => ({ candidate, distance: distanceOf(wanted, normalise(candidate)) }));
  const near = scored.filter(
    ({ distance, candidate }) => distance <= Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3)),
  );
  const nearest = Math.min(...near.map(({ distance }) => distance));
  return near
    .filter(({ distance }) => distance === nearest)
    .map(({ candidate }) => candidate)
    .sort()
    .slice(0, 3);
}

/** The known names that may be meant, as an addition to the sentence that a name is unknown; empty if none is near. */
export function suggestNear(name: string, known: Iterable<string>): string {
  const near = findNearMatches(name, known);
  return near.length > 0 ? `; did you mean ${near.map((one) => `'${one}'`).join(' or ')}?` : '';
}

function normalise(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Edit distance (insert, delete, replace, swap of neighbours). A common prefix counts as distance 1. */
function distanceOf(left: string, right: string): number {
  if (left === right) return 0;
  if (left.length >= 3 && (right.startsWith(left) || left.startsWith(right))) return 1;
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  const cost = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let i = 1; i <= left.length; i += 1) {
    const row = (rows[i] = [i]);
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      row[j] = Math.min(
        cost(i - 1, j) + 1,
        cost(i, j - 1) + 1,
        cost(i - 1, j - 1) + (same ? 0 : 1),
        swapped ? cost(i - 2, j - 2) + 1 : Infinity,
      );
    }
  }
  return cost(left.length, right.length);
}
