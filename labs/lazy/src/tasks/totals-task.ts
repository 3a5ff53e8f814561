import type { SeededRandom } from '@phaseline/harness';
import { completeTodo, readFile, renderJson, runNode, writeFile } from '../script/call.js';
import {
  createTotalsTruth,
  MONTHS,
  parseSales,
  REGIONS,
  SALES,
  sumBy,
  summarise,
  SUMMARY,
} from '../truth/totals-truth.js';
import type { Task } from './task.js';

export interface TotalsTask extends Task {
  readonly csv: string;
}

const ALL_REGIONS = ['north', 'south', 'east', 'west', 'centre'];

/** The task to sum up the sales of a CSV file by region and by month. */
export function generateTotalsTask(random: SeededRandom): TotalsTask {
  const regions = ALL_REGIONS.slice(0, random.between(3, 5));
  const rows = Array.from({ length: random.between(15, 40) }, (_, index) =>
    // Each region occurs. Amounts differ, so that there is one largest sale.
    [regions[index % regions.length]!, `2025-0${random.between(1, 6)}`, random.between(10, 9_000) * 100 + index].join(
      ',',
    ),
  );
  const csv = `region,month,amount\n${rows.join('\n')}\n`;
  const sales = parseSales(csv);
  return {
    name: 'totals',
    agent: 'totals-clerk',
    csv,
    documents: [{ path: SALES, content: csv }],
    files: [],
    outputs: [REGIONS, MONTHS, SUMMARY],
    instructions: `Sum up ${SALES}: ${REGIONS} and ${MONTHS} with rows and sum of each, ${SUMMARY} with rows, sum and the largest sale.\n`,
    todos: [
      {
        output: REGIONS,
        content: `Read ${SALES} and write ${REGIONS}: a list with region, rows and sum.`,
        work: [[readFile(SALES)], [writeFile(REGIONS, renderJson(sumBy(sales, 'region'))), completeTodo()]],
      },
      {
        output: MONTHS,
        content: `Compute ${MONTHS} from ${SALES}: a list with month, rows and sum.`,
        work: [[runNode('-e', MONTHS_PROGRAM), completeTodo('computed by a program')]],
      },
      {
        output: SUMMARY,
        content: `Write ${SUMMARY}: the number of rows, their sum and the largest sale.`,
        work: [[writeFile(SUMMARY, renderJson(summarise(sales))), completeTodo()]],
      },
    ],
    truth: createTotalsTruth(csv),
  };
}

/** Program that computes the months from the input. */
const MONTHS_PROGRAM = `
const fs = require('node:fs');
const months = {};
for (const line of fs.readFileSync('${SALES}', 'utf8').trim().split('\\n').slice(1)) {
  const [, month, amount] = line.split(',');
  const entry = (months[month] ??= { month, rows: 0, sum: 0 });
  entry.rows += 1;
  entry.sum += Number(amount);
}
fs.mkdirSync('output', { recursive: true });
fs.writeFileSync('${MONTHS}', JSON.stringify(Object.values(months)));
`;
