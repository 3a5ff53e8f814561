import type { Plan } from '@phaseline/client';

/** What each stage of a plan is called, in order. */
const stageTitles = {
  context: 'Context',
  outline: 'Outline',
  roadmap: 'Roadmap',
  schedule: 'Schedule',
  approval: 'Approval',
} as const;
type StageName = keyof typeof stageTitles;

export interface PlanStage {
  readonly title: string;
  /** `waiting`: for its person. `stopped`: the plan ended here without an approval. */
  readonly state: 'done' | 'current' | 'waiting' | 'stopped' | 'open';
}

/** Lists the stages of a plan with where it is. A stage before the present one is done if its artifact exists. */
export function listStages({
  stage,
  planningStatus,
  waitsFor,
  hashes,
}: Pick<Plan, 'stage' | 'planningStatus' | 'waitsFor' | 'hashes'>): readonly PlanStage[] {
  const names = Object.keys(stageTitles) as StageName[];
  const current = names.findIndex((name) => name === stage);
  return names.map((name, index) => {
    const title = stageTitles[name];
    if (planningStatus === 'complete') return { title, state: 'done' };
    if (index < current) return { title, state: hashes[name] === undefined ? 'open' : 'done' };
    if (index > current) return { title, state: 'open' };
    if (planningStatus === 'aborted') return { title, state: 'stopped' };
    return { title, state: waitsFor === null ? 'current' : 'waiting' };
  });
}

/** Returns the title of a stage. Steps of a plan also name the states in which it waits. */
export function titleOfStage(stage: string): string {
  return Object.hasOwn(stageTitles, stage) ? stageTitles[stage as StageName] : stage.replaceAll('_', ' ');
}
