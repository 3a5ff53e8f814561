import type { CommandBody, HookPoint } from '@phaseline/domain';

/** What happens when a hook fails: no start, a time-out, an unknown exit code or an answer that cannot be read. */
export type OnFailure = 'deny' | 'continue';

/** A program that is asked at a hook point. */
export type CommandHandler = Readonly<CommandBody['handler']>;

/** A prompt that a model answers with `{ok, reason}`. Here it becomes a judge, which can only refuse. */
interface JudgeHandler extends Readonly<Pick<CommandHandler, 'name' | 'timeoutSeconds'>> {
  readonly point: HookPoint;
  readonly matcher?: string;
  readonly condition?: string;
  readonly kind: 'judge';
  readonly prompt: string;
  readonly model?: string;
}

export type HookHandler = CommandHandler | JudgeHandler;
