import type { JsonObject } from '@phaseline/basics';
import type { BacktestFigures, BacktestMessage, BacktestRequest, JobSelection } from '@phaseline/contracts';
import type { Guard } from '@phaseline/domain';

/** A request to try a guard on recorded jobs. */
export function toBacktestRequest(guard: Guard, selection: JobSelection): BacktestRequest {
  // A guard is JSON; its type has no index signature.
  return { kind: 'backtest', guard: guard as unknown as JsonObject, ...selection };
}

/** Returns the figures of a backtest, its last message. */
export async function findFigures(messages: AsyncIterable<BacktestMessage>): Promise<BacktestFigures> {
  for await (const message of messages) if (message.kind === 'figures') return message.figures;
  throw new Error('the program that decides recorded jobs again reported no figures');
}
