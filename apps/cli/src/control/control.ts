import type { ControlAction, ControlRequests, JobSummary, PhaselineClient } from '@phaseline/client';
import type { JobStatus } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { findJob } from '../connection/find-job.js';
import { UsageError } from '../command/command-errors.js';
import { actorOf } from './actor.js';

export interface ControlFilter {
  readonly all?: boolean;
  readonly status?: readonly JobStatus[];
  readonly agent?: string;
  readonly label?: string;
}

/** What became of one job. */
interface Outcome {
  readonly jobId: string;
  readonly status?: JobStatus;
  readonly changed: boolean;
  /** Why the server refused, in its words. */
  readonly refused?: string;
}

/** Requests under way at once when a filter names many jobs. */
const AT_ONCE = 8;
const PAGE = 200;

/**
 * Asks one or many jobs for the same: those named, or those that a filter names. Each request stands in the log with its
 * actor. Answers `refused` when the server refused all of them.
 */
export async function control<Action extends ControlAction>(
  context: CommandContext,
  action: Action,
  given: readonly string[],
  filter: ControlFilter,
  request: ControlRequests[Action],
): Promise<ExitCode> {
  const { out, signal } = context;
  const filtered = filter.all || filter.status || filter.agent !== undefined || filter.label !== undefined;
  if (given.length === 0 && !filtered)
    throw new UsageError('Name a job, or say which ones with --status, --agent, --label or --all.');
  if (given.length > 0 && filtered) throw new UsageError('Name jobs or give a filter, not both.');
  const client = await connect(context);
  const jobs = given.length > 0 ? await named(client, action, given, signal) : await matching(client, filter, signal);
  const withActor = { actor: actorOf(context.env), ...request };
  const outcomes: Outcome[] = [];
  const waiting = [...jobs];
  const workers = Array.from({ length: Math.min(AT_ONCE, waiting.length) }, async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const asked = coursesOnly.has(action) ? { ...withActor, ...asSeen(job) } : withActor;
      const outcome = await ask(client, job.jobId, action, asked, given.length === 1, signal);
      outcomes.push(outcome);
      if (!out.json) out.lines(describe(action, outcome));
    }
  });
  await Promise.all(workers);
  if (out.json) out.document(given.length === 1 ? outcomes[0] : { jobs: outcomes });
  else if (jobs.length === 0) out.say('No job fits.');
  const refused = outcomes.length > 0 && outcomes.every((outcome) => outcome.refused !== undefined);
  return refused ? exitCode.refused : exitCode.ok;
}

/** A job as the command saw it before it asked. */
type Seen = Pick<JobSummary, 'jobId' | 'position'>;

/**
 * What changes the course of a job holds for the job as it was seen: a request that is heard late, after somebody else asked
 * for something, is refused. What is said to an agent, or of one call of it, is meant whatever was asked meanwhile.
 */
const coursesOnly: ReadonlySet<ControlAction> = new Set(['pause', 'resume', 'retry']);

/** An older server does not tell positions. */
export function asSeen({ position }: Pick<JobSummary, 'position'>): { readonly ifUnchangedSince?: number } {
  return position === undefined ? {} : { ifUnchangedSince: position };
}

async function named(
  client: PhaselineClient,
  action: ControlAction,
  given: readonly string[],
  signal: AbortSignal,
): Promise<Seen[]> {
  const jobIds = new Set<string>();
  for (const text of given) jobIds.add(await findJob(client, text, signal));
  if (!coursesOnly.has(action)) return [...jobIds].map((jobId) => ({ jobId }));
  const seen: Seen[] = [];
  for (const jobId of jobIds) seen.push(await client.get(jobId, { signal }));
  return seen;
}

async function matching(client: PhaselineClient, filter: ControlFilter, signal: AbortSignal): Promise<Seen[]> {
  const query = {
    ...(filter.status === undefined ? {} : { status: [...filter.status] }),
    ...(filter.agent === undefined ? {} : { agent: filter.agent }),
    ...(filter.label === undefined ? {} : { label: filter.label }),
  };
  const jobs: Seen[] = [];
  for await (const job of client.list({ ...query, limit: PAGE }, { signal })) jobs.push(job);
  return jobs;
}

/** A refusal of one of many jobs must not stop the others; of the only one it is the command's own error. */
async function ask<Action extends ControlAction>(
  client: PhaselineClient,
  jobId: string,
  action: Action,
  request: ControlRequests[Action],
  alone: boolean,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return await client.control(jobId, action, request, { signal });
  } catch (error) {
    if (alone || !(error instanceof Error && 'code' in error && error.code === 'request_refused')) throw error;
    return { jobId, changed: false, refused: error.message };
  }
}

const done: Readonly<Record<ControlAction, string>> = {
  pause: 'is paused; a step that runs may end',
  resume: 'goes on',
  retry: 'tries its failed phase again',
  steer: 'hears it before its next step',
  approve: 'runs the call',
  refuse: 'does not run the call',
  upgrade: 'goes on by the newest definition from its next phase',
};

function describe(action: ControlAction, { jobId, changed, refused }: Outcome): string {
  if (refused !== undefined) return `${jobId}: ${refused}`;
  return changed ? `${jobId} ${done[action]}.` : `${jobId} was so already.`;
}
