import { billMessageSchema, type ContextChanges } from '@phaseline/contracts';
import { contextSettingsSchema } from '@phaseline/domain';
import type { ModelProfile } from '@phaseline/model';
import { loadAllDefinitions } from '../agents/load-all-definitions.js';
import { openLogDatabase } from '../audit/open-log-database.js';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { startProgress } from '../output/start-progress.js';
import { chooseJobs, type JobChoice } from '../release/choose-jobs.js';
import { runWhatIf } from '../release/run-what-if.js';
import { BillReport } from './bill-report.js';
import { renderBill, renderBillProgress } from './render-bill.js';

export interface BillOptions extends Omit<JobChoice, 'limit'> {
  readonly maxJobs: number;
  readonly model?: string;
  readonly context?: Readonly<Record<string, string>>;
}

/**
 * `phaseline costs what-if`: what recorded jobs would have cost with other settings of the context, or at the prices of another model. With
 * `--json`, each job is one line, and the summary is the last one.
 */
export async function billJobs(context: CommandContext, options: BillOptions): Promise<ExitCode> {
  const { out, env } = context;
  const settings = options.context && parseContextChanges(options.context);
  const prices = options.model === undefined ? undefined : await findPrices(env, options.model);
  if (!settings && !prices)
    throw new UsageError('Say what is supposed: --model PROFILE, or --context clearTokens=20000 todoList=last.');
  const progress = startProgress(context);
  const database = await openLogDatabase(context);
  const report = new BillReport();
  try {
    const choice = { ...options, limit: options.maxJobs };
    const changes = { ...(settings ? { context: settings } : {}), ...(prices ? { prices } : {}) };
    const request = { kind: 'bill' as const, ...changes, ...(await chooseJobs(database.url, choice)) };
    for await (const message of runWhatIf(database.url, request, billMessageSchema, context)) {
      report.add(message);
      if (out.isStructured && message.kind !== 'started') out.writeRecord(message);
      progress.report(renderBillProgress(report));
    }
  } finally {
    progress.end();
    await database.close();
  }
  const summary = report.summarise();
  if (out.isStructured) out.writeRecord({ kind: 'summary', database: database.name, ...summary });
  else out.writeLines(...renderBill(summary, out.paint));
  return exitCode.ok;
}

/** Settings as the agent definition has them; numbers are written as text on the command line. Throws UsageError. */
function parseContextChanges(given: Readonly<Record<string, string>>): ContextChanges {
  const changes = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
  );
  const parsed = contextSettingsSchema.safeParse(changes);
  if (parsed.success) return changes;
  const [issue] = parsed.error.issues;
  const member = issue?.path.join('.') ?? '';
  throw new UsageError(
    `--context${member === '' ? '' : ` ${member}`}: ${issue?.message ?? 'invalid'}. The settings are ${Object.keys(contextSettingsSchema.shape).join(', ')}.`,
  );
}

/** Throws UsageError, InvalidDefinitions. */
async function findPrices(env: NodeJS.ProcessEnv, name: string): Promise<ModelProfile['prices']> {
  const { models } = await loadAllDefinitions(env);
  const profile = models.find(name);
  if (!profile) throw new UsageError(`--model ${name}: there is no model profile of this name.`);
  return profile.definition.prices;
}
