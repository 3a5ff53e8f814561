import type { JobId } from '@phaseline/contracts';
import { agentInstructionsPath, decodeJobEvent, INSTRUCTIONS_FILE, jobStream, removeTask } from '@phaseline/domain';
import type { Queryable } from '@phaseline/event-store';
import type { JsonObject } from '@phaseline/basics';
import type { PatternGroup } from '../patterns/extract-patterns.js';
import type { ProposalSources } from './proposal.js';
import type { RecordedInstructions } from './propose-instructions.js';

/** Newest jobs of a pattern that are examined. Forks and jobs whose files retention removed have no instructions. */
const MAX_JOBS = 10;

/** Reads the instructions of the agent of a pattern from its newest job that has them. Throws UndecodableEvent. */
export async function readInstructions(
  database: Queryable,
  { pattern, violations }: PatternGroup,
  { readFile }: Pick<ProposalSources, 'readFile'>,
): Promise<RecordedInstructions | undefined> {
  const jobs = [...new Set(violations.map(({ jobId }) => jobId).reverse())].slice(0, MAX_JOBS);
  for (const jobId of jobs) {
    const found = await findInstructions(database, jobId, pattern.agent);
    const content = found && (await readFile(jobId, found.hash));
    if (content) {
      const { hash: _hash, ...recorded } = found;
      return { ...recorded, text: removeTask(new TextDecoder().decode(content)) };
    }
  }
  return undefined;
}

/** Finds the file with the instructions of an agent among those with which a job was submitted. */
async function findInstructions(
  database: Queryable,
  jobId: JobId,
  name: string,
): Promise<(Omit<RecordedInstructions, 'text'> & { readonly hash: string }) | undefined> {
  const streamId = jobStream(jobId);
  const { rows } = await database.query<{ type: string; schema_version: number; data: JsonObject }>(
    `SELECT type, schema_version, data FROM phaseline.events WHERE stream_id = $1 AND version = 1 AND type = 'JobSubmitted'`,
    [streamId],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { type, schema_version: schemaVersion, data } = row;
  const event = decodeJobEvent({ streamId, version: 1, type, schemaVersion, data });
  if (event.type !== 'JobSubmitted') return undefined;
  const { agent, agents, tree } = event.data;
  const isOwn = agent.name === name;
  const definition = isOwn ? agent : agents?.[name]?.definition;
  const hash = tree[isOwn ? INSTRUCTIONS_FILE : agentInstructionsPath(name)]?.hash;
  return definition && hash !== undefined ? { file: definition.instructions, jobAgent: agent.name, hash } : undefined;
}
