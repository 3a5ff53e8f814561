import type { JobConditions } from './job-filter.js';
import type { JobView, JobWait } from './job-view.js';

type Random = () => number;

/** Returns a generator of numbers from 0 to 1, which are always the same for a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
const maybe = <Value>(random: Random, share: number, value: () => Value): Value | undefined =>
  random() < share ? value() : undefined;

const DAY_MS = 24 * 60 * 60_000;
const tenants = ['acme', 'other', 'third'];
const agents = ['writer', 'reader', 'Critic_100%'];
const statuses = ['running', 'paused', 'waiting-for-approval', 'completed', 'failed', 'blocked'] as const;
const waits: Readonly<Partial<Record<JobView['status'], readonly JobWait['kind'][]>>> = {
  running: ['worker', 'child', 'orchestrator', 'todo'],
  paused: ['pause'],
  'waiting-for-approval': ['approval'],
  blocked: ['blocked'],
};
const texts = ['Nothing to see', 'The NEEDLE was found', 'Budget_spent 100%', 'a\\b'];

const toTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Generates a job of the last 30 days. Costs and waits repeat, so that orders need their last column. */
export function generateJob(index: number, random: Random, now: number): JobView {
  const status = pick(random, statuses);
  const createdMs = now - Math.floor(random() * 30) * DAY_MS;
  const updatedMs = createdMs + Math.floor(random() * (now - createdMs));
  const kinds = waits[status];
  const hasEnded = status === 'completed' || status === 'failed' || status === 'blocked';
  const digits = Math.floor(random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
  return {
    jobId: `${index.toString(16).padStart(8, '0')}-0000-7000-8000-${digits}`,
    submittedPosition: 10 + index * 3,
    position: 11 + index * 3,
    tenant: pick(random, tenants),
    agent: pick(random, agents),
    status,
    labels: {
      ...maybe(random, 0.5, () => ({ team: pick(random, ['a', 'b', 'needle,c']) })),
      ...maybe(random, 0.2, () => ({ rare: 'x' })),
    },
    createdAt: toTime(createdMs),
    updatedAt: toTime(updatedMs),
    ...(hasEnded ? { endedAt: toTime(updatedMs) } : {}),
    phase: {
      ...{ number: 1, kind: 'strategic', state: 'plan', name: pick(random, ['Plan', 'Needle work']), hasEnded },
      ...{ todosDone: 0, todosTotal: 1, openCalls: [], awaitingApproval: [], awaitingAnswer: [], blockedTodos: [] },
    },
    ...(kinds ? { wait: { kind: pick(random, kinds), since: toTime(createdMs) } } : {}),
    ...(status === 'completed'
      ? { result: { summary: pick(random, texts), deliverables: [], confidence: 1, notes: 'needle in notes' } }
      : {}),
    ...(status === 'failed' ? { failure: { code: 'needle', message: pick(random, texts) } } : {}),
    ...{ inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, steps: 1 },
    costMicroUsd: pick(random, [0, 1, 2, 999, 1_000, 1_000_000, 2_500_000, Math.floor(random() * 10_000_000)]),
  };
}

/** Generates conditions of which about a third are set. */
export function generateConditions(random: Random, jobs: readonly JobView[], now: number): JobConditions {
  const someTime = () => new Date(now - random() * 30 * DAY_MS).toISOString();
  const text = () =>
    pick(random, ['needle', 'NEEDLE', '100%', 'a\\b', 'team=a', '_', pick(random, jobs).jobId.slice(0, 7)]);
  return {
    tenants: maybe(random, 0.3, () => [pick(random, tenants), pick(random, tenants)]),
    statuses: maybe(random, 0.3, () => [pick(random, statuses), pick(random, statuses), pick(random, statuses)]),
    agents: maybe(random, 0.2, () => [pick(random, agents), pick(random, agents)]),
    labels: maybe(random, 0.2, () => [pick(random, [{ key: 'team' }, { key: 'team', value: 'a' }, { key: 'rare' }])]),
    createdSince: maybe(random, 0.2, someTime),
    createdBefore: maybe(random, 0.2, someTime),
    updatedBefore: maybe(random, 0.2, someTime),
    minCostMicroUsd: maybe(random, 0.2, () => pick(random, [0, 1, 2, 1_000, 2_500_000])),
    maxCostMicroUsd: maybe(random, 0.2, () => pick(random, [0, 999, 1_000, 5_000_000])),
    waitsFor: maybe(random, 0.2, () => [pick(random, ['worker', 'pause', 'approval', 'blocked'] as const), 'child']),
    // Half a day apart from every beginning, so that the time that the spec takes does not matter.
    waitingSeconds: maybe(random, 0.2, () => (Math.floor(random() * 30) + 0.5) * 86_400),
    text: maybe(random, 0.3, text),
  };
}
