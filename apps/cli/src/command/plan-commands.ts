import { Option, type Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { createNumberParser, createWholeNumberParser } from './option-values.js';

const PLAN = 'plan id, or a unique prefix of it';
const TENANT = 'name of the tenant; default: "default", or the only tenant in which you have the right';
const KEY = 'name of the preference; `phaseline preferences` lists all, with the values that they can have';
const OUT_HELP = 'write the approved schedule as picture, calendar file and table';
const NO_ASK_HELP = 'stop at the first question, and say how to answer it';

/** Adds the commands that plan goals. */
export function addPlanCommands(program: Command, action: RegisterAction): void {
  const plan = program
    .command('plan')
    .description('turn a goal into an approved schedule, in a conversation')
    .argument(
      '[goal]',
      'what is to be reached, in your own words; with the --goal-id of an approved plan, what is to be different',
    )
    .option('--continue [goal-id]', 'continue the open plan that you began last, or that of this goal')
    .option('--out <folder>', OUT_HELP)
    .option('--user <name>', 'person for whom the plan is made; default: you')
    .option('--goal-id <id>', 'groups the plans about one goal; a new one starts from the approved one')
    .option('--tenant <name>', 'tenant that owns the plan')
    .option('--zone <zone>', 'IANA time zone; default: that of this machine')
    .option('--start <day>', 'first day of work, YYYY-MM-DD; default: today')
    .option('--end <day>', 'last day of work, YYYY-MM-DD');
  addLimits(addSliders(plan))
    .option('--idempotency-key <key>', 'repeating a request with the same key returns the same plan')
    .option('--no-ask', NO_ASK_HELP);
  action(plan, async () => (await import('../plan/plan.js')).plan);

  const list = plan
    .command('list')
    .description('list plans, newest first')
    .option('--goal-id <id>', 'only plans about this goal')
    .addOption(
      new Option('--status <status>', 'only plans with this status').choices([
        'in_progress',
        'complete',
        'needs_clarification',
        'needs_scheduling_escalation',
        'aborted',
      ]),
    )
    .option('--pattern <pattern>', 'only plans with this pattern')
    .option('-n, --limit <count>', 'maximum number of plans', createWholeNumberParser(1, 10_000), 20);
  action(list, async () => (await import('../plan/show-plan.js')).listPlans);

  const show = plan.command('show').description('show a plan as it is now').argument('<plan>', PLAN);
  action(show, async () => (await import('../plan/show-plan.js')).showPlan);

  const reply = plan
    .command('reply')
    .description('answer what a plan or its run waits for: approve, or say what is to be different')
    .argument('<plan>', 'id of a plan or a run, or a unique prefix of it')
    .argument('<text>', 'the answer; for an approval "approve", or what is to be changed');
  action(reply, async () => (await import('../plan/plan.js')).replyToPlan);

  const resume = plan
    .command('continue')
    .description('continue the conversation of a plan')
    .argument('<plan>', PLAN)
    .option('--out <folder>', OUT_HELP)
    .option('--no-ask', NO_ASK_HELP);
  action(resume, async () => (await import('../plan/plan.js')).continuePlan);

  const run = plan
    .command('run')
    .description('carry out an approved plan: each task at its time, those that name an agent by that agent')
    .argument('<plan>', PLAN)
    .addOption(
      new Option('--people <mode>', 'whether you say when your tasks are done, or their planned end counts').choices([
        ...['confirm', 'as_planned'],
      ]),
    )
    .option('--clock <time>', 'rehearse: the time that the clock of the schedule shows at the start')
    .option('--speed <factor>', 'rehearse: seconds of that clock in one second', createNumberParser(1, 1_000_000))
    .option('--detach', 'print the id of the run and do not wait')
    .option('--idempotency-key <key>', 'repeating a request with the same key returns the same run');
  action(run, async () => (await import('../plan/run-plan.js')).runPlan);

  const progress = plan
    .command('progress')
    .description('show how far a plan is carried out')
    .argument('<run>', 'run id, or a unique prefix of it');
  action(progress, async () => (await import('../plan/run-plan.js')).showProgress);

  const trace = plan
    .command('trace')
    .description('show every step of a plan, with its confidence and its cost')
    .argument('<plan>', PLAN);
  action(trace, async () => (await import('../plan/show-plan.js')).tracePlan);

  const exported = plan
    .command('export')
    .description('write the schedule of a plan as picture, calendar file and table')
    .argument('<plan>', PLAN)
    .option('--out <folder>', 'folder of the files; default: the current one');
  action(exported, async () => (await import('../plan/show-plan.js')).exportPlan);
  addPreferenceCommands(program, action);
}

/** Adds the commands about lasting preferences for plans. */
function addPreferenceCommands(program: Command, action: RegisterAction): void {
  const preferences = program
    .command('preferences')
    .description('show how plans deal with you, and which values you have set')
    .option('--tenant <tenant>', TENANT);
  action(preferences, async () => (await import('../preferences/preferences.js')).showPreferences);

  const set = preferences
    .command('set')
    .description('set a preference for your later plans')
    .argument('<key>', KEY)
    .argument('<value>', 'the new value; for calendar, capacity and strategy JSON')
    .option('--tenant <tenant>', TENANT);
  action(set, async () => (await import('../preferences/preferences.js')).setPreference);

  const clear = preferences
    .command('clear')
    .description('have the default of a preference again in your later plans')
    .argument('<key>', KEY)
    .option('--tenant <tenant>', TENANT);
  action(clear, async () => (await import('../preferences/preferences.js')).clearPreference);
}

/** Adds the sliders of the interaction policy. */
function addSliders(command: Command): Command {
  return command
    .addOption(
      new Option('--style <style>', 'wording of messages').choices(['concise', 'standard', 'conversational', 'coach']),
    )
    .option('--talkativeness <share>', 'length of messages, 0 to 1', createNumberParser(0, 1))
    .addOption(new Option('--autonomy <degree>', 'what is decided without you').choices(['high', 'medium', 'low']))
    .addOption(
      new Option('--brainstorming <when>', 'when ideas are offered').choices([
        ...['on_demand', 'suggest_when_uncertain', 'always_offer'],
      ]),
    )
    .addOption(
      new Option('--approvals <policy>', 'what you approve').choices([
        ...['single_final', 'milestone_approvals', 'strict_every_step'],
      ]),
    )
    .option('--questions <count>', 'maximum number of questions at once, 0 to 3', createWholeNumberParser(0, 3))
    .addOption(new Option('--tone <tone>', 'tone of messages').choices(['neutral', 'friendly', 'clinical']));
}

/** Adds the limits of a plan, by the names of its settings. Each may only lower what the planner allows. */
function addLimits(command: Command): Command {
  const parseUsd = createNumberParser(0, 1_000_000_000);
  return command
    .option('--turn-limit <count>', 'maximum number of turns', createWholeNumberParser(1, 10_000))
    .option('--retry-limit-per-stage <count>', 'invalid drafts that are repeated', createWholeNumberParser(0, 10))
    .option('--wall-time-sec <seconds>', 'maximum time of work per turn', createNumberParser(0.001, 86_400))
    .option('--budget-per-session-usd <usd>', 'maximum cost of the plan', parseUsd)
    .option('--soft-budget-per-turn-usd <usd>', 'cost of a turn after which you are asked', parseUsd)
    .option('--daily-budget-usd <usd>', 'cost of all your plans in a day after which you are asked', parseUsd);
}
