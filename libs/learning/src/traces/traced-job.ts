import type { JobId, StreamId } from '@phaseline/contracts';
import { decodeJobEvent, isEncryptedJob, jobStream, type JobEventData } from '@phaseline/domain';
import type { JsonObject } from '@phaseline/basics';
import type { Queryable } from '@phaseline/event-store';

/** What learning traces need to know about their job. */
export interface TracedJob {
  readonly tenant: string;
  /** The label `project`, else the URL of the repository, else the agent. */
  readonly project: string;
  readonly agent: string;
  /** Person for whom it was submitted or forked. */
  readonly person: string;
  /** Whether its events happened in it. A fork that plays a recording repeats those of another job. */
  readonly isLive: boolean;
}

/** Label of a submission that names its project. */
const PROJECT_LABEL = 'project';

/** Forks of forks that are followed to find the repository. */
const MAX_FORKS = 100;

/**
 * Reads where a job belongs from its first event. Undefined if there is no such job, and for encrypted jobs: their content must become unreadable when
 * their key is destroyed, so it is in no table. Throws UndecodableEvent.
 */
export async function findTracedJob(database: Queryable, jobId: JobId): Promise<TracedJob | undefined> {
  if (isEncryptedJob(jobId)) return undefined;
  const first = await readFirstEvent(database, jobId);
  if (!first) return undefined;
  if (first.type === 'JobSubmitted') {
    const { tenant, labels, agent, repository, actor: person } = first.data;
    const project = labels[PROJECT_LABEL] ?? repository?.url ?? agent.name;
    return { tenant, agent: agent.name, project, person, isLive: true };
  }
  const { labels, carried, mode, actor: person } = first.data;
  const { tenant, agent } = carried;
  const project = labels[PROJECT_LABEL] ?? (await findRepositoryUrl(database, first.data)) ?? agent;
  return { tenant, agent, project, person, isLive: mode === 'live' };
}

/** The URL of the repository of the submission from which a fork descends. */
async function findRepositoryUrl(
  database: Queryable,
  { parent: { jobId } }: JobEventData<'JobForked'>,
): Promise<string | undefined> {
  let parent = jobId;
  for (let forks = 0; forks < MAX_FORKS; forks += 1) {
    const first = await readFirstEvent(database, parent);
    if (first?.type !== 'JobForked') return first?.data.repository?.url;
    parent = first.data.parent.jobId;
  }
  return undefined;
}

type FirstEvent =
  | { readonly type: 'JobSubmitted'; readonly data: JobEventData<'JobSubmitted'> }
  | { readonly type: 'JobForked'; readonly data: JobEventData<'JobForked'> };

async function readFirstEvent(database: Queryable, jobId: JobId): Promise<FirstEvent | undefined> {
  const streamId: StreamId = jobStream(jobId);
  const { rows } = await database.query<{ type: string; schema_version: number; data: JsonObject }>(
    'SELECT type, schema_version, data FROM phaseline.events WHERE stream_id = $1 AND version = 1',
    [streamId],
  );
  const [row] = rows;
  if (!row) return undefined;
  const event = decodeJobEvent({
    streamId,
    version: 1,
    type: row.type,
    schemaVersion: row.schema_version,
    data: row.data,
  });
  return event.type === 'JobSubmitted' || event.type === 'JobForked' ? event : undefined;
}
