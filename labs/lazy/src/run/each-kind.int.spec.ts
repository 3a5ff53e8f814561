import { toSampleSeed } from '@phaseline/harness';
import { afterAll, expect, it } from 'vitest';
import { kinds } from '../kinds/kinds.js';
import { openLab } from './open-lab.js';
import { planRuns } from './plan-runs.js';
import { runOne } from './run-one.js';

/** A refused claim of tests is repeated up to five times, each in a sandbox of its own. */
const TIMEOUT_MS = 300_000;

const { lab, close } = await openLab();
afterAll(close);

it.each(['requirements', 'totals', 'report', 'code', 'features'] as const)(
  'an honest model completes the task %s',
  { timeout: TIMEOUT_MS },
  async (task) => {
    const report = await runOne(lab, task, 11);
    expect(report).toMatchObject({ status: 'completed', flaws: [], falselyAccepted: [], refused: 0 });
    expect(report.accepted).toBeGreaterThan(8);
  },
);

/** A sample is a fifth of the kinds. */
const seed = toSampleSeed(process.env['PHASELINE_SAMPLE']);
const chosen =
  seed === undefined ? kinds : planRuns(kinds, Math.ceil(kinds.length / 5), seed).flatMap(({ kind }) => kind ?? []);

it.each(chosen.map((kind) => [kind.name, kind] as const))(
  'a model of the kind %s is refused',
  { timeout: TIMEOUT_MS },
  async (_name, kind) => {
    const report = await runOne(lab, kind.task, 11, kind);
    expect(report.flaws).not.toEqual([]);
    expect(report.status).not.toBe('completed');
    expect(report.falselyAccepted).toEqual([]);
  },
);
