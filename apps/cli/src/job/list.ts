import type { JobSummary, ListJobsQuery } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { showRepeatedly } from '../output/refresh.js';
import { hasConditions, toConditions, type JobFilterOptions } from './job-filter.js';
import { renderJobs } from './render-job.js';

export interface ListOptions extends JobFilterOptions {
  readonly sort?: ListJobsQuery['sort'];
  readonly limit: number;
  readonly watch?: true;
}

/** Maximum number of jobs per request that the server accepts. */
const PAGE_SIZE = 200;

/** `phaseline list`: lists the jobs that match, newest first unless sorted otherwise. */
export async function list(context: CommandContext, options: ListOptions): Promise<ExitCode> {
  if (options.watch) return showRepeatedly(context, () => listOnce(context, options));
  await listOnce(context, options);
  return exitCode.ok;
}

async function listOnce(context: CommandContext, options: ListOptions): Promise<void> {
  const { out, signal } = context;
  const client = await connect(context);
  const query = { ...toConditions(options), sort: options.sort, limit: Math.min(PAGE_SIZE, options.limit + 1) };
  const jobs: JobSummary[] = [];
  // Requests one more than is shown, to know whether there are more.
  for await (const job of client.list(query, { signal })) {
    jobs.push(job);
    if (jobs.length > options.limit) break;
  }
  const shown = jobs.slice(0, options.limit);
  const more = jobs.length > shown.length;
  if (out.isStructured) {
    if (options.watch) out.writeRecord({ items: shown, hasMore: more });
    else out.writeDocument({ items: shown, hasMore: more });
    return;
  }
  if (shown.length === 0)
    out.writeMessage(
      hasConditions(options) ? 'No jobs match.' : 'No jobs. Submit one with: phaseline submit AGENT --document FILE',
    );
  else
    out.writeLines(
      ...renderJobs(shown, { paint: out.paint, columns: out.columns, now: context.now(), wide: out.isWide }),
    );
  if (more) out.writeMessage(`There are more jobs. Show them with --limit ${options.limit * 5}.`);
}
