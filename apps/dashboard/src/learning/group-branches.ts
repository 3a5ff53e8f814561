import type { JobSummary } from '@phaseline/client';
import { isEnded } from '@phaseline/contracts';

/** Labels of every branch, as the command line writes them: the name of the work, and which branch of it. */
export const BRANCH_LABEL = 'phaseline-branch';
const BRANCH_KEY_LABEL = 'phaseline-branch-key';

/** Failure of a branch that was allowed too little. It is run again when there is more to spend, so it shows nothing. */
const COST_LIMIT = 'cost_limit';

type BranchJob = Pick<JobSummary, 'jobId' | 'agent' | 'status' | 'labels' | 'failure' | 'usage' | 'createdAt'>;

/** Branches that are compared: those of a candidate, of the recorded definition, or from one point of a bisected job. */
export interface BranchSide<Job extends BranchJob = JobSummary> {
  readonly key: string;
  readonly title: string;
  readonly kind: 'candidate' | 'baseline' | 'point';
  /** Prompts at which only the next calls of the candidate were asked for. */
  readonly probes: number;
  readonly branches: readonly { readonly position: number; readonly job: Job }[];
}

/** One experiment or one bisection, with its sides. */
export interface BranchGroup<Job extends BranchJob = JobSummary> {
  readonly key: string;
  readonly kind: 'experiment' | 'bisection';
  readonly run: string;
  /** When its newest branch began, as an ISO time. */
  readonly newest: string;
  readonly sides: readonly BranchSide<Job>[];
}

interface BranchPlace {
  readonly kind: BranchGroup['kind'];
  readonly run: string;
  readonly side: BranchSide['kind'];
  readonly sideKey: string;
  readonly title: string;
  readonly position: number;
  readonly isProbe: boolean;
}

/**
 * Groups branches by the run of an experiment or bisection, the one with the newest branch first, and within it by what is compared. Jobs with
 * other labels are left out. Branches are given newest first, as the server lists jobs.
 */
export function groupBranches<Job extends BranchJob>(jobs: readonly Job[]): readonly BranchGroup<Job>[] {
  const placed = jobs.flatMap((job) => {
    const place = readPlace(job.labels ?? {});
    return place ? [{ ...place, job }] : [];
  });
  return [...Map.groupBy(placed, ({ kind, run }) => `${kind} ${run}`)].map(([key, group]) => {
    const { kind, run, job } = group[0]!;
    const sides = [...Map.groupBy(group, ({ sideKey }) => sideKey)].map(([sideKey, branches]): BranchSide<Job> => {
      const { side, title } = branches[0]!;
      return {
        ...{ key: sideKey, title, kind: side },
        probes: branches.filter(({ isProbe }) => isProbe).length,
        branches: branches.filter(({ isProbe }) => !isProbe).map(({ position, job: one }) => ({ position, job: one })),
      };
    });
    return { key, kind, run, newest: job.createdAt, sides: sides.toSorted(compareSides) };
  });
}

/** The sides of one candidate are neighbours, with the candidate first; points are in the order of the log. */
function compareSides(one: BranchSide<BranchJob>, other: BranchSide<BranchJob>): number {
  return one.key.localeCompare(other.key, 'en', { numeric: true });
}

/** Reads from its labels what a branch is of; undefined if nothing compares it. */
function readPlace(labels: Readonly<Record<string, string>>): BranchPlace | undefined {
  const [work = '', key = ''] = [labels[BRANCH_LABEL], labels[BRANCH_KEY_LABEL]];
  const tried = /^(\d+)-experiment-(.+)-\d+-(probe|\d+)$/.exec(key);
  const candidate = /^(.+)-([0-9a-f]{12})$/.exec(work);
  if (tried && candidate) {
    const [, run = '', hash = ''] = candidate;
    const side = tried[2] === 'baseline' ? 'baseline' : 'candidate';
    return {
      ...{ kind: 'experiment', run, side, position: Number(tried[1]), isProbe: tried[3] === 'probe' },
      sideKey: side === 'candidate' ? `${hash} 1` : `${hash} 2`,
      title: side === 'candidate' ? `Candidate ${hash}` : 'As recorded',
    };
  }
  const bisected = /^(\d+)-bisect-(\d+)-\d+$/.exec(key);
  if (!bisected || !work.startsWith('bisect-')) return undefined;
  const [, position = '', answers = ''] = bisected;
  return {
    ...{ kind: 'bisection', run: work.slice('bisect-'.length), side: 'point', isProbe: false },
    ...{ position: Number(position), sideKey: position, title: `After ${answers} answers, from ${position}` },
  };
}

/** How the branches of a side ended. */
export interface BranchCounts {
  readonly completed: number;
  readonly failed: number;
  /** Branches that have not ended. */
  readonly open: number;
  /** Branches that reached what they were allowed to cost, which count as neither. */
  readonly stopped: number;
}

export function countBranches({ branches }: Pick<BranchSide<BranchJob>, 'branches'>): BranchCounts {
  const counts = { completed: 0, failed: 0, open: 0, stopped: 0 };
  for (const { job } of branches) {
    if (job.failure?.code === COST_LIMIT) counts.stopped += 1;
    else if (job.status === 'completed') counts.completed += 1;
    else if (isEnded(job.status)) counts.failed += 1;
    else counts.open += 1;
  }
  return counts;
}
