import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { toConditions } from '../job/job-filter.js';
import { confirmJobs } from './confirm-jobs.js';
import { selectsJobs, type ControlFilter } from './control-filter.js';
import type { SeenJob } from './seen-job.js';
import { findJobs, listMatching } from './select-jobs.js';
import { sendRequest, type BulkAction, type BulkRequests, type Outcome } from './send-request.js';

/** Limits the requests that run at the same time if a filter selects many jobs. */
const MAX_CONCURRENT_REQUESTS = 8;

/**
 * Sends the same request for one or many jobs, given by id or by a filter, after confirmation if they are many or come from a filter.
 * The log records each request with its actor. Returns `exitCode.refused` if the server refused all of them, or the user did not confirm.
 */
export async function control<Action extends BulkAction>(
  context: CommandContext,
  action: Action,
  given: readonly string[],
  filter: ControlFilter,
  request: BulkRequests[Action],
): Promise<ExitCode> {
  const { out, signal } = context;
  const isFiltered = selectsJobs(filter);
  if (given.length === 0 && !isFiltered)
    throw new UsageError('Give a job id, or select jobs with --status, --agent, --label, another filter, or --all.');
  if (given.length > 0 && isFiltered) throw new UsageError('Give job ids or a filter, not both.');
  const client = await connect(context);
  const jobs = isFiltered
    ? await listMatching(client, action, toConditions(filter), signal)
    : await findJobs(client, action, given, signal);
  if (filter.dryRun) return showSelected(context, action, jobs);
  const isAsked = jobs.length > 0 && !filter.yes && (isFiltered || jobs.length > 1);
  if (isAsked && !(await confirmJobs(context, action, jobs, isFiltered))) {
    signal.throwIfAborted();
    out.writeMessage('Nothing was changed.');
    return exitCode.refused;
  }
  const isOnlyJob = given.length === 1;
  const outcomes = await sendToAll(jobs, async (job) => {
    const outcome = await sendRequest(client, job, action, request, { isOnlyJob, signal });
    if (!out.isStructured) out.writeLines(describe(action, outcome));
    return outcome;
  });
  const refused = outcomes.filter(({ error }) => error !== undefined).length;
  if (out.isStructured) out.writeDocument(isOnlyJob ? outcomes[0] : { items: outcomes });
  else if (jobs.length === 0) out.writeMessage('No jobs match.');
  else if (jobs.length > 1) out.writeMessage(`${jobs.length} jobs: ${jobs.length - refused} done, ${refused} refused.`);
  return outcomes.length > 0 && refused === outcomes.length ? exitCode.refused : exitCode.ok;
}

async function sendToAll(
  jobs: readonly SeenJob[],
  send: (job: SeenJob) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...jobs];
  const workers = Array.from({ length: Math.min(MAX_CONCURRENT_REQUESTS, waiting.length) }, async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) outcomes.push(await send(job));
  });
  await Promise.all(workers);
  return outcomes;
}

function showSelected({ out }: CommandContext, action: BulkAction, jobs: readonly SeenJob[]): ExitCode {
  if (out.isStructured)
    out.writeDocument({ dryRun: true, items: jobs.map(({ jobId, agent, status }) => ({ jobId, agent, status })) });
  else {
    if (jobs.length > 0)
      out.writeLines(...jobs.map(({ jobId, agent = '', status = '' }) => `${jobId}  ${agent}  ${status}`.trimEnd()));
    out.writeMessage(`Would ${action} ${jobs.length === 1 ? '1 job' : `${jobs.length} jobs`}. Nothing was changed.`);
  }
  return exitCode.ok;
}

const effects: Readonly<Record<BulkAction, string>> = {
  pause: 'is paused; a running step may still finish',
  resume: 'is resumed',
  cancel: 'is cancelled',
  retry: 'retries its failed phase',
  steer: 'gets the message before its next step',
  approve: 'runs the call',
  answer: 'continues with the answer',
  refuse: 'does not run the call',
  upgrade: 'uses the newest definition from its next phase on',
};

function describe(action: BulkAction, { jobId, changed, error }: Outcome): string {
  if (error) return `${jobId}: ${error.message}`;
  return changed ? `${jobId} ${effects[action]}.` : `${jobId}: nothing to change.`;
}
