import { EventStore, type createPool } from '@phaseline/event-store';
import { percentile } from '@phaseline/harness';
import { JobViews } from '@phaseline/projections';
import { explainStatements, type ReadCounts } from './explain-statements.js';

type Pool = ReturnType<typeof createPool>;

/** A page of the list of jobs. */
export interface PageFigures extends ReadCounts {
  readonly p50Ms: number;
}

export interface ListFigures {
  readonly newest: PageFigures;
  /** The newest jobs with a label that a third of all jobs have. */
  readonly byLabel: PageFigures;
}

type ListFilter = Parameters<JobViews['list']>[0];

const PAGE_JOBS = 50;
const REPETITIONS = 20;

/** Measures the first page of the list of jobs, of 50 jobs, from the read models as they are. */
export async function measureLists(pool: Pool): Promise<ListFigures> {
  return {
    newest: await measurePage(pool, { limit: PAGE_JOBS }),
    byLabel: await measurePage(pool, { limit: PAGE_JOBS, labels: [{ key: 'team', value: 'law' }] }),
  };
}

async function measurePage(pool: Pool, filter: ListFilter): Promise<PageFigures> {
  const store = new EventStore(pool);
  const timesMs: number[] = [];
  for (let time = 0; time < REPETITIONS; time += 1) {
    const began = performance.now();
    await new JobViews(pool, store).list(filter);
    timesMs.push(performance.now() - began);
  }
  const counts = await explainStatements(pool, (recording) => new JobViews(recording, store).list(filter));
  return { ...counts, p50Ms: percentile(timesMs, 0.5) };
}
