import { useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import './chart.css';

export interface ChartData {
  /** Times of the points in seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly values: readonly number[];
}

const HEIGHT = 84;

/**
 * A small chart of one series over time. The library is loaded when a chart is shown first. The picture says nothing to screen readers, so
 * `summary` says in words what it shows.
 */
export function Chart({
  title,
  summary,
  data,
  syncKey,
}: {
  readonly title: string;
  readonly summary: string;
  readonly data: ChartData;
  /** Charts with the same key show the same point under the pointer. */
  readonly syncKey: string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const latest = useRef(data);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    let isGone = false;
    let stop = (): void => undefined;
    void import('./draw-chart.js').then(({ drawChart }) => {
      if (isGone) return;
      const drawn = drawChart(element, { title, height: HEIGHT, syncKey });
      drawn.chart.setData(toColumns(latest.current));
      chart.current = drawn.chart;
      stop = drawn.stop;
    });
    return () => {
      isGone = true;
      stop();
      chart.current = undefined;
    };
  }, [title, syncKey]);
  useEffect(() => {
    latest.current = data;
    chart.current?.setData(toColumns(data));
  }, [data]);
  return (
    <figure className="chart">
      <figcaption>
        <strong>{title}</strong> <span className="muted">{summary}</span>
      </figcaption>
      <div ref={place} className="chart-place" aria-hidden="true" />
    </figure>
  );
}

function toColumns({ times, values }: ChartData): uPlot.AlignedData {
  return [[...times], [...values]];
}
