import type { HookPoint } from '@phaseline/domain';

/** What happens when a hook fails: no start, a time-out, an unknown exit code or an answer that cannot be read. */
export type OnFailure = 'deny' | 'continue';

interface HandlerTerms {
  /** Unique in its guard set: the event and a number, such as `PreToolUse-2`. */
  readonly name: string;
  readonly point: HookPoint;
  readonly matcher?: string;
  /** A permission rule that the call must match, such as `Bash(git *)`. */
  readonly condition?: string;
  readonly timeoutSeconds: number;
}

/** A program that is asked at a hook point. */
export interface CommandHandler extends HandlerTerms {
  readonly kind: 'command';
  /** A command line for the shell, or a program if there are `args`. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly shell: 'sh' | 'bash';
  readonly onFailure: OnFailure;
  /** An asynchronous hook only observes: its result is not read. */
  readonly observes: boolean;
}

/** A prompt that a model answers with `{ok, reason}`. Here it becomes a judge, which can only refuse. */
interface JudgeHandler extends HandlerTerms {
  readonly kind: 'judge';
  readonly prompt: string;
  readonly model?: string;
}

export type HookHandler = CommandHandler | JudgeHandler;
