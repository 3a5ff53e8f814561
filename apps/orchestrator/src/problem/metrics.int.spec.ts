import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let metrics: string;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  await (await orchestrator.fetch('/v1/jobs', post({ agent: 'writer' }))).text();
  metrics = await (await orchestrator.fetch('/metrics')).text();
});
afterAll(() => orchestrator.stop());

/** Units other than base units, which readers of the metrics would misinterpret. */
const OTHER_UNITS =
  /_(?:milliseconds|ms|minutes|hours|kilobytes|kb|megabytes|mb|percent|microseconds|nanoseconds)(?:_|$)/;

interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

function families(): Family[] {
  const helps = new Map([...metrics.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name, help]) => [name!, help!]));
  return [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => ({
    name: name!,
    type: type!,
    help: helps.get(name!) ?? '',
  }));
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

function labelsOf(text: string): [string, string][] | undefined {
  const labels: [string, string][] = [];
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const label = LABEL.exec(text);
    if (!label) return undefined;
    labels.push([label[1]!, label[2]!]);
  }
  return labels;
}

/** Returns violations of the text format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
function formatProblems(text: string): string[] {
  const problems: string[] = text.endsWith('\n') ? [] : ['the text ends without a line break'];
  const described = new Set<string>();
  const series = new Set<string>();
  /** Highest bucket so far, and whether the last one is +Inf, by series. */
  const buckets = new Map<string, { count: number; isWhole: boolean }>();
  let family = { name: '', type: '', help: '' };
  for (const line of text.split('\n')) {
    const [, keyword, name, rest] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (described.has(name!)) problems.push(`${name} is described twice`);
      described.add(name!);
      family = { name: name!, type: '', help: rest! };
    } else if (keyword === 'TYPE') {
      if (family.name !== name) problems.push(`${name} has no help`);
      family = { name: name!, type: rest!, help: family.help };
    } else if (line !== '' && !line.startsWith('#')) {
      const [, metric, inner = '', value] = SAMPLE.exec(line) ?? [];
      const labels = metric === undefined ? undefined : labelsOf(inner);
      if (metric === undefined || !labels) {
        problems.push(`no sample: ${line}`);
        continue;
      }
      const ending =
        family.type === 'histogram' ? '(?:_bucket|_sum|_count)' : family.type === 'summary' ? '(?:_sum|_count)?' : '';
      if (family.type === '' || !new RegExp(`^${family.name}${ending}$`).test(metric))
        problems.push(`${metric} has no type`);
      if (new Set(labels.map(([label]) => label)).size < labels.length) problems.push(`${metric} has a label twice`);
      const key = `${metric} ${labels
        .map((label) => label.join('='))
        .sort()
        .join()}`;
      if (series.has(key)) problems.push(`a series twice: ${line}`);
      series.add(key);
      if (family.type === 'counter' && Number(value) < 0) problems.push(`a counter below zero: ${line}`);
      if (family.type === 'histogram' && metric.endsWith('_bucket')) {
        const own = `${metric} ${labels.filter(([label]) => label !== 'le').join()}`;
        const before = buckets.get(own);
        if (before && Number(value) < before.count) problems.push(`a bucket falls: ${line}`);
        buckets.set(own, {
          count: Number(value),
          isWhole: labels.some(([label, le]) => label === 'le' && le === '+Inf'),
        });
      }
    }
  }
  for (const [name, { isWhole }] of buckets) if (!isWhole) problems.push(`${name} has no bucket +Inf`);
  return problems;
}

describe('the metrics', () => {
  it('follow the rules of Prometheus for names, units and types', () => {
    const all = families();
    expect(all.filter(({ name }) => name.startsWith('phaseline_')).length).toBeGreaterThan(10);
    const wrong = all.flatMap(({ name, type, help }) => [
      ...(/^[a-z][a-z0-9_]*$/.test(name) ? [] : [`${name}: is not in lower case with underscores`]),
      ...(help.length > 5 ? [] : [`${name}: has no help`]),
      ...((type === 'counter') === name.endsWith('_total') ? [] : [`${name}: counters, and only they, end in _total`]),
      ...(type !== 'counter' && /_(?:count|sum|bucket)$/.test(name) ? [`${name}: has an ending of histograms`] : []),
      ...(OTHER_UNITS.test(name) ? [`${name}: is not in a base unit`] : []),
      ...(/_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name) ? [`${name}: has its type in its name`] : []),
    ]);
    expect(wrong).toEqual([]);
  });

  // Without promtool, which developers need not have, the format is checked here.
  it('are in the text format of Prometheus: each family once and contiguous, with valid labels and numbers', () => {
    expect(formatProblems(metrics)).toEqual([]);
    // The check finds the violations that promtool reports.
    const help = '# HELP a_total What it counts.\n# TYPE a_total counter\n';
    expect(formatProblems(`${help}a_total 1\n`)).toEqual([]);
    for (const [text, problem] of [
      [`${help}a_total 1`, 'ends without a line break'],
      [`${help}a_total one\n`, 'no sample'],
      [`${help}a_total{x=1} 1\n`, 'no sample'],
      [`${help}a_total{x="1",x="2"} 1\n`, 'a label twice'],
      [`${help}a_total 1\na_total 2\n`, 'a series twice'],
      [`${help}a_total -1\n`, 'a counter below zero'],
      [`${help}b_total 1\n`, 'has no type'],
      [`a_total 1\n`, 'has no type'],
      [`# TYPE a_total counter\na_total 1\n`, 'has no help'],
      [`${help}${help}a_total 1\n`, 'described twice'],
      [`${help}# HELP b B.\n# TYPE b gauge\nb 1\na_total 1\n`, 'has no type'],
      [`# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`, 'falls'],
      [`# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`, 'no bucket +Inf'],
    ] as const)
      expect(formatProblems(text), text).toEqual([expect.stringContaining(problem)]);
  });

  it('pass promtool, if it is installed', ({ skip }) => {
    const check = spawnSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
    if (check.error) return skip('promtool is not on the PATH');
    expect({ status: check.status, said: `${check.stdout}${check.stderr}` }).toEqual({ status: 0, said: '' });
  });
});
