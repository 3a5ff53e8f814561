import { bisect } from '@phaseline/branches';
import { call, createThreePhasePolicy, DO_THE_TODO, parsePrompt, SeededRandom, type Policy } from '@phaseline/harness';
import { endBranch, EngineBranches, type Lab } from './engine-branches.js';

/** What the bisection of one scripted job found. */
export interface BisectRun {
  readonly seed: number;
  readonly answers: number;
  /** Number of the planted answer, from 1, and of the one that was found. */
  readonly planted: number;
  readonly found: number | undefined;
  readonly isConfirmed: boolean;
  /** Branches that were run, and as many as were allowed. */
  readonly branches: number;
  readonly allowed: number;
}

/** Shares of branches that complete before the bad answer and after it: neither a model that always succeeds, nor one that never does. */
const RATES = { good: 0.9, bad: 0.05 } as const;

const MARK = 'The archive is empty.';

/** Plays a job in which one answer is bad, and bisects it. */
export async function bisectJob(lab: Lab, seed: number, branchesPerPoint: number): Promise<BisectRun> {
  const random = new SeededRandom(seed);
  const turns = random.between(8, 40);
  const badTurn = random.between(0, turns - 1);
  const branches = new EngineBranches(lab, () => createWorker(turns, random), { tester: 'Work.' });
  const { jobId, answers } = await branches.play(createWorker(turns, random, badTurn));
  const { bad, isConfirmed } = await bisect({ jobId, answers, branches: branchesPerPoint, passRate: 0.5 }, branches);
  return {
    seed,
    answers: answers.length,
    // The answer that plans comes first.
    planted: badTurn + 2,
    found: bad && answers.indexOf(bad) + 1,
    isConfirmed,
    branches: branches.followed,
    allowed: Math.ceil(Math.log2(answers.length)) * branchesPerPoint,
  };
}

/** Writes a file per turn. With `badTurn`, that turn writes a false statement, and the job fails at its end. */
function createWorker(turns: number, random: SeededRandom, badTurn?: number): Policy {
  const chance = random.between(0, 999) / 1_000;
  return createThreePhasePolicy((request) => {
    const { turn } = parsePrompt(request);
    const content = turn === badTurn ? MARK : `Part ${turn} is read.`;
    if (turn < turns) return call('write_file', { path: `notes/${turn}.md`, content });
    const isSpoiled = request.messages.some((message) => JSON.stringify(message).includes(MARK));
    const completes = badTurn === undefined && chance < (isSpoiled ? RATES.bad : RATES.good);
    if (!completes) throw endBranch();
    return DO_THE_TODO;
  });
}
