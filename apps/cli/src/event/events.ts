import type { EventRecord } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { renderEvent } from './render-event.js';

export interface EventsOptions {
  readonly follow?: boolean;
  readonly after: number;
  readonly type?: string[];
  readonly limit?: number;
}

const PAGE_SIZE = 500;

/** `phaseline events JOB`: shows the recorded events, and with `--follow` new ones as they arrive. */
export async function events(context: CommandContext, given: string, options: EventsOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { type: types } = options;
  const { client, jobId } = await connectToJob(context, given);
  const show = (event: EventRecord): void => {
    if (out.isStructured) out.writeRecord(event);
    else out.writeLines(renderEvent(event, { paint: out.paint, columns: out.columns }));
  };
  let remaining = options.limit ?? Infinity;
  if (options.follow) {
    const stream = client.events(jobId, { after: options.after, signal, types });
    for (let next = await stream.next(); ; next = await stream.next()) {
      if (next.done) return exitCodeOfStatus(next.value.status);
      show(next.value);
      remaining -= 1;
      if (remaining <= 0) {
        await stream.return({ status: 'running' });
        return exitCode.ok;
      }
    }
  }
  let shown = 0;
  for (let after: number | undefined = options.after; after !== undefined && remaining > 0;) {
    const page = await client.eventPage(jobId, { after, limit: Math.min(PAGE_SIZE, remaining), types }, { signal });
    page.items.forEach(show);
    shown += page.items.length;
    remaining -= page.items.length;
    after = page.nextAfter;
    signal.throwIfAborted();
  }
  if (shown === 0)
    out.writeMessage(
      `The job has no event${types ? ` of type ${types.join(' or ')}` : ''} after position ${options.after}.`,
    );
  return exitCode.ok;
}
