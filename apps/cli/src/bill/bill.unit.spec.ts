import type { JobId } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { BillReport } from './bill-report.js';
import { renderBill, renderBillProgress } from './render-bill.js';

const JOB = '0189cf00-0000-4000-8000-000000000001' as JobId;
const calls = (factor: number) => ({
  calls: 10,
  inputTokens: 1_000 * factor,
  cachedInputTokens: 100 * factor,
  outputTokens: 50,
  costMicroUsd: 20_000 * factor,
});

it('bills are added up, with their bands, and jobs without one are counted by reason', () => {
  const report = new BillReport();
  report.add({ kind: 'started', release: '1', jobs: 3 });
  for (const factor of [2, 3])
    report.add({
      kind: 'billed',
      bill: { jobId: JOB, recorded: calls(1), changed: calls(factor), band: [30_000 * factor, 50_000 * factor] },
    });
  report.add({ kind: 'unbilled', jobId: JOB, reason: 'no model was called' });
  expect(renderBillProgress(report)).toMatch(/3 of 3 jobs billed$/);
  const lines = renderBill(report.summarise(), createPaint(false));
  expect(lines.map((line) => line.trimEnd().replace(/ {2,}/g, ' | '))).toEqual([
    '2 jobs | calls | tokens in | cached | out | cost',
    'recorded | 20 | 2000 | 200 | 100 | $0.0400',
    'supposed | 20 | 5000 | 500 | 100 | $0.1000',
    '+150.0 %',
    'With another tokeniser between $0.1500 and $0.2500, as others count the same texts.',
    'No bill for 1 job: no model was called',
    ` | such as ${JOB}`,
  ]);
});
