import { runExperiment, type Experiment, type ExperimentJob } from '@phaseline/branches';
import { call, createThreePhasePolicy, DO_THE_TODO, parsePrompt, SeededRandom, type Policy } from '@phaseline/harness';
import { endBranch, EngineBranches, type Lab, type PlayedJob, type Prompts } from './engine-branches.js';

/** What experiments found with one prompt. */
export interface FaultRun {
  readonly prompt: string;
  readonly isFaulty: boolean;
  readonly outcome: Experiment['outcome'];
  readonly asked: number;
  readonly differing: number;
  readonly branches: number;
}

/** Number of rules in the prompt, each of which decides one answer. */
const RULES = 20;

const rule = (index: number): string => `Rule ${index}: name the source of part ${index}.`;
const writePrompt = (without?: number): string =>
  ['Work through the parts.', ...Array.from({ length: RULES }, (_, index) => (index === without ? '' : rule(index)))]
    .filter((line) => line !== '')
    .join('\n');

/** The prompt of the jobs, others that mean the same, and others that each lack a rule. */
function writePrompts(): Prompts {
  const faulty = Array.from({ length: RULES }, (_, index) => [`without-rule-${index}`, writePrompt(index)] as const);
  return {
    recorded: writePrompt(),
    reworded: writePrompt().replace('Work through the parts.', 'Take one part after the other.'),
    ...Object.fromEntries(faulty),
  };
}

export interface FaultOptions {
  readonly seed: number;
  readonly jobs: number;
  readonly samples: number;
  readonly branches: number;
  /** Prompts that are tried; default: all. */
  readonly prompts?: readonly string[];
}

/** Plays jobs with a prompt of rules, and tries other prompts on them. */
export async function findFaults(lab: Lab, options: FaultOptions): Promise<readonly FaultRun[]> {
  const random = new SeededRandom(options.seed);
  const prompts = writePrompts();
  const branches = new EngineBranches(lab, () => createWriter(random), prompts);
  const jobs: PlayedJob[] = [];
  while (jobs.length < options.jobs) {
    const played = await branches.play(createWriter(random));
    if (played.status === 'completed') jobs.push(played);
  }
  const runs: FaultRun[] = [];
  for (const agent of options.prompts ?? Object.keys(prompts)) {
    const counts = { samples: options.samples, branches: options.branches };
    const experiment = await runExperiment({ jobs, candidate: { agent }, name: agent, ...counts }, branches);
    const add = (of: (job: ExperimentJob) => number): number =>
      experiment.jobs.reduce((total, job) => total + of(job), 0);
    runs.push({
      prompt: agent,
      isFaulty: agent.startsWith('without'),
      outcome: experiment.outcome,
      asked: add(({ asked }) => asked),
      differing: add(({ differing }) => differing),
      branches: experiment.candidate.total + experiment.baseline.total,
    });
  }
  return runs;
}

/** Share of complete work that is accepted, and of work of which a part lacks its source. */
const RATES = { complete: 0.95, lacking: 0.1 } as const;

/** Writes a part per rule, in an order of its own, with its source if the prompt says so. Work that lacks a source is rarely accepted. */
function createWriter(random: SeededRandom): Policy {
  const chance = random.between(0, 999) / 1_000;
  return createThreePhasePolicy((request) => {
    const { turn } = parsePrompt(request);
    const system = request.messages[0]?.content ?? '';
    if (turn < RULES) {
      const content = system.includes(rule(turn)) ? `Part ${turn}, from page ${turn + 1}.` : `Part ${turn}.`;
      return call('write_file', { path: `parts/${turn}.md`, content });
    }
    const isLacking = request.messages.some((message) => /"Part \d+\.\\?"/.test(JSON.stringify(message)));
    if (chance >= (isLacking ? RATES.lacking : RATES.complete)) throw endBranch();
    return DO_THE_TODO;
  });
}
