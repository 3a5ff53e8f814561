import { join } from 'node:path';
import { openLocalHome, type ServiceEvent } from '@phaseline/local-stack';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { createDashboardLink, findOpener, openInBrowser } from './dashboard-link.js';
import { describeModel } from './describe-model.js';
import { LogTail } from './log-tail.js';
import { parseLogWarning } from './parse-log-warning.js';
import { serviceNames } from './project-files.js';
import { planStack, type QueueBackend } from './stack-plan.js';
import { startStack, type RunningStack } from './start-stack.js';
import { waitUntilAborted } from './wait-until-aborted.js';

export interface UpOptions {
  readonly port: number;
  readonly queueBackend?: QueueBackend;
  /** Whether to open the dashboard where there is a display. */
  readonly open?: boolean;
}

/** `phaseline up`: runs the stack in the foreground until Ctrl-C. With `--json` writes a record when it is up, and one per warning. */
export async function up(context: CommandContext, options: UpOptions): Promise<ExitCode> {
  const { out, env, signal } = context;
  const plan = planStack(env, options);
  const home = await openLocalHome(env, context.currentDirectory);
  const warn = (service: string, message: string): void => {
    if (out.isStructured) out.writeRecord({ kind: 'warning', service, message });
    else out.writeMessage(`${out.errorPaint.yellow(service)}  ${message}`);
  };
  const stack = await startStack({
    home,
    plan,
    env,
    port: options.port,
    signal,
    onStep: (line) => out.writeMessage(out.errorPaint.dim(line)),
    onServiceEvent: (event) => reportDeath(event, warn),
  });
  const tails = serviceNames.map(
    (name) =>
      new LogTail(join(home.logDirectory, `${name}.log`), (line) => {
        const warning = parseLogWarning(line);
        if (warning !== undefined) warn(name, warning);
      }),
  );
  try {
    await Promise.all(tails.map((tail) => tail.start()));
    const dashboard = await createDashboardLink(stack, signal);
    if (out.isStructured)
      out.writeRecord({
        kind: 'up',
        url: stack.apiUrl,
        dashboard,
        services: stack.urls,
        workspacesFolder: stack.workspaceRoot,
        logFolder: home.logDirectory,
      });
    else
      out.writeLines(
        ...renderUp(stack, dashboard, {
          logDirectory: home.logDirectory,
          model: describeModel(plan.model),
          queue: plan.queue,
        }),
      );
    const opener = options.open === false || !out.isTerminal ? undefined : findOpener(env);
    if (opener !== undefined) await openInBrowser(dashboard, opener, home.directory);
    const failure = await Promise.race([waitUntilAborted(signal), stack.failed]);
    if (failure) throw failure;
    out.writeMessage('Stopping…');
    return exitCode.ok;
  } finally {
    await Promise.all(tails.map((tail) => tail.stop()));
    await stack.stop();
  }
}

function reportDeath(event: ServiceEvent, warn: (service: string, message: string) => void): void {
  if (event.type === 'died') warn(event.service, `ended (${event.how}); restarting it`);
}

function renderUp(
  stack: RunningStack,
  dashboard: string,
  about: { readonly logDirectory: string; readonly model: string; readonly queue: QueueBackend },
): string[] {
  return [
    `Phaseline is up at ${stack.apiUrl}`,
    '',
    ...Object.entries({
      dashboard,
      API: `${stack.apiUrl}/docs`,
      ...Object.fromEntries(Object.entries(stack.urls).filter(([name]) => name !== 'orchestrator')),
      model: about.model,
      queues: about.queue,
      files: stack.workspaceRoot,
      logs: about.logDirectory,
    }).map(([name, value]) => `  ${name.padEnd(16)}  ${value}`),
    '',
    'The link to the dashboard works once, for 10 minutes; for another one: npx phaseline login',
    'Submit a job:  npx phaseline submit creator --document FILE --wait',
    'Stop with Ctrl-C. Running jobs continue at the next start.',
  ];
}
