import { expect, it } from 'vitest';
import { buildNode, buildPlan } from '../stage/stage.fixture.js';
import { schedulePlan } from './export.fixture.js';
import { renderScheduleTable } from './render-schedule-table.js';

const recurring = { time: 'recurring' } as const;
const plan = schedulePlan(
  buildPlan(
    [
      ...[buildNode('p', { title: '=Phase' }), buildNode('p.-.a', { title: 'Read, "write"\nand sum' })],
      ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '＝1', '1-1'].map((title, index) =>
        buildNode(`p.-.f${index}`, { title, estimateMinutes: 15 }),
      ),
      ...[buildNode('c', { ...recurring, recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=3' }), buildNode('c.-.b', recurring)],
    ],
    { overlapping: ['c'] },
  ),
);

/** Reads a table by the grammar of RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let match = field.exec(text); match; match = field.exec(text)) {
    rows.at(-1)!.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

it('writes a row per task', () => {
  const [header, ...rows] = parse(renderScheduleTable(plan));
  expect(header!.join()).toBe('task,title,phase,start,end,zone,recurrence,occurrences,float_minutes,critical');
  expect(rows).toHaveLength(9);
  expect(rows.every(({ length }) => length === header!.length)).toBe(true);
  expect(rows.find(([task]) => task === 'p.-.a')).toEqual([
    ...['p.-.a', 'Read, "write"\nand sum', "'=Phase", '2027-01-04 10:45', '2027-01-04 11:45', 'Europe/Berlin'],
    ...['', '1', '0', 'yes'],
  ]);
  expect(rows.find(([task]) => task === 'c.-.b')).toEqual([
    ...['c.-.b', 'Title of c.-.b', 'Title of c', '2027-01-05 09:00', '2027-01-05 10:00', 'Europe/Berlin'],
    ...['FREQ=WEEKLY;BYDAY=TU;COUNT=3', '3', '0', 'no'],
  ]);
});

it('lets no spreadsheet read a text as a formula', () => {
  const titles = parse(renderScheduleTable(plan)).map(([, title]) => title);
  for (const title of ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", "'＝1", '1-1']) expect(titles).toContain(title);
});
