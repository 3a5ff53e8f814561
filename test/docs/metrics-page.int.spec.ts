import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startOrchestrator } from '../../apps/orchestrator/src/testing/orchestrator-for-specs.js';
import { Metrics } from '@phaseline/service';

const PAGE = new URL('../../docs/reference/metrics.md', import.meta.url);
const BEGIN = '<!-- generated: npx vitest run test/docs -u -->';
const END = '<!-- end of the generated section -->';

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

/** Parses the metrics of a `/metrics` response, without their values. */
function parseMetrics(text: string): Metric[] {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
  return [...text.matchAll(/^# HELP (\S+) (.*)$/gm)]
    .map(([, name, help]) => ({ name: name!, type: types.get(name!) ?? 'untyped', help: help! }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a metric is one that every Node process reports. */
const isNodeMetric = ({ name }: Metric): boolean => !name.startsWith('phaseline_');

function renderTable(metrics: readonly Metric[], everywhere: ReadonlySet<string>): string {
  const rows = metrics.map(
    ({ name, type, help }) =>
      `| \`${name}\` | ${type} | ${everywhere.has(name) ? 'every' : 'orchestrator'} | ${help.replaceAll('|', '\\|')} |`,
  );
  return ['| metric | type | service | description |', '|---|---|---|---|', ...rows].join('\n');
}

it('the page lists exactly the metrics that /metrics exports', async () => {
  const orchestrator = await startOrchestrator();
  let exported: Metric[];
  try {
    exported = parseMetrics(await (await orchestrator.fetch('/metrics')).text());
  } finally {
    await orchestrator.stop();
  }
  expect(exported.length).toBeGreaterThan(20);
  // Every service also has the queue metrics, which are added when the queues are opened.
  const everywhere = new Set([
    ...parseMetrics(await new Metrics('any').render()).map(({ name }) => name),
    'phaseline_queue_depth',
    'phaseline_queue_oldest_age_seconds',
  ]);
  // Some Node metrics depend on the platform and on what the process has done so far.
  const own = exported.filter((metric) => !isNodeMetric(metric));
  const generated = [
    renderTable(own, everywhere),
    '',
    'In addition, every service reports the default metrics of `prom-client` for a Node process: `process_…` (CPU time, memory, open files)',
    'and `nodejs_…` (heap, event loop, garbage collection).',
  ].join('\n');
  expect(exported.filter(isNodeMetric).every(({ name }) => /^(process|nodejs)_/.test(name))).toBe(true);
  const page = await readFile(PAGE, 'utf8');
  const [head, rest = ''] = page.split(BEGIN);
  const tail = rest.slice(rest.indexOf(END));
  await expect(`${head}${BEGIN}\n\n${generated}\n\n${tail}`).toMatchFileSnapshot('../../docs/reference/metrics.md');
});
