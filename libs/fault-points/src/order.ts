/** The fault that a process inflicts on itself. */
export type FaultAction =
  | { readonly kind: 'kill' | 'stop' }
  /** Blocks the event loop for `ms` milliseconds. */
  | { readonly kind: 'block'; readonly ms: number };

export interface FaultOrder {
  readonly action: FaultAction;
  /** Number of the visit at which the action is executed; 1 is the next visit. */
  readonly nth: number;
}

const ORDER = /^(kill|stop|block=(\d{1,6}))(?:@([1-9]\d{0,6}))?$/;

/** Parses `kill`, `stop@2` or `block=5000@3`. Throws for anything else. */
export function parseOrder(text: string): FaultOrder {
  const match = ORDER.exec(text.trim());
  if (!match) throw new Error(`"${text}" is not a valid order for a fault point; expected kill, stop@2 or block=5000`);
  const [, action, ms, nth = '1'] = match;
  return {
    action: ms === undefined ? { kind: action as 'kill' | 'stop' } : { kind: 'block', ms: Number(ms) },
    nth: Number(nth),
  };
}

export function renderOrder({ action, nth }: FaultOrder): string {
  return `${action.kind === 'block' ? `block=${action.ms}` : action.kind}@${nth}`;
}
