import { renderMarkdownTable } from '@phaseline/harness';
import type { Sample } from './sampler.js';

const MAX_ROWS = 12;
const MAX_TABLES = 4;

/** Renders samples as a table: at most 12 rows at even distances, with the tables that are largest at the end as columns. */
export function renderSamples(samples: readonly Sample[]): string {
  const rows = chooseEvenly(samples, MAX_ROWS);
  const processes = [...new Set(samples.flatMap(({ rssMiB }) => Object.keys(rssMiB)))];
  const tables = findLargestTables(samples.at(-1));
  return renderMarkdownTable(
    [
      'seconds',
      'progress',
      ...processes.map((name) => `${name} MiB`),
      ...tables.map((name) => `table ${name} MiB`),
      'commits/s',
    ],
    rows.map((sample, index) => [
      formatWhole(sample.seconds),
      formatWhole(sample.progress),
      ...processes.map((name) => formatWhole(sample.rssMiB[name])),
      ...tables.map((name) => formatWhole(sample.tablesMiB[name])),
      formatCommitRate(rows[index - 1], sample),
    ]),
  );
}

/** Returns at most `count` items, with the first and the last. */
function chooseEvenly<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, index) => items[Math.round((index * (items.length - 1)) / (count - 1))]!);
}

function findLargestTables(sample: Sample | undefined): string[] {
  return Object.entries(sample?.tablesMiB ?? {})
    .sort(([, left], [, right]) => right - left)
    .slice(0, MAX_TABLES)
    .map(([name]) => name);
}

/** Rate since the previous row. */
function formatCommitRate(previous: Sample | undefined, { seconds, commits }: Sample): string {
  if (previous === undefined || seconds === previous.seconds) return '-';
  return formatWhole((commits - previous.commits) / (seconds - previous.seconds));
}

function formatWhole(value: number | undefined): string {
  return value === undefined ? '-' : Math.round(value).toLocaleString('en-US');
}
