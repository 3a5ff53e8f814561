import type { CallId } from '@phaseline/contracts';
import type { CommandBody, Guard } from '@phaseline/domain';

/** Whether the hook of a job may be asked again after a crash. */
export type GuardedBy = 'again' | 'once';

/** Builds the hook that is asked before and after each call of `charge`, and told when a phase ends or waits for a person. */
export function buildGuards(by: GuardedBy): Guard[] {
  return (['PreToolUse', 'PostToolUse', 'SessionEnd', 'Notification'] as const).map((point) => {
    const handler = {
      name: `${point}-1`,
      kind: 'command',
      point,
      ...(point === 'PreToolUse' || point === 'PostToolUse' ? { matcher: 'charge' } : {}),
      command: 'true',
      shell: 'sh',
      onFailure: 'deny',
      observes: false,
      timeoutSeconds: 10,
    } as const;
    const body: CommandBody = { set: by, setVersion: by, handler, env: {}, network: [], secrets: [] };
    return {
      name: `${by}.${point}-1`,
      version: '0'.repeat(64),
      scope: 'agent',
      kind: 'command',
      stage: 'production',
      owner: 'simulator',
      points: [point],
      onFailure: 'deny',
      timeoutMs: 10_000,
      idempotent: by === 'again',
      // The body is JSON; its type has no index signature.
      body: body as unknown as Guard['body'],
    };
  });
}

/** What a hook decides about a call: always the same. */
export function decideAbout(callId: CallId): 'deny' | 'context' | 'nothing' {
  const sum = [...callId].reduce((total, letter) => total + letter.codePointAt(0)!, 0);
  return (['nothing', 'deny', 'context', 'nothing'] as const)[sum % 4]!;
}
