import { createHash } from 'node:crypto';
import { toCanonicalJson, type JsonObject } from '@phaseline/basics';
import type { PhaseEvent } from '@phaseline/domain';

const toBytes = (artifact: JsonObject): Buffer => Buffer.from(toCanonicalJson(artifact), 'utf8');
const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

const pattern = { patternType: 'milestone_project', subtype: 'generated', introducedBy: 'system' };
const outline = toBytes({ nodes: [{ id: 'saw', title: 'Saw the planks' }], pattern });
const roadmap = toBytes({ outlineHash: hashOf(outline), pattern });
const schedule = toBytes({
  roadmapHash: hashOf(roadmap),
  tasks: ['saw', 'glue'].map((task) => ({
    ...{ task, start: '2027-01-04T08:00:00Z', end: '2027-01-04T12:00:00Z', zone: 'Europe/Berlin' },
    ...{ floatMinutes: 30, critical: task === 'saw' },
  })),
});

/** The files that the events of `buildPlanEvents` name by their hashes. */
export const planFiles: readonly Buffer[] = [outline, roadmap, schedule];

const assessed =
  (callId: string) =>
  (stage: 'outline' | 'roadmap'): PhaseEvent => {
    const parts = { self: 0.9, validator: 1, heuristics: 0.5, heuristicValues: { estimated: 0.5 } };
    return { type: 'StageAssessed', data: { callId, stage, confidence: 0.85, band: 'go_on', ...parts } };
  };

/** Builds what planning tools record on the way to an approved schedule. */
export function buildPlanEvents(callId: string): readonly PhaseEvent[] {
  const recorded = (kind: 'outline' | 'roadmap' | 'schedule', content: Buffer): PhaseEvent => ({
    type: 'PlanArtifactRecorded',
    data: { callId, kind, hash: hashOf(content), path: `plan/${kind}.json` },
  });
  const question = { callId, user: 'ada', preference: 'conversationStyle' } as const;
  return [
    { type: 'PreferenceAsked', data: question },
    { type: 'PreferenceAnswered', data: { ...question, value: 'concise', words: 'Concise.' } },
    ...(['outline', 'roadmap'] as const).map(assessed(callId)),
    { type: 'PatternApproved', data: { callId, proposal: 'milestone_project/generated', actor: 'ada', pattern } },
    ...[recorded('outline', outline), recorded('roadmap', roadmap), recorded('schedule', schedule)],
    {
      type: 'PlanStatusChanged',
      data: {
        ...{ callId, planningStatus: 'complete', stage: 'approval', responseText: 'The plan is approved.' },
        ...{ selectedPattern: pattern, patternRfcRequired: false },
      },
    },
  ];
}
