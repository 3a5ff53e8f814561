import { InlineToolBench, buildPhaseState } from '@phaseline/tools/testing';
import type { ToolPack } from '@phaseline/tools';
import { planningPack } from './planning-pack.js';

const PATTERN = {
  pattern: 'milestone_project',
  description: 'A project.',
  contains: { plan: ['L1 once'], 'L1 once': ['L3 once'] },
  level1: { min: 1, max: 2, mayOverlap: false },
  needs: ['L3 once'],
  ends: {},
  features: Object.fromEntries(
    ['endDate', 'recurrence', 'cumulativeMeasure', 'changeOfState'].map((name) => [name, { expected: 0, weight: 1 }]),
  ),
  subtypes: [],
};

/** Opens the session of a plan with these parameters, and with more files by path. */
export async function openPlanBench(
  parameters: object,
  {
    pack = planningPack,
    state = buildPhaseState(),
    files = {},
  }: { pack?: ToolPack; state?: ReturnType<typeof buildPhaseState>; files?: Readonly<Record<string, string>> } = {},
): Promise<InlineToolBench> {
  const bench = new InlineToolBench(pack, state);
  bench.put('parameters.json', JSON.stringify(parameters));
  bench.put('patterns/milestone_project.json', JSON.stringify(PATTERN));
  for (const [path, text] of Object.entries(files)) bench.put(path, text);
  await bench.run('open_session');
  return bench;
}
