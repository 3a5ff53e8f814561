import type { JsonObject } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import type { PhaseEventData } from '@phaseline/domain';
import { findMirrorDifferences, patternSpecSchema } from '@phaseline/planning';
import { SeededRandom } from '@phaseline/testing';
import { expect, it } from 'vitest';
import type { Engine, Policy } from '../engine/engine.js';
import { useStore } from '../engine/use-store.fixture.js';
import {
  answerPlan,
  createPlanner,
  decidePlan,
  loadPlanner,
  playPlan,
  readSession,
  SMALL_PLAN,
  startPlan,
} from './planner.fixture.js';

/*
 * Plans whose model and person do what a seed draws: features of any pattern, proposals, unsure drafts, refusals. Whatever they do, the pattern is the same in
 * the session, the context, the outline and the roadmap after every commit.
 */
const PLANS = Number(process.env['PLANNING_SAMPLE'] ?? 12);
const MAX_REPLIES = 12;
const opened = useStore();

const features = ['end_date', 'recurrence', 'cumulative_measure', 'change_of_state'] as const;
type Call = readonly [name: string, args: object];

/** A model that answers each request of a stage with other values. */
function drawPolicy(random: SeededRandom): Policy {
  const drawConfidence = () => random.pick([0.95, 0.9, 0.9, 0.8, 0.55, 0.2]);
  const withConfidence = ([name, args]: Call): Call => [name, { ...args, confidence: drawConfidence() }];
  const drawPattern = (): Call => [
    'pattern_selector',
    {
      features: Object.fromEntries(features.map((name) => [name, random.pick([0, 0.5, 1])])),
      ...(random.chance(0.2) ? { subtype: random.pick(['protocol_routine', 'unknown_subtype']) } : {}),
      ...(random.chance(0.3)
        ? {
            proposal: { level: 'subtype', name: `proposed:kind_${random.pick(['a', 'b'])}`, rfc: 'None of them fits.' },
          }
        : {}),
      confidence: drawConfidence(),
    },
  ];
  return (request, signal) => {
    const outline = SMALL_PLAN.outline[0]!;
    const calls = random.chance(0.8)
      ? [drawPattern(), withConfidence(outline[1]!)]
      : [withConfidence(outline[1]!), drawPattern()];
    const script = {
      context: [SMALL_PLAN.context[0]!.map(withConfidence)],
      outline: [calls],
      roadmap: [SMALL_PLAN.roadmap[0]!.map(withConfidence)],
      schedule: [SMALL_PLAN.schedule[0]!.map(withConfidence)],
      approval: SMALL_PLAN.approval,
    };
    return playPlan(script).policy(request, signal);
  };
}

/** Replies as the person until the plan ends or has asked often enough. */
async function converse(subject: Engine, jobId: JobId, random: SeededRandom): Promise<void> {
  for (let replies = 0; replies < MAX_REPLIES; replies += 1) {
    const { status } = await subject.loadJob(jobId);
    if (status !== 'running') return;
    const { approval, pending } = await readSession(subject, jobId);
    if (approval && !pending)
      await decidePlan(subject, jobId, random.chance(0.3) ? 'propose changes: More glue.' : undefined);
    else await answerPlan(subject, jobId, random.pick(['approve', 'no', 'In the evenings.', 'approve']));
  }
}

interface Mirrors {
  selected?: JsonObject;
  readonly artifacts: Map<string, JsonObject>;
  readonly seen: JsonObject[];
}

const kinds = ['context', 'outline', 'roadmap', 'schedule'];

/** Follows what the events of one phase record, and compares at the end of each commit. Returns how often it compared. */
async function checkPhase(subject: Engine, jobId: JobId, phase: number, mirrors: Mirrors): Promise<number> {
  let compared = 0;
  const events = await subject.phaseEvents(jobId, phase);
  for (const [index, { type, data }] of events.entries()) {
    if (type === 'PlanArtifactRecorded') {
      const { kind, hash } = data as PhaseEventData<'PlanArtifactRecorded'>;
      const content = await subject.store.blobs.get(hash);
      for (const later of kinds.slice(kinds.indexOf(kind))) mirrors.artifacts.delete(later);
      mirrors.artifacts.set(kind, JSON.parse(new TextDecoder().decode(content)) as JsonObject);
    }
    const { selectedPattern } = type === 'PlanStatusChanged' ? (data as PhaseEventData<typeof type>) : {};
    if (selectedPattern) {
      mirrors.selected = selectedPattern;
      mirrors.seen.push(selectedPattern);
    }
    // A call and what it records are one commit, which ends with the end of the call.
    if (type !== 'ToolCallCompleted' || !mirrors.selected) continue;
    const differences = findMirrorDifferences(
      patternSpecSchema.parse(mirrors.selected),
      Object.fromEntries(mirrors.artifacts),
    );
    expect(differences, `phase ${phase}, event ${index + 1}`).toEqual([]);
    compared += 1;
  }
  return compared;
}

it(
  'every mirror of the pattern equals it after every commit, and every selected pattern is a PatternSpec',
  { timeout: 240_000 },
  async () => {
    const patterns = new Set<string>();
    let compared = 0;
    for (let seed = 1; seed <= PLANS; seed += 1) {
      const random = new SeededRandom(seed);
      const drawn = drawPolicy(random);
      const agents = await loadPlanner({
        proposals: { ALLOW_NEW_SUBTYPE_PROPOSALS: random.chance(0.8), REQUIRE_RFC_FOR_NEW_SUBTYPE: random.chance(0.5) },
      });
      const subject = await createPlanner(opened.store, drawn, { agents });
      const policy = { autonomy: random.pick(['high', 'medium', 'low']) };
      const jobId = await startPlan(subject, { goal: 'Build a boat', user: `person-${seed}`, policy });
      await converse(subject, jobId, random);
      const mirrors: Mirrors = { artifacts: new Map(), seen: [] };
      const { phases } = await subject.loadJob(jobId);
      for (let phase = 1; phase <= phases; phase += 1) compared += await checkPhase(subject, jobId, phase, mirrors);
      for (const one of mirrors.seen) {
        const { patternType, subtype = '' } = patternSpecSchema.parse(one);
        patterns.add(`${patternType} ${subtype}`);
      }
    }
    expect(compared).toBeGreaterThan(10 * PLANS);
    expect(patterns.size, [...patterns].join(', ')).toBeGreaterThan(4);
    expect([...patterns].some((name) => name.includes('proposed:'))).toBe(true);
  },
);
