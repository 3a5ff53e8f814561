import type { ControlAction, ControlRequests, JobSummary, PhaselineClient } from '@phaseline/client';
import type { JobStatus, JobId } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { findJob } from '../connection/find-job.js';
import { UsageError } from '../command/command-errors.js';

export interface ControlFilter {
  readonly all?: boolean;
  readonly status?: JobStatus[];
  readonly agent?: string;
  readonly label?: string;
}

/** Result of the request for one job. */
interface Outcome {
  readonly jobId: JobId;
  readonly status?: JobStatus;
  readonly changed: boolean;
  /** Set if the server refused the request. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** Limits the requests that run at the same time if a filter selects many jobs. */
const MAX_CONCURRENT_REQUESTS = 8;
const PAGE_SIZE = 200;

/**
 * Sends the same request for one or many jobs, given by id or by a filter. The log records each request with its actor. Returns
 * `exitCode.refused` if the server refused all of them.
 */
export async function control<Action extends ControlAction>(
  context: CommandContext,
  action: Action,
  given: readonly string[],
  filter: ControlFilter,
  request: ControlRequests[Action],
): Promise<ExitCode> {
  const { out, signal } = context;
  const hasFilter = filter.all || filter.status || filter.agent !== undefined || filter.label !== undefined;
  if (given.length === 0 && !hasFilter)
    throw new UsageError('Give a job id, or select jobs with --status, --agent, --label or --all.');
  if (given.length > 0 && hasFilter) throw new UsageError('Give job ids or a filter, not both.');
  const client = await connect(context);
  const jobs =
    given.length > 0
      ? await findJobs(client, action, given, signal)
      : await listMatching(client, action, filter, signal);
  const outcomes: Outcome[] = [];
  const waiting = [...jobs];
  const workers = Array.from({ length: Math.min(MAX_CONCURRENT_REQUESTS, waiting.length) }, async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const sent = job.position === undefined ? request : { ...request, ifUnchangedSince: job.position };
      const outcome = await sendRequest(client, job.jobId, action, sent, given.length === 1, signal);
      outcomes.push(outcome);
      if (!out.isStructured) out.writeLines(describe(action, outcome));
    }
  });
  await Promise.all(workers);
  if (out.isStructured) out.writeDocument(given.length === 1 ? outcomes[0] : { items: outcomes });
  else if (jobs.length === 0) out.writeMessage('No jobs match.');
  const refused = outcomes.length > 0 && outcomes.every((outcome) => outcome.error !== undefined);
  return refused ? exitCode.refused : exitCode.ok;
}

/** A job as the command read it before it sent the request. */
type SeenJob = Pick<JobSummary, 'jobId'> & Partial<Pick<JobSummary, 'position'>>;

/**
 * Actions that are refused if another request reached the job after the command read it. Messages to the agent and decisions on
 * single calls apply regardless of other requests.
 */
const conditionalActions: ReadonlySet<ControlAction> = new Set(['pause', 'resume', 'retry']);

/** A position makes the request conditional, so it is kept only for actions that are. */
function toSeenJob(action: ControlAction, { jobId, position }: JobSummary): SeenJob {
  return conditionalActions.has(action) ? { jobId, position } : { jobId };
}

async function findJobs(
  client: PhaselineClient,
  action: ControlAction,
  given: readonly string[],
  signal: AbortSignal,
): Promise<SeenJob[]> {
  const jobIds = new Set<JobId>();
  for (const text of given) jobIds.add(await findJob(client, text, signal));
  if (!conditionalActions.has(action)) return [...jobIds].map((jobId) => ({ jobId }));
  const seen: SeenJob[] = [];
  for (const jobId of jobIds) seen.push(toSeenJob(action, await client.get(jobId, { signal })));
  return seen;
}

async function listMatching(
  client: PhaselineClient,
  action: ControlAction,
  filter: ControlFilter,
  signal: AbortSignal,
): Promise<SeenJob[]> {
  const { status: statuses, agent, label } = filter;
  const jobs: SeenJob[] = [];
  for await (const job of client.list({ statuses, agent, label, limit: PAGE_SIZE }, { signal }))
    jobs.push(toSeenJob(action, job));
  return jobs;
}

/** A refusal for one of many jobs does not stop the others. For a single job it is the error of the command. */
async function sendRequest<Action extends ControlAction>(
  client: PhaselineClient,
  jobId: JobId,
  action: Action,
  request: ControlRequests[Action],
  isOnlyJob: boolean,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return await client.control(jobId, action, request, { signal });
  } catch (error) {
    if (isOnlyJob || !(error instanceof Error && 'code' in error && error.code === 'request_refused')) throw error;
    return { jobId, changed: false, error: { code: error.code, message: error.message } };
  }
}

const effects: Readonly<Record<ControlAction, string>> = {
  pause: 'is paused; a running step may still finish',
  resume: 'is resumed',
  retry: 'retries its failed phase',
  steer: 'gets the message before its next step',
  approve: 'runs the call',
  answer: 'continues with the answer',
  refuse: 'does not run the call',
  upgrade: 'uses the newest definition from its next phase on',
};

function describe(action: ControlAction, { jobId, changed, error }: Outcome): string {
  if (error) return `${jobId}: ${error.message}`;
  return changed ? `${jobId} ${effects[action]}.` : `${jobId}: nothing to change.`;
}
