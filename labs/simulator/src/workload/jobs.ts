import type { Budgets } from '@phaseline/domain';
import type { Roll } from '@phaseline/harness';
import { drawCaps, type Caps } from './caps.js';
import { nameJob, type JobKind } from './job-name.js';
import type { GuardedBy } from './sim-guards.js';

export interface SimJob {
  /** Name of its agent, which encodes its plan. */
  readonly agent: string;
  readonly kind: JobKind;
  readonly tenant: string;
  readonly budgets: Budgets;
  readonly caps: Caps;
  readonly priority: number;
  readonly idempotencyKey: string;
  readonly submitAfterMs: number;
  /** Tools that need approval by a person. */
  readonly approvals: readonly string[];
  /** Whether its agent asks a person in each tactical phase. */
  readonly asks: boolean;
  /** Whether people edit its files while it runs. */
  readonly isEdited: boolean;
  /** Set if hooks are asked about its charges. */
  readonly guardedBy?: GuardedBy;
}

/** Number of jobs per run, their maximum size, and the share of runs with caps beside the budgets of jobs. */
export const WORKLOAD_SIZES = {
  mixed: { jobs: [1, 4], rounds: 2, todos: 3, capped: 0.3 },
  single: { jobs: [1, 1], rounds: 2, todos: 3, capped: 0.3 },
  crowd: { jobs: [6, 10], rounds: 1, todos: 2, capped: 0.3 },
  long: { jobs: [1, 2], rounds: 5, todos: 6, capped: 0 },
  /** Sessions that race for the last of what a person may spend in a day. */
  capped: { jobs: [4, 8], rounds: 1, todos: 2, capped: 1 },
} as const;
export type Size = keyof typeof WORKLOAD_SIZES;

/** Only jobs of one tenant are edited, so that many runs have no edits that could hide other faults. */
const EDITING_TENANT = 'blue';

/** The first job of these tenants is guarded by a hook that may be asked again after a crash, or that may not. */
const GUARDED_TENANTS: Readonly<Record<string, GuardedBy>> = { red: 'once', green: 'again' };

/** What the first and the second job of a run may be, by tenant. All others are plain. */
const KINDS: readonly Readonly<Record<string, readonly JobKind[]>>[] = [
  { blue: ['claims', 'loop', 'loop', 'delegating', 'delegating'] },
  { green: ['claims'] },
];

/** Draws jobs of several tenants; some of their budgets are too small. What only some kinds of jobs need is drawn from `extra`, and caps from `capping`, so that they leave all other draws as they are. */
export function drawJobs(roll: Roll, extra: Roll, capping: Roll, size: Size): SimJob[] {
  const { jobs, rounds, todos, capped } = WORKLOAD_SIZES[size];
  const drawn = Array.from({ length: roll.between(jobs[0], jobs[1]) }, (_, index) => ({
    plan: { rounds: roll.between(1, rounds), todos: roll.between(1, todos) },
    tenant: roll.pick(['red', 'green', 'blue']),
    budgets: drawBudgets(roll),
    priority: roll.happens(0.3) ? roll.between(1, 5) : 0,
    idempotencyKey: `key-${index + 1}`,
    submitAfterMs: roll.between(0, 4_000),
    approvals: roll.happens(0.15) ? ['charge'] : [],
    asks: index === 2,
  }));
  const tenants = drawn.map(({ tenant }) => tenant);
  const caps = drawCaps(capping, tenants, capped);
  return drawn.map(({ plan, ...job }, index) => {
    const kind = extra.pick(KINDS[index]?.[job.tenant] ?? (['plain'] as const));
    const guardedBy = index === 0 ? GUARDED_TENANTS[job.tenant] : undefined;
    return {
      ...job,
      caps: caps[index]!,
      ...(kind === 'loop' || kind === 'delegating' ? { budgets: loosen(job.budgets) } : {}),
      agent: nameJob(index + 1, { ...plan, kind }),
      kind,
      isEdited: (index === 1 && job.tenant === EDITING_TENANT) || (kind !== 'plain' && extra.happens(0.2)),
      ...(guardedBy ? { guardedBy } : {}),
    };
  });
}

/** Several agents need more money and time than one. */
function loosen({ maxCostUsd, maxWallTimeMs }: Budgets): Budgets {
  return {
    ...(maxCostUsd === undefined ? {} : { maxCostUsd: maxCostUsd * 8 }),
    ...(maxWallTimeMs === undefined ? {} : { maxWallTimeMs: maxWallTimeMs * 2 }),
  };
}

function drawBudgets(roll: Roll): Budgets {
  const budgets: Budgets = {};
  if (roll.happens(0.5)) budgets.maxCostUsd = roll.pick([0.015, 0.03, 0.06, 0.5]);
  if (roll.happens(0.3)) budgets.maxTokens = roll.pick([3_000, 6_000, 12_000, 40_000]);
  if (roll.happens(0.2)) budgets.maxPhases = roll.between(2, 6);
  if (roll.happens(0.2)) budgets.maxWallTimeMs = roll.pick([20_000, 60_000, 300_000]);
  return budgets;
}
