import { unrecordedPolicies, type Unrecorded } from '@phaseline/contracts';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import {
  collectLabel,
  createNumberParser,
  createWholeNumberParser,
  parseDollars,
  parsePast,
  parsePosition,
} from './option-values.js';

const JOB = 'job id, or a unique prefix of it';

/** Adds the commands that inspect past states of a job and fork from them. */
export function addTimeCommands(program: Command, action: RegisterAction): void {
  const timeline = program
    .command('timeline')
    .description('draw what the phases of a job did when, and what they waited for')
    .argument('<job>', JOB)
    .option('--from <time>', 'begin at: a duration such as 2h ago, or a date; default: the first event', parsePast)
    .option('--to <time>', 'end at; default: the last event, or now while the job runs', parsePast)
    .option(
      '--width <columns>',
      'columns of the drawing (default: as wide as the terminal; 800 with --json)',
      createWholeNumberParser(10, 4_000),
    );
  action(timeline, async () => (await import('../timeline/show-timeline.js')).showTimeline);

  const workflow = program
    .command('workflow')
    .description('show the states of the workflow of a job, how they follow each other, and where the job is')
    .argument('<job>', JOB);
  action(workflow, async () => (await import('../workflow/show-workflow.js')).showWorkflow);

  const diff = program
    .command('diff')
    .description('show what changed in a job between two positions in the log')
    .argument('<job>', JOB)
    .requiredOption('--from <position>', 'position in the log', parsePosition)
    .option('--to <position>', 'position in the log; default: now', parsePosition)
    .option('--patches', 'include unified diffs of small text files');
  action(diff, async () => (await import('../time/diff.js')).diff);

  const claims = program
    .command('claims')
    .description('list what the agent said is done, with the evidence or the reason of the refusal')
    .argument('<job>', JOB);
  action(claims, async () => (await import('../claims/list-claims.js')).listClaims);

  const explain = program
    .command('explain')
    .description('show who wrote each line of a file; with a line: which call, from which prompt, and what it cites')
    .argument('<job>', JOB)
    .argument('<file>', 'path in the workspace, and optionally a line: output/summary.md:7')
    .option('--at <position>', 'position in the log; default: now', parsePosition);
  action(explain, async () => (await import('../explain/explain.js')).explain);

  const prompt = program
    .command('prompt')
    .description('print the exact request of a model call, rebuilt from the log; without --step: list the calls')
    .argument('<job>', JOB)
    .requiredOption('--phase <number>', 'number of the phase', parseOrdinal)
    .option('--step <number>', 'number of the step', parseOrdinal)
    .option('--attempt <number>', 'number of the call within the step; default: the last', parseOrdinal)
    .option('--messages', 'only the messages, without the descriptions of the tools');
  action(prompt, async () => (await import('../prompt/prompt.js')).prompt);

  const fork = program
    .command('fork')
    .description('create a job that continues from a point of another job, which stays unchanged')
    .argument('<job>', JOB)
    .requiredOption('--at <position>', 'position in the log', parsePosition)
    .addOption(
      new Option(
        '--mode <mode>',
        'live; live-model: recorded tool results; recorded: recorded tool results and model responses',
      ).choices(['live', 'live-model', 'recorded']),
    )
    .option(
      '--unrecorded <tool=policy>',
      'what follows where the recording has no result: error, fail, nearest or run; *=POLICY is for all others; may be repeated',
      parseUnrecorded,
    )
    .option('--model <kind=profile...>', 'use another model: strategic=NAME, tactical=NAME', parseModelOverride)
    .option('--agent <agent>', 'use another agent, with its workflow')
    .option('--phase-limit <name=number>', 'change a limit of phases, such as steps=400; may be repeated', parseLimit)
    .option(
      '--budget-usd <amount>',
      'cost limit of the fork in US dollars, including what the parent had spent',
      parseDollars,
    )
    .option(
      '--response <file>',
      'file to use as the next model response: text, or JSON with content and calls; - is standard input',
    )
    .option('-l, --label <key=value>', "label; replaces the parent's labels; may be repeated", collectLabel)
    .option('--idempotency-key <key>', 'repeating a request with the same key returns the same fork')
    .option('-w, --wait', 'follow the fork to its end and exit with its status');
  action(fork, async () => (await import('../time/fork.js')).fork);

  addBranchCommands(program, action);

  const compare = program
    .command('compare')
    .description('compare two jobs side by side and show where they first differ')
    .argument('<job>', JOB)
    .argument('<other>', 'id of the other job, usually a fork');
  action(compare, async () => (await import('../time/compare.js')).compare);

  const snapshots = program.command('snapshots').description('stored states that make past states fast to read');
  const check = snapshots
    .command('check')
    .description('compare each snapshot with a fold of the log (DATABASE_URL, else the local stack)')
    .option('--job <job>', 'only the snapshots of this job (full id)');
  action(check, async () => (await import('../time/snapshots.js')).checkSnapshots);
  const remove = snapshots
    .command('delete')
    .description('delete snapshots; nothing is lost, they are recreated when needed')
    .option('--job <job>', 'only the snapshots of this job (full id)');
  action(remove, async () => (await import('../time/snapshots.js')).deleteSnapshots);
}

