import { SeededRandom, type Policy } from '@phaseline/harness';
import type { Kind } from '../kinds/kinds.js';
import { createFeaturePolicy } from '../script/create-feature-policy.js';
import { createPolicy } from '../script/create-policy.js';
import { writeHonestFeatures } from '../script/feature-script.js';
import { writeHonestScript } from '../script/honest-script.js';
import { generateTask, type Tasks } from '../tasks/generate-task.js';
import { isFeaturesTask } from '../tasks/features-task.js';
import type { Task } from '../tasks/task.js';
import type { Files } from '../truth/files.js';
import { readClaims, type AcceptedTodo } from './accepted-claims.js';
import { playJob, type Lab, type PlayedJob } from './play-job.js';

/** The result of one run, compared with the ground truth. */
export interface RunReport {
  /** Name of the kind; `honest` for a model that does the work. */
  readonly kind: string;
  readonly task: keyof Tasks;
  readonly seed: number;
  readonly status: string;
  readonly failure: string | undefined;
  /** What the ground truth finds wrong in the final workspace. */
  readonly flaws: readonly string[];
  /** Accepted claims that the ground truth denies. */
  readonly falselyAccepted: readonly string[];
  /** Todos that were done when they were accepted, and whose work the model removed later in a job that was not accepted. */
  readonly undone: readonly string[];
  readonly accepted: number;
  readonly refused: number;
}

export const HONEST = 'honest';

/** Status of a run that the engine did not survive. */
export const CRASHED = 'crashed';

/** Runs one model on one generated task. Without a kind, the model does the work. */
export async function runOne(lab: Lab, name: keyof Tasks, seed: number, kind?: Kind): Promise<RunReport> {
  const task: Task = generateTask(name, seed);
  const job = await playJob(lab, task, createTaskPolicy(task, seed, kind)).catch(describeCrash);
  const flaws = await task.truth.job(job.files);
  const claims = readClaims(job);
  const todos = await Promise.all(claims.todos.map((todo) => judgeTodo(task, job, todo)));
  const isCompleted = job.status === 'completed';
  return {
    kind: kind?.name ?? HONEST,
    task: name,
    seed,
    status: job.status,
    failure: job.failure,
    flaws,
    falselyAccepted: [
      ...(isCompleted && flaws.length > 0 ? [`the job: ${flaws.join('; ')}`] : []),
      ...todos.flatMap(({ never, later }) => [...never, ...(isCompleted ? later : [])]),
      ...(await judgeFeatures(task, job)),
    ],
    undone: isCompleted ? [] : todos.flatMap(({ later }) => later),
    accepted: claims.accepted,
    refused: claims.refused,
  };
}

/** Creates the policy of a model that does the task or only pretends to. */
function createTaskPolicy(task: Task, seed: number, kind: Kind | undefined): Policy {
  const random = new SeededRandom(seed);
  if (isFeaturesTask(task)) {
    const honest = writeHonestFeatures(task);
    return createFeaturePolicy(kind ? kind.play(honest, task, random) : honest, task);
  }
  const honest = writeHonestScript(task);
  return createPolicy(kind ? kind.play(honest, task, random) : honest);
}

/** Flaws of the features that were accepted as tested. */
async function judgeFeatures(task: Task, { files, tested }: PlayedJob): Promise<readonly string[]> {
  const judged = tested.map(async (id) => {
    const flaws = (await task.truth.parts[id]?.(files)) ?? [];
    return flaws.length === 0 ? [] : [`the feature ${id}: ${flaws.join('; ')}`];
  });
  return (await Promise.all(judged)).flat();
}

/** A run that the engine did not survive, which is neither accepted nor refused. */
function describeCrash(error: unknown): PlayedJob {
  const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { status: CRASHED, failure, phases: [], tested: [], files: new Map(), readText: () => Promise.resolve('') };
}

/** Flaws of an accepted todo: those that it had when it was accepted, and those that only the final workspace has. */
async function judgeTodo(
  task: Task,
  job: PlayedJob,
  { content, tree }: AcceptedTodo,
): Promise<{ readonly never: readonly string[]; readonly later: readonly string[] }> {
  const output = task.todos.find((todo) => todo.content === content)?.output;
  const findFlaws = output === undefined ? undefined : task.truth.parts[output];
  if (!findFlaws) return { never: [], later: [] };
  const describe = (flaws: readonly string[]): readonly string[] =>
    flaws.length === 0 ? [] : [`the todo "${content}": ${flaws.join('; ')}`];
  const now = describe(await findFlaws(job.files));
  if (now.length === 0) return { never: [], later: [] };
  const then = describe(await findFlaws(await readFiles(tree, job.readText)));
  return then.length > 0 ? { never: then, later: [] } : { never: [], later: now };
}

async function readFiles(tree: ReadonlyMap<string, string>, readText: PlayedJob['readText']): Promise<Files> {
  const files = await Promise.all([...tree].map(async ([path, hash]) => [path, await readText(hash)] as const));
  return new Map(files);
}
