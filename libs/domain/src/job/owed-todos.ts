import { uncovered, type Obligation } from '../todo/obligation.js';
import type { RewindReason } from '../todo/todo-events.js';
import type { JobEventData } from './job-events.js';

/** What a job remembers of lists that were given up. Absent members stand for nothing. */
export interface OwedTodos {
  /** How many lists were given up since the job began, or since a person asked it to go on. */
  readonly rewinds?: number;
  /** The last of them, until another list is taken over. */
  readonly rewound?: RewindReason & { readonly phase: number };
  /** Their open todos that no later list accounts for. */
  readonly obligations?: readonly Obligation[];
}

type Changed = { -readonly [Key in keyof OwedTodos]?: OwedTodos[Key] | undefined };

/** What the end of a phase adds: the todos that it left open, and that it was given up. */
export function owedAfterPhase(owed: OwedTodos, { phase, rewound, left }: JobEventData<'PhaseEnded'>): Changed {
  return {
    ...(left ? { obligations: [...(owed.obligations ?? []), ...left] } : {}),
    ...(rewound ? { rewound: { phase, ...rewound }, rewinds: (owed.rewinds ?? 0) + 1 } : {}),
  };
}

/** What a list that is taken over settles. A strategic phase has the workflow's todos and settles nothing. */
export function owedAfterDispatch(owed: OwedTodos, { kind, todos }: JobEventData<'PhaseDispatched'>): Changed {
  if (kind === 'strategic') return {};
  const open = uncovered(owed.obligations ?? [], todos);
  return {
    ...(owed.obligations ? { obligations: open.length > 0 ? open : undefined } : {}),
    ...(owed.rewound ? { rewound: undefined } : {}),
  };
}

/** What a phase that is dispatched now has to know of them. */
export function owedTodosOf({ rewinds, rewound, obligations }: OwedTodos): {
  rewinds?: number;
  rewound?: RewindReason & { phase: number };
  obligations?: Obligation[];
} {
  return {
    ...(rewinds ? { rewinds } : {}),
    ...(rewound ? { rewound: { ...rewound } } : {}),
    ...(obligations && obligations.length > 0 ? { obligations: [...obligations] } : {}),
  };
}