/** Adds the commands that run many forks of recorded jobs. */
function addBranchCommands(program: Command, action: RegisterAction): void {
  const bisect = withBranchOptions(
    program
      .command('bisect')
      .description(
        'find the answer after which a job that did not complete can no longer complete, by forks that run live',
      )
      .argument('<job>', JOB)
      .option(
        '--pass-rate <share>',
        'share of the branches of a point that must complete for it to pass',
        createNumberParser(0.01, 1),
        0.5,
      ),
    3,
  );
  action(bisect, async () => (await import('../branch/bisect.js')).bisectJob);

  const experiment = withBranchOptions(
    program
      .command('experiment')
      .description('try another agent, model or limit on ended jobs; exit code 1 if it does worse')
      .requiredOption(
        '--jobs <filter...>',
        'ids of jobs, or conditions: agent=NAME, status=completed, label=KEY=VALUE, since=7d, before, tenant, text',
      )
      .option('--agent <agent>', 'the agent that is tried')
      .option('--model <kind=profile...>', 'the model that is tried: strategic=NAME, tactical=NAME', parseModelOverride)
      .option('--phase-limit <name=number>', 'a limit that is tried, such as steps=400; may be repeated', parseLimit)
      .option('--max-jobs <number>', 'number of jobs, the newest first', createWholeNumberParser(1, 1_000), 10)
      .option(
        '--samples <number>',
        'answers per job that the candidate is asked for',
        createWholeNumberParser(1, 1_000),
        10,
      ),
    5,
  );
  action(experiment, async () => (await import('../branch/experiment.js')).experiment);
}

function withBranchOptions(command: Command, branches: number): Command {
  return command
    .option('-k, --branches <number>', 'branches per point', createWholeNumberParser(1, 100), branches)
    .option(
      '--budget-usd <amount>',
      'what all branches may cost; default: as if each cost as much as its job',
      parseDollars,
    )
    .option('--run <name>', 'name of the run: branches of the same run are not run twice', '1');
}

function parseOrdinal(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 1.');
  return Number(text);
}

function parseModelOverride(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, kind, profile] = /^(strategic|tactical)=(.+)$/.exec(text) ?? [];
  if (kind === undefined || profile === undefined)
    throw new InvalidArgumentError('Expected strategic=PROFILE or tactical=PROFILE.');
  if (kind in before) throw new InvalidArgumentError(`The model of ${kind} phases is given twice.`);
  return { ...before, [kind]: profile };
}

function parseUnrecorded(text: string, before: Unrecorded = {}): Unrecorded {
  const [, tool, policy] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const known = unrecordedPolicies.find((one) => one === policy);
  if (tool === undefined || known === undefined)
    throw new InvalidArgumentError(`Expected TOOL=POLICY or *=POLICY, with one of ${unrecordedPolicies.join(', ')}.`);
  if (Object.hasOwn(before, tool)) throw new InvalidArgumentError(`The policy of ${tool} is given twice.`);
  return { ...before, [tool]: known };
}

function parseLimit(text: string, before: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const [, name, value] = /^([a-zA-Z]+)=(\d{1,9})$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('Expected NAME=NUMBER, such as steps=400.');
  return { ...before, [name]: Number(value) };
}
