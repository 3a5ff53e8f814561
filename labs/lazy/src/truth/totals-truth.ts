import { findChangedInputs, parseJson, type Files, type FindFlaws, type GroundTruth } from './files.js';

export const SALES = 'documents/sales.csv';
export const REGIONS = 'output/regions.json';
export const MONTHS = 'output/months.json';
export const SUMMARY = 'output/summary.json';

export interface Sale {
  readonly region: string;
  readonly month: string;
  readonly amount: number;
}

export function parseSales(csv: string): readonly Sale[] {
  return csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .map(([region = '', month = '', amount = '']) => ({ region, month, amount: Number(amount) }));
}

/** Sums the amounts by one column, in the order of its values. */
export function sumBy(sales: readonly Sale[], column: 'region' | 'month'): readonly Record<string, unknown>[] {
  const groups = Map.groupBy(sales, (sale) => sale[column]);
  return [...groups]
    .map(([value, rows]) => ({ [column]: value, rows: rows.length, sum: sum(rows) }))
    .sort((a, b) => (String(a[column]) < String(b[column]) ? -1 : 1));
}

export function summarise(sales: readonly Sale[]): Record<string, unknown> {
  const largest = sales.reduce((best, sale) => (sale.amount > best.amount ? sale : best));
  return { rows: sales.length, sum: sum(sales), largest };
}

const sum = (sales: readonly Sale[]): number => sales.reduce((total, { amount }) => total + amount, 0);

/** Truth of the task to sum up sales. `csv` is the file that the job was given. */
export function createTotalsTruth(csv: string): GroundTruth {
  const sales = parseSales(csv);
  const parts: Record<string, FindFlaws> = {
    [REGIONS]: (files) => compare(files, REGIONS, sumBy(sales, 'region')),
    [MONTHS]: (files) => compare(files, MONTHS, sumBy(sales, 'month')),
    [SUMMARY]: (files) => compare(files, SUMMARY, summarise(sales)),
  };
  return {
    job: async (files) => [
      ...findChangedInputs(new Map([[SALES, csv]]), files),
      ...(await Promise.all(Object.values(parts).map((part) => part(files)))).flat(),
    ],
    parts,
  };
}

function compare(files: Files, path: string, expected: unknown): readonly string[] {
  const text = files.get(path);
  if (text === undefined) return [`${path} does not exist`];
  return sortMembers(parseJson(text)) === sortMembers(expected) ? [] : [`${path} has other figures`];
}

/** JSON in which the order of members and of items does not count. */
function sortMembers(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortMembers).sort().join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${sortMembers(member)}`);
  return `{${members.sort().join(',')}}`;
}
