import type { Alert } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatAge } from '../output/quantities.js';

/** `phaseline alerts`: shows what is wrong now. The exit code is 1 if an alert is critical, so that scripts can act on it. */
export async function alerts(context: CommandContext): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const list = await client.alerts({ signal });
  if (out.isStructured) out.writeDocument(list);
  else if (list.items.length === 0) out.writeLines('Nothing is wrong.');
  else out.writeLines(...list.items.flatMap((alert) => renderAlert(alert, Date.parse(list.measuredAt), out.paint)));
  return list.items.some(({ severity }) => severity === 'critical') ? exitCode.failed : exitCode.ok;
}

function renderAlert({ severity, title, cause, command, since }: Alert, now: number, paint: Paint): string[] {
  const age = since === undefined ? '' : paint.dim(` for ${formatAge(Math.max(0, now - Date.parse(since)))}`);
  const mark = severity === 'critical' ? paint.red('critical') : paint.yellow('warning ');
  return [
    `${mark}  ${toPrintable(title)}${age}`,
    `          ${toPrintable(cause)}`,
    `          ${paint.dim('→')} ${toPrintable(command)}`,
  ];
}
