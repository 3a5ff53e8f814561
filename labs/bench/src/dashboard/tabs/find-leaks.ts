/** Figures of one thing, such as a tab, at one time. Sizes are in megabytes (1,000,000 bytes). */
export type Figures = Readonly<Record<string, number>>;

/** All samples of one thing, oldest first. */
export interface Series {
  /** Such as `tab jobs` or `orchestrator`. */
  readonly name: string;
  readonly samples: readonly Figures[];
}

/** A figure that grew by more than its limit. */
export interface Leak {
  readonly name: string;
  readonly figure: string;
  /** What was compared (`compareThirds`). */
  readonly before: number;
  readonly after: number;
}

interface Limit {
  readonly percent: number;
  /** Smallest growth that counts, in the unit of the figure. */
  readonly least: number;
  /** Whether a pool opens and closes what is counted, so that the count goes up and down within a range. */
  readonly isPooled?: true;
}

/** How much a figure may grow until the last third: by the percentage or by the amount, whichever is more. */
export const GROWTH_LIMITS: Readonly<Record<string, Limit>> = {
  heap: { percent: 5, least: 2 },
  nodes: { percent: 5, least: 50 },
  listeners: { percent: 5, least: 10 },
  documents: { percent: 5, least: 1 },
  memory: { percent: 10, least: 20 },
  sockets: { percent: 5, least: 3, isPooled: true },
  connections: { percent: 5, least: 3, isPooled: true },
  listening: { percent: 0, least: 0 },
};

/** Lists the figures that grow, by `compareThirds`. Throws if there are fewer than three samples. */
export function findLeaks(series: readonly Series[]): readonly Leak[] {
  return series.flatMap(({ name, samples }) =>
    Object.keys(GROWTH_LIMITS).flatMap((figure) => {
      const values = samples.flatMap((sample) => sample[figure] ?? []);
      if (values.length === 0) return [];
      const { before, after } = compareThirds(figure, values);
      return exceedsLimit(GROWTH_LIMITS[figure]!, before, after) ? [{ name, figure, before, after }] : [];
    }),
  );
}

/**
 * Returns the medians of the second and of the last third; the first third is warm-up. For what a pool opens and closes, returns the
 * maximum before the last third and in it, because the median says only how busy the pool was. Throws if there are fewer than three values.
 */
export function compareThirds(
  figure: string,
  values: readonly number[],
): { readonly before: number; readonly after: number } {
  if (values.length < 3) throw new Error(`a trend needs at least 3 samples; there are ${values.length}`);
  const third = Math.floor(values.length / 3);
  if (GROWTH_LIMITS[figure]?.isPooled)
    return { before: Math.max(...values.slice(0, -third)), after: Math.max(...values.slice(-third)) };
  return { before: median(values.slice(-2 * third, -third)), after: median(values.slice(-third)) };
}

function exceedsLimit({ percent, least }: Limit, before: number, after: number): boolean {
  return after - before > Math.max((before * percent) / 100, least);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
