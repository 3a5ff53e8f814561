import type { ProcessRecord } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { describeSandbox } from './describe-sandbox.js';
import { toPrintable } from '../output/printable.js';
import { renderTable, type Column } from '../output/table.js';

const COLUMNS: readonly Column<ProcessRecord>[] = [
  { title: 'SERVICE', cell: ({ service }) => toPrintable(service) },
  { title: 'HOST', cell: ({ host }) => toPrintable(host) },
  { title: 'PID', align: 'right', cell: ({ pid }) => String(pid ?? '–') },
  { title: 'PROCESS', cell: ({ processId }) => toPrintable(processId) },
  { title: 'VERSION', cell: ({ version }) => toPrintable(version) },
  { title: 'STARTED', cell: ({ startedAt }) => startedAt },
  {
    title: 'HEARTBEAT',
    align: 'right',
    cell: ({ heartbeatAgeMs, isDead }) => `${(heartbeatAgeMs / 1_000).toFixed(1)} s${isDead ? ', dead' : ''}`,
  },
  { title: 'QUEUES', cell: ({ queues }) => (queues?.length ? toPrintable(queues.join(', ')) : '–') },
  { title: 'LOAD', align: 'right', cell: ({ load }) => (load ? `${load.running}/${load.concurrency}` : '–') },
  { title: 'WORK', cell: renderWork },
  { title: 'SANDBOX', cell: ({ sandbox }) => (sandbox ? toPrintable(describeSandbox(sandbox)) : '–') },
];

/** `phaseline ps`: shows the processes of the system and the work that they hold. */
export async function ps(context: CommandContext): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const processes = await client.processes({ signal });
  if (out.isStructured) out.writeDocument({ items: processes });
  else out.writeLines(...renderTable(COLUMNS, processes, { title: out.paint.dim }));
  return exitCode.ok;
}

function renderWork({ leases, otherLeases, problems }: ProcessRecord): string {
  const parts = leases.map(({ jobId, phase, callId }) =>
    [`${jobId.slice(0, 8)} phase ${phase}`, ...(callId === undefined ? [] : [toPrintable(callId)])].join(' '),
  );
  if (otherLeases > 0) parts.push(`${otherLeases} of other tenants`);
  return [...parts, ...problems.map((problem) => `not ready: ${toPrintable(problem)}`)].join(', ') || '–';
}
