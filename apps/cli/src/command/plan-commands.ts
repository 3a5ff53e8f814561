import { Option, type Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { createNumberParser, createWholeNumberParser } from './option-values.js';

/** Adds the command that plans a goal. */
export function addPlanCommands(program: Command, action: RegisterAction): void {
  const plan = program
    .command('plan')
    .description('turn a goal into an approved schedule, in a conversation')
    .argument('<goal>', 'what is to be reached, in your own words')
    .option('--out <folder>', 'write the approved schedule as picture, calendar file and table')
    .option('--user <name>', 'person for whom the plan is made; default: you')
    .option('--zone <zone>', 'IANA time zone; default: that of this machine')
    .option('--start <day>', 'first day of work, YYYY-MM-DD; default: today')
    .option('--end <day>', 'last day of work, YYYY-MM-DD')
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
    .addOption(new Option('--tone <tone>', 'tone of messages').choices(['neutral', 'friendly', 'clinical']))
    .option('--idempotency-key <key>', 'repeating a request with the same key returns the same plan')
    .option('--no-ask', 'stop at the first question, and say how to answer it');
  action(plan, async () => (await import('../plan/plan.js')).plan);
}
