import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startOrchestrator } from '../../apps/orchestrator/src/testing/orchestrator-for-specs.js';
import { Metrics } from '../../libs/service/src/metrics/metrics.js';

const PAGE = new URL('../../docs/metrics.md', import.meta.url);
const BEGIN = '<!-- generated: npx vitest run test/docs -u -->';
const END = '<!-- end of what is generated -->';

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

/** The metrics of an answer of `/metrics`, without their values. */
function metricsIn(text: string): Metric[] {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
  return [...text.matchAll(/^# HELP (\S+) (.*)$/gm)]
    .map(([, name, help]) => ({ name: name!, type: types.get(name!) ?? 'untyped', help: help! }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a process of Node reports of itself: the same for every service. */
const isOfNode = ({ name }: Metric): boolean => !name.startsWith('phaseline_');

function table(metrics: readonly Metric[], everywhere: ReadonlySet<string>): string {
  const rows = metrics.map(
    ({ name, type, help }) =>
      `| \`${name}\` | ${type} | ${everywhere.has(name) ? 'every' : 'orchestrator'} | ${help.replaceAll('|', '\\|')} |`,
  );
  return ['| metric | type | service | what it says |', '|---|---|---|---|', ...rows].join('\n');
}

it('the page has every metric that /metrics exports, and no other', async () => {
  const orchestrator = await startOrchestrator();
  let exported: Metric[];
  try {
    exported = metricsIn(await (await orchestrator.fetch('/metrics')).text());
  } finally {
    await orchestrator.stop();
  }
  expect(exported.length).toBeGreaterThan(20);
  // Queues belong to every service as well, but are added where they are opened.
  const everywhere = new Set([
    ...metricsIn(await new Metrics('any').text()).map(({ name }) => name),
    'phaseline_queue_depth',
  ]);
  // Some figures of Node depend on the platform and on what the process has done so far.
  const own = exported.filter((metric) => !isOfNode(metric));
  const generated = [
    table(own, everywhere),
    '',
    'Beside these, every service reports what `prom-client` collects of a Node process: `process_…` (processor time, memory, open files)',
    'and `nodejs_…` (heap, event loop, garbage collection).',
  ].join('\n');
  expect(exported.filter(isOfNode).every(({ name }) => /^(process|nodejs)_/.test(name))).toBe(true);
  const page = await readFile(PAGE, 'utf8');
  const [head, rest = ''] = page.split(BEGIN);
  const tail = rest.slice(rest.indexOf(END));
  await expect(`${head}${BEGIN}\n\n${generated}\n\n${tail}`).toMatchFileSnapshot('../../docs/metrics.md');
});
