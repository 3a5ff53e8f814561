import { InvalidArgumentError, Option, type Command } from 'commander';
import type { DiffOptions } from '../time/diff.js';
import type { ForkOptions } from '../time/fork.js';
import type { SnapshotOptions } from '../time/snapshots.js';
import type { Action } from './build-program.js';
import { dollars, label, position } from './option-values.js';

const JOB = 'id of the job, or the beginning of it';

/** The commands that look back, and those that go on from there. */
export function addTimeCommands(program: Command, action: Action): void {
  const diff = program
    .command('diff')
    .description('what changed in a job between two positions of the log')
    .argument('<job>', JOB)
    .requiredOption('--from <position>', 'position in the log', position)
    .option('--to <position>', 'position in the log; now where it is missing', position)
    .option('--files', 'with unified diffs of small text files');
  action(
    diff,
    (job: string, options: DiffOptions) => async (context) =>
      (await import('../time/diff.js')).diff(context, job, options),
  );

  const fork = program
    .command('fork')
    .description('a job that goes on from a point of another one, which is not touched')
    .argument('<job>', JOB)
    .requiredOption('--at <position>', 'position in the log', position)
    .addOption(
      new Option('--mode <mode>', 'live; or with recorded results of tools; or with recorded answers too').choices([
        'live',
        'live-model',
        'recorded',
      ]),
    )
    .option('--model <kind=profile...>', 'another model: strategic=NAME, tactical=NAME', kindAndProfile)
    .option('--agent <agent>', 'another agent, with its workflow')
    .option('--limit <name=number>', 'a limit of phases, such as steps=400; may be repeated', limit)
    .option('--budget-usd <amount>', 'the most that the fork may cost, with what the parent had spent', dollars)
    .option(
      '--answer <file>',
      'taken in place of the next answer: text, or JSON with content and calls; - is standard input',
    )
    .option('-l, --label <key=value>', 'a label in place of those of the parent; may be repeated', label)
    .option('--idempotency-key <key>', 'the same key with the same request gives the same fork')
    .option('-w, --wait', 'show the fork to its end and answer with its exit code');
  action(
    fork,
    (job: string, options: ForkOptions) => async (context) =>
      (await import('../time/fork.js')).fork(context, job, options),
  );

  const compare = program
    .command('compare')
    .description('two jobs beside each other, and where they first went apart')
    .argument('<job>', JOB)
    .argument('<other>', 'id of the other one, usually a fork');
  action(
    compare,
    (left: string, right: string) => async (context) =>
      (await import('../time/compare.js')).compare(context, left, right),
  );

  const snapshots = program.command('snapshots').description('the folded states that make looking back quick');
  const check = snapshots
    .command('check')
    .description('compare each with what the log folds to (DATABASE_URL, else the local stack)')
    .option('--job <job>', 'only those of this job; the whole id');
  action(
    check,
    (options: SnapshotOptions) => async (context) =>
      (await import('../time/snapshots.js')).checkSnapshots(context, options),
  );
  const drop = snapshots
    .command('drop')
    .description('delete them; nothing is lost, they are taken again')
    .option('--job <job>', 'only those of this job; the whole id');
  action(
    drop,
    (options: SnapshotOptions) => async (context) =>
      (await import('../time/snapshots.js')).dropSnapshots(context, options),
  );
}

function kindAndProfile(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, kind, profile] = /^(strategic|tactical)=(.+)$/.exec(text) ?? [];
  if (kind === undefined || profile === undefined)
    throw new InvalidArgumentError('Expected strategic=PROFILE or tactical=PROFILE.');
  if (kind in before) throw new InvalidArgumentError(`The model of ${kind} phases is given twice.`);
  return { ...before, [kind]: profile };
}

function limit(text: string, before: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const [, name, value] = /^([a-zA-Z]+)=(\d{1,9})$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('Expected NAME=NUMBER, such as steps=400.');
  return { ...before, [name]: Number(value) };
}
