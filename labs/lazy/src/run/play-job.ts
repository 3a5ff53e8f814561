import { jobStream, phaseStream } from '@phaseline/domain';
import { Engine, MemoryLog, type Policy } from '@phaseline/harness';
import { featuresPack, memoryPack, scriptsPack } from '@phaseline/inline-packs';
import { createChecksPack, createCommandsPack, createLearningPack, DiskFolders } from '@phaseline/remote-packs';
import type { Sandbox } from '@phaseline/sandbox';
import type { VerifierFolders } from '@phaseline/verification';
import type { Task } from '../tasks/task.js';
import type { Files } from '../truth/files.js';
import type { LabAgents } from './load-agents.js';

/** What a run needs beside its task. */
export interface Lab {
  readonly agents: LabAgents;
  readonly sandbox: Sandbox;
  /** Folder for the working folders of commands. */
  readonly workFolder: string;
  /** Folders of verifiers. */
  readonly verifierFolders: VerifierFolders;
}

export interface RecordedEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A played job. */
export interface PlayedJob {
  readonly status: string;
  /** Why it failed, if it did. */
  readonly failure: string | undefined;
  /** Events of each phase, in order. */
  readonly phases: readonly (readonly RecordedEvent[])[];
  /** Items of a loop that were accepted as tested. */
  readonly tested: readonly string[];
  readonly files: Files;
  /** Reads a file by the hash of its content. */
  readonly readText: (hash: string) => Promise<string>;
}

/** Number of times that a stuck job waits for a person in vain, after which it fails. */
const MAX_ROUNDS = 4;
const LONGER_THAN_ANY_WAIT_MS = 2 * 86_400_000;
const MAX_MESSAGES = 5_000;

/** Runs one job from its submission to its end on an in-memory log, with commands in the real sandbox. */
export async function playJob(lab: Lab, task: Task, policy: Policy): Promise<PlayedJob> {
  const store = new MemoryLog(Date.now);
  const commands = createCommandsPack({ folders: new DiskFolders(lab.workFolder), sandbox: lab.sandbox });
  // The log of a job in memory has no table of learning traces, so there are no precedents.
  const learning = createLearningPack(
    { getTenant: async () => 'default' },
    { list: async () => '', read: async () => undefined, listPatterns: async () => '' },
  );
  const verifiers = createChecksPack({
    sandbox: lab.sandbox,
    folders: lab.verifierFolders,
    readVerifier: async (jobId, name, began = 1) => {
      const definition = lab.agents.listVerifiers(task).find((verifier) => verifier.name === name);
      if (!definition) throw new Error(`the task ${task.name} has no verifier ${name}`);
      return { definition, begin: (await engine.loadPhase(jobId, began)).start.workspace.tree, blobs: store.blobs };
    },
  });
  const engine: Engine = new Engine({
    store,
    policy,
    packs: [memoryPack, scriptsPack, featuresPack, commands, verifiers, learning],
    agents: lab.agents.sourceFor(task),
  });
  const jobId = await engine.submit({
    agent: task.agent,
    instructions: task.instructions,
    documents: task.documents.map(({ path, content }) => ({
      name: path.replace(/^documents\//, ''),
      content: Buffer.from(content),
    })),
  });
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    await engine.run(jobId, { messages: MAX_MESSAGES });
    if ((await engine.loadJob(jobId)).status !== 'paused') break;
    engine.advanceTime(LONGER_THAN_ANY_WAIT_MS);
  }
  const readText = async (hash: string): Promise<string> =>
    Buffer.from((await store.blobs.get(hash)) ?? new Uint8Array()).toString();
  const job = await engine.loadJob(jobId);
  const files = new Map<string, string>();
  for (const [path, { hash }] of Object.entries((await engine.loadPhase(jobId, job.phases)).tree))
    files.set(path, await readText(hash));
  const jobEvents = await readEvents(store, jobStream(jobId));
  return {
    status: job.status,
    failure: describeFailure(jobEvents),
    phases: await Promise.all(
      Array.from({ length: job.phases }, (_, index) => readEvents(store, phaseStream(jobId, index + 1))),
    ),
    tested: (job.items?.list ?? []).filter(({ status }) => status === 'tested').map(({ id }) => id),
    files,
    readText,
  };
}

async function readEvents(store: MemoryLog, stream: ReturnType<typeof jobStream | typeof phaseStream>) {
  return (await store.read(stream)).map(({ type, data }) => ({ type, data: data as RecordedEvent['data'] }));
}

function describeFailure(events: readonly RecordedEvent[]): string | undefined {
  const failed = events.findLast(({ type }) => type === 'JobFailed');
  return failed && [failed.data['code'], failed.data['message']].filter(Boolean).join(': ');
}
