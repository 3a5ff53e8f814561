import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Metrics } from '@phaseline/service';
import {
  startOrchestrator,
  type OrchestratorForSpecs,
} from '../../apps/orchestrator/src/testing/orchestrator-for-specs.js';
import { examples, listExpressions } from './expressions.js';

let orchestrator: OrchestratorForSpecs;
/** Labels by the name of the metric. */
const labels = new Map<string, ReadonlySet<string>>();

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  for (const metric of orchestrator.get(Metrics).registry.getMetricsAsArray()) {
    // prom-client declares the names of labels, but not in this type.
    const own = Reflect.get(metric, 'labelNames') as string[];
    labels.set(metric.name, new Set([...own, 'service']));
  }
});
afterAll(() => orchestrator.stop());

const METRIC = /\bphaseline_\w+/g;
const SELECTOR = /\b(phaseline_\w+)\{([^}]*)\}/g;
const GROUPING = /\b(?:by|on) \(([^)]*)\)/g;

/** Returns the metric that a name belongs to: histograms have series with endings. */
function findMetric(name: string): string | undefined {
  return [name, name.replace(/_(?:bucket|sum|count)$/, '')].find((one) => labels.has(one));
}

function findProblems(expr: string): string[] {
  const names = [...expr.matchAll(METRIC)].map(([name]) => name);
  const known = new Set(names.flatMap((name) => [...(labels.get(findMetric(name) ?? '') ?? [])]));
  const selected = [...expr.matchAll(SELECTOR)].flatMap(([, name, inner]) =>
    [...inner!.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => ({ name: name!, label: label! })),
  );
  const grouped = [...expr.matchAll(GROUPING)].flatMap(([, list]) => list!.split(',').map((label) => label.trim()));
  return [
    ...names.filter((name) => findMetric(name) === undefined).map((name) => `${name} does not exist`),
    ...selected
      .filter(({ name, label }) => labels.get(findMetric(name) ?? '')?.has(label) === false)
      .map(({ name, label }) => `${name} has no label ${label}`),
    ...grouped.filter((label) => label !== 'le' && !known.has(label)).map((label) => `no metric has a label ${label}`),
  ];
}

it('rules, boards and scaled objects use metrics and labels that exist', async () => {
  const all = await listExpressions();
  expect(all.length).toBeGreaterThan(50);
  expect(all.filter(({ expr }) => !expr.includes('phaseline_')).map(({ place }) => place)).toEqual([
    // The only one about a metric of Prometheus itself.
    'PhaselineTargetDown',
  ]);
  expect(all.flatMap(({ place, expr }) => findProblems(expr).map((problem) => `${place}: ${problem}`))).toEqual([]);
});

it('so do the tests of the rules', async () => {
  const tests = await readFile(`${examples}prometheus/alerts.test.yml`, 'utf8');
  expect(findProblems(tests)).toEqual([]);
});

it('the check finds wrong names', () => {
  expect(findProblems('max(phaseline_queue_dept{queue="tools"})')).toEqual(['phaseline_queue_dept does not exist']);
  expect(findProblems('sum by (queues) (phaseline_queue_depth{status="waiting"})')).toEqual([
    'phaseline_queue_depth has no label status',
    'no metric has a label queues',
  ]);
});
