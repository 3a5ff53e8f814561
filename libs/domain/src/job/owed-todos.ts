import { findUncovered, type Obligation } from '../todo/obligation.js';
import type { RewindReason } from '../todo/todo-events.js';
import type { JobEventData } from './job-events.js';

/** What a job remembers of todo lists that were abandoned. */
export interface OwedTodos {
  /** Number of lists abandoned since the job began, or since a person retried or resumed it. */
  readonly rewinds?: number | undefined;
  /** The list abandoned last, until another list replaces it. */
  readonly rewound?: (RewindReason & { readonly phase: number }) | undefined;
  /** Open todos of those lists that no later list accounts for. */
  readonly obligations?: readonly Obligation[] | undefined;
}

type Change = { -readonly [Key in keyof OwedTodos]?: OwedTodos[Key] };

/** Adds what an ended phase leaves behind: its open todos, and the reason if its list was abandoned. */
export function addOwedTodos(owed: OwedTodos, { phase, rewound, openTodos }: JobEventData<'PhaseEnded'>): Change {
  return {
    ...(openTodos ? { obligations: [...(owed.obligations ?? []), ...openTodos] } : {}),
    ...(rewound ? { rewound: { phase, ...rewound }, rewinds: (owed.rewinds ?? 0) + 1 } : {}),
  };
}

/** Removes the obligations that a newly dispatched list accounts for. A strategic phase runs the workflow's todos and changes nothing. */
export function removeCoveredTodos(owed: OwedTodos, { kind, todos }: JobEventData<'PhaseDispatched'>): Change {
  if (kind === 'strategic') return {};
  const open = findUncovered(owed.obligations ?? [], todos);
  return {
    ...(owed.obligations ? { obligations: open.length > 0 ? open : undefined } : {}),
    ...(owed.rewound ? { rewound: undefined } : {}),
  };
}

/** Returns the part of the obligations that is passed to a phase dispatched now. */
export function pickOwedTodos({ rewinds, rewound, obligations }: OwedTodos): {
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
