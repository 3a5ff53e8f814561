import { renderMarkdownTable } from '@phaseline/harness';
import { listGroups } from '../profile/list-groups.js';
import { STATEMENT_KINDS } from './classify-statement.js';
import type { CostRow } from './measure-costs.js';
import type { Counts } from './per-step.js';
import { nameWay } from './step-way.js';

type Column = readonly [title: string, format: (row: CostRow) => string];

const NAME_COLUMNS: readonly Column[] = [
  ['queues', ({ backend }) => backend],
  ['lane', nameWay],
  ['jobs', ({ jobs }) => String(jobs)],
];

/** Commands with fewer calls per step are not listed: timers send them, so they depend on how long a run takes. */
const MIN_CALLS_PER_STEP = 0.05;

/** Renders what a step costs as Markdown tables, each under its title. */
export function renderCosts(rows: readonly CostRow[]): string {
  const onRedis = rows.filter(({ backend }) => backend === 'redis');
  const parts = [
    '### The log, per step',
    renderRows(rows, [
      ['steps', ({ steps }) => String(steps)],
      ['events', ({ database }) => formatCount(database.events)],
      ['commits', ({ database }) => formatCount(database.commits)],
      ['WAL bytes', ({ database }) => formatWhole(database.walBytes)],
      ['WAL flushes', ({ database }) => formatCount(database.walFlushes)],
    ]),
    '### Statements, per step',
    renderRows(rows, [
      ['all', ({ statements }) => formatCount(sumCounts(statements))],
      ...STATEMENT_KINDS.map((kind): Column => [kind, ({ statements }) => formatCount(statements[kind])]),
    ]),
    '### Work of the process, per step',
    renderRows(rows, [
      ['JSON texts parsed', ({ work }) => formatCount(work.parses)],
      ['characters', ({ work }) => formatWhole(work.parsedCharacters)],
      ['JSON texts written', ({ work }) => formatCount(work.writes)],
      ['characters', ({ work }) => formatWhole(work.writtenCharacters)],
      ['hashes', ({ work }) => formatCount(work.hashes)],
      ['texts tokenised', ({ work }) => formatCount(work.tokenCounts)],
    ]),
    ...(onRedis.length === 0
      ? []
      : [
          '### Commands of Redis, per step',
          renderRows(onRedis, [
            ['all', ({ redisCommands }) => formatCount(sumCounts(redisCommands))],
            ['by name', ({ redisCommands }) => listCommands(redisCommands)],
          ]),
        ]),
    '### Processor time, µs per step',
    renderRows(rows, [
      ['Node.js', ({ processorMicros }) => formatWhole(processorMicros.node)],
      ['PostgreSQL', ({ processorMicros }) => formatWhole(processorMicros.postgres)],
      ['Redis', ({ backend, processorMicros }) => (backend === 'redis' ? formatWhole(processorMicros.redis) : '')],
      ['all', ({ processorMicros }) => formatWhole(sumCounts(processorMicros))],
    ]),
  ];
  if (rows.some(({ profile }) => profile))
    parts.push(
      '### Profile of Node.js, µs per step',
      renderRows(rows, [['largest self times', ({ profile = [] }) => listGroups(profile)]]),
    );
  return `${parts.join('\n\n')}\n`;
}

function renderRows(rows: readonly CostRow[], columns: readonly Column[]): string {
  const all = [...NAME_COLUMNS, ...columns];
  return renderMarkdownTable(
    all.map(([title]) => title),
    rows.map((row) => all.map(([, format]) => format(row))),
  );
}

function listCommands(commands: Counts): string {
  return Object.entries(commands)
    .filter(([, calls]) => calls >= MIN_CALLS_PER_STEP)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, calls]) => `${name.replace('|', ' ')} ${formatCount(calls)}`)
    .join(', ');
}

function sumCounts(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function formatCount(count: number): string {
  const text = count.toFixed(2);
  return text === '-0.00' ? '0.00' : text;
}

function formatWhole(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}
