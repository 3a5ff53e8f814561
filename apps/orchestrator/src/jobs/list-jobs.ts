import {
  jobWaitKindSchema,
  parseLabelFilter,
  type JobConditions,
  type JobPage,
  type JobWaitKind,
  type ListJobsQuery,
} from '@phaseline/client';
import type { TenantSelection } from '@phaseline/identity';
import type { JobViews } from '@phaseline/projections';
import { JobCursor } from './job-cursor.js';
import { toJobSummary } from './to-job-summary.js';

/** Returns a page of jobs. */
export async function listJobs(views: JobViews, query: ListJobsQuery, tenants: TenantSelection): Promise<JobPage> {
  const { sort = 'newest', cursor, limit, ...conditions } = query;
  const cursors = new JobCursor(sort);
  const page = await views.list({
    ...toFilter(conditions, tenants),
    sort,
    limit,
    after: cursor === undefined ? undefined : cursors.decode(cursor),
  });
  return {
    items: page.jobs.map(toJobSummary),
    ...(page.next === undefined ? {} : { nextCursor: cursors.encode(page.next) }),
  };
}

/** Converts conditions of the API, and adds that only jobs of these tenants match. */
export function toFilter(
  conditions: JobConditions,
  visible: TenantSelection,
): Parameters<JobViews['countMatching']>[0] {
  const { agent, agents, tenants, label, labels = [], waitsFor, waitingLongerThan, ...rest } = conditions;
  const allLabels = [...(label === undefined ? [] : [label]), ...labels];
  return {
    ...rest,
    statuses: someOf(conditions.statuses),
    agents: agent === undefined ? someOf(agents) : [agent].filter((name) => !agents?.length || agents.includes(name)),
    tenants: visible === 'all' ? someOf(tenants) : visible.filter((name) => !tenants?.length || tenants.includes(name)),
    labels: allLabels.map(parseLabelFilter),
    waitsFor: someOf(waitsFor)?.flatMap((kind) => (kind === 'person' ? waitsOfPeople : [kind])),
    waitingSeconds: waitingLongerThan,
  };
}

const waitsOfOthers: ReadonlySet<JobWaitKind> = new Set(['child', 'orchestrator', 'worker']);
const waitsOfPeople = jobWaitKindSchema.options.filter((kind) => !waitsOfOthers.has(kind));

/** An empty list, such as that of `?statuses=`, is no condition. */
function someOf<Item>(items: readonly Item[] | undefined): readonly Item[] | undefined {
  return items && items.length > 0 ? items : undefined;
}
