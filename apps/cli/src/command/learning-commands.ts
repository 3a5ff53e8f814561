import { learningActions, learningTraceScopes, learningTraceTypes } from '@phaseline/contracts';
import { Option, type Command } from 'commander';
import { proposalChoices } from '../learning/proposal-choices.js';
import type { RegisterAction } from './command-action.js';
import { createWholeNumberParser, parseAmount, parsePast } from './option-values.js';

/** Adds the commands about what can be learned from ended work. */
export function addLearningCommands(program: Command, action: RegisterAction): void {
  const learning = program.command('learning').description('what can be learned from ended work');
  const calibration = learning
    .command('calibration')
    .description('show the confidence of drafts of plans against what became of them, by agent and model')
    .option('--agent <agent>', 'only drafts of this agent')
    .option('--model <model>', 'only drafts of this model')
    .option('--since <time>', 'only drafts since: a duration such as 2h or 7d, or a date', parsePast);
  const traces = learning
    .command('traces')
    .description('list what guards, checks and people refused or decided in jobs, newest first')
    .option('--search <text>', 'only what matches these words, the best match first')
    .addOption(new Option('--type <type>', 'only this type').choices(learningTraceTypes))
    .addOption(new Option('--action <action>', 'only what was done').choices(learningActions))
    .addOption(new Option('--scope <scope>', 'only what these agents may read').choices(learningTraceScopes))
    .option('--agent <agent>', 'only what happened to this agent')
    .option('--project <project>', 'only of this project')
    .option('--job <job>', 'only of this job, by its full id')
    .option('--limit <number>', 'maximum number; default 50', parseAmount);
  action(traces, async () => (await import('../learning/learning-traces.js')).listLearningTraces);
  const trace = learning.command('trace').description('show a learning trace').argument('<id>', 'its id');
  const promote = learning
    .command('promote')
    .description('let agents of other jobs of the tenant read a learning trace of a job that ran for another person')
    .argument('<id>', 'its id')
    .addOption(
      new Option('--to <scope>', 'agents of its project, or all')
        .choices(['project', 'universal'])
        .makeOptionMandatory(),
    )
    .requiredOption('--reason <reason>', 'why; recorded in the log');
  action(promote, async () => (await import('../learning/promotions.js')).promoteLearningTrace);
  const withdraw = learning
    .command('withdraw')
    .description('take the promotion of a learning trace back')
    .argument('<id>', 'its id')
    .requiredOption('--reason <reason>', 'why; recorded in the log');
  action(withdraw, async () => (await import('../learning/promotions.js')).withdrawLearningTrace);
  action(trace, async () => (await import('../learning/learning-traces.js')).showLearningTrace);
  const patterns = learning
    .command('patterns')
    .description('list mistakes that agents made at least five times, and what can be done about each')
    .option('--agent <agent>', 'only mistakes of this agent')
    .option('--since <time>', 'only what happened since: a duration such as 2h or 7d, or a date', parsePast);
  action(patterns, async () => (await import('../learning/patterns.js')).listPatterns);
  const createGuard = learning
    .command('create-guard')
    .description('write a rule that denies the calls of a pattern and no accepted call of a completed job, as a draft')
    .argument('<pattern>', 'its id')
    .option('--output <file>', 'file to write, whose name the guard gets; default: learned-PATTERN.yaml');
  action(createGuard, async () => (await import('../learning/patterns.js')).createGuard);
  const propose = learning
    .command('propose')
    .description('show what can be done about a pattern: a rule, a stricter guard, or a line of instructions')
    .argument('<pattern>', 'its id')
    .addOption(new Option('--kind <kind>', 'only this proposal').choices(proposalChoices))
    .option(
      '--out <folder>',
      'write the files of the guards, and the folder of an agent with the line, into this folder',
    );
  action(propose, async () => (await import('../learning/propose.js')).proposeChanges);
  const report = learning
    .command('report')
    .description('count five anti-patterns of learning and five measures of success in the newest jobs')
    .option('--agent <agent>', 'only jobs of this agent')
    .option('--since <time>', 'only jobs since: a duration such as 2h or 7d, or a date', parsePast)
    .option('--limit <number>', 'number of jobs', createWholeNumberParser(1, 1_000), 500);
  action(report, async () => (await import('../learning/report.js')).showLearningReport);
  action(calibration, async () => (await import('../learning/calibration.js')).showCalibration);
}
