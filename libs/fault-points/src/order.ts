/** What a process does to itself. */
export type FaultAction =
  | { readonly kind: 'kill' | 'stop' }
  /** The event loop stands still for so long. */
  | { readonly kind: 'block'; readonly ms: number };

export interface FaultOrder {
  readonly action: FaultAction;
  /** The how manieth time it gets there: 1 is the next. */
  readonly nth: number;
}

const ORDER = /^(kill|stop|block=(\d{1,6}))(?:@([1-9]\d{0,6}))?$/;

/** Reads `kill`, `stop@2` or `block=5000@3`. Throws for anything else. */
export function parseOrder(text: string): FaultOrder {
  const match = ORDER.exec(text.trim());
  if (!match) throw new Error(`"${text}" is no order for a fault point; expected kill, stop@2 or block=5000`);
  const [, action, ms, nth = '1'] = match;
  return {
    action: ms === undefined ? { kind: action as 'kill' | 'stop' } : { kind: 'block', ms: Number(ms) },
    nth: Number(nth),
  };
}

export function renderOrder({ action, nth }: FaultOrder): string {
  return `${action.kind === 'block' ? `block=${action.ms}` : action.kind}@${nth}`;
}
