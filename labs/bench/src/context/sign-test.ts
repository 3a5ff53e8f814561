/** Two-sided sign test: probability of a split at least this uneven if both outcomes are equally likely. */
export function signTest(left: number, right: number): number {
  const all = left + right;
  let tail = 0;
  let ways = 1;
  for (let count = 0; count <= Math.min(left, right); count += 1) {
    tail += ways;
    ways = (ways * (all - count)) / (count + 1);
  }
  return Math.min(1, (2 * tail) / 2 ** all);
}
