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

/** Base units; what ends in anything else of time or size would be read wrongly. */
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

  it('are found clean by promtool, where it is installed', ({ skip }) => {
    const check = spawnSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
    if (check.error) return skip('promtool is not on the PATH');
    expect({ status: check.status, said: `${check.stdout}${check.stderr}` }).toEqual({ status: 0, said: '' });
  });
});
