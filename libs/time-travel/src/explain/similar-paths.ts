/** Maximum names that are suggested. */
const MAX_SUGGESTIONS = 3;

/** Returns the paths that are most like a path that does not exist: the same file name first, then the most common letters. */
export function findSimilarPaths(path: string, paths: readonly string[]): readonly string[] {
  const wanted = toPairs(path);
  const name = getName(path).toLowerCase();
  return paths
    .map((other) => ({
      other,
      likeness: compare(wanted, toPairs(other)) + (getName(other).toLowerCase() === name ? 1 : 0),
    }))
    .filter(({ likeness }) => likeness > 0.4)
    .sort((left, right) => right.likeness - left.likeness || (left.other < right.other ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ other }) => other);
}

function getName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Pairs of neighbouring letters (Sørensen-Dice). */
function toPairs(path: string): ReadonlySet<string> {
  const text = path.toLowerCase();
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
}

function compare(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const common = [...left].filter((pair) => right.has(pair)).length;
  return (2 * common) / Math.max(1, left.size + right.size);
}
